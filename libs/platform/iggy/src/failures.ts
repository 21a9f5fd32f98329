/** No server answers, or not in time. Whether a write happened is unknown. */
export class IggyUnavailable extends Error {
  override readonly name = 'IggyUnavailable';
}

/** A server refused the request. */
export class IggyRefused extends Error {
  override readonly name = 'IggyRefused';

  constructor(
    /** HTTP status. */
    readonly status: number,
    /** Iggy error code, such as `topic_name_already_exists`. */
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
