import { rawMember } from '../json/raw-member.js';

/** `plain` messages are immutable; the others create a mutable message or change it. */
export type MessageAction = 'append' | 'create' | 'delete' | 'plain' | 'update';

/**
 * A message of a channel, independent of protocol and wire format. JSON texts are exactly as published, so that
 * encoders may embed them unchanged.
 */
export interface Message {
  readonly kind: 'message';
  /** The channel it was published to, whichever subscription a receiver has it by. */
  readonly channel: string;
  /** A reserved prefix may be either protocol's: encoders write their own. */
  readonly event: string;
  /** Original name of a message, for events about a change to it; null otherwise. */
  readonly name: string | null;
  /** JSON text of the payload; for server publishes always that of a string. Null: none. */
  readonly dataText: string | null;
  /** The payload is bytes, whose text is the list of their values as shown in JSON. Absent: as its text. */
  readonly isBytes?: true;
  /** The payload is a string that holds the JSON text of a published value of another type. Absent: it was published so. */
  readonly isJsonText?: true;
  /** Sender of a client event on a presence channel, or author of a change; null: not included. */
  readonly userId: string | null;
  /** The same for every receiver and every time it is shown again. */
  readonly messageId: string;
  /** JSON text of an object of strings; null: it has none. */
  readonly tagsText: string | null;
  /**
   * JSON text of an object: the publisher's extras, with the service's headers about mutable messages in `headers`;
   * null: none.
   */
  readonly extrasText: string | null;
  /** JSON text of an object: author and description of this change. Absent: unknown. */
  readonly versionText?: string;
  /** Position in the channel's stream; null, both: none. */
  readonly streamId: string | null;
  readonly serial: number | null;
  readonly action: MessageAction;
  /** A client sent it, so that whether the sender gets it too is a matter of echo. False: a server did. */
  readonly isFromClient: boolean;
  /** Whether it may be sent as the difference to an earlier one. */
  readonly mayBeDelta: boolean;
}

/** Delivered to current subscribers and stored nowhere. */
export const isEphemeral = ({ extrasText }: Pick<Message, 'extrasText'>): boolean =>
  extrasText !== null && rawMember(extrasText, 'ephemeral') === 'true';

/** Whether the sender receives it too, if specified; null: its connection decides. */
export function echoOf({ extrasText }: Pick<Message, 'extrasText'>): boolean | null {
  const echo = extrasText === null ? null : rawMember(extrasText, 'echo');
  return echo === 'true' || echo === 'false' ? echo === 'true' : null;
}
