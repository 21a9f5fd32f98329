/** Codes of messages that are no commands. */
export type BadCode =
  | 'app_not_allowed'
  | 'invalid_command'
  | 'invalid_json'
  | 'mapping_missing'
  | 'mapping_type'
  | 'payload_too_large';

/** A message that cannot be published, whatever the state of the service. */
export class BadMessage extends Error {
  constructor(
    readonly code: BadCode,
    reason: string,
  ) {
    super(reason);
  }
}
