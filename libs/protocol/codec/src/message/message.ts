import { rawMember } from '../json/raw-member.js';

/** `plain` says something new and is never changed; the others make a mutable message and change it. */
export type MessageAction = 'append' | 'create' | 'delete' | 'plain' | 'update';

/**
 * One message of a channel, free of any protocol and wire format. Texts of JSON are exactly what was published, so that
 * every encoder may put them in as they are.
 */
export interface Message {
  readonly kind: 'message';
  /** The channel it was published to, whichever subscription a receiver has it by. */
  readonly channel: string;
  /** A reserved prefix may be either protocol's: encoders write their own. */
  readonly event: string;
  /** What the message was published as, where the event tells of a change to it; null everywhere else. */
  readonly name: string | null;
  /** JSON text of the payload; of a server publish always that of a string. Null: there is none. */
  readonly dataText: string | null;
  /** The payload is bytes, of which its text is the list: so JSON shows them. Absent: it is what its text says. */
  readonly isBytes?: true;
  /** The payload is a string that holds the JSON text of a published value of another type. Absent: it was published so. */
  readonly isJsonText?: true;
  /** The sender of a client event on a presence channel, or who changed a mutable message; null: not told. */
  readonly userId: string | null;
  /** The same for every receiver and every time it is shown again. */
  readonly messageId: string;
  /** JSON text of an object of strings; null: it has none. */
  readonly tagsText: string | null;
  /**
   * JSON text of an object: what the publisher wrote for receivers, with what the service adds about mutable messages in
   * `headers`; null: it has none.
   */
  readonly extrasText: string | null;
  /** JSON text of an object: who made this change, and what was said of it. Absent: nothing is known. */
  readonly versionText?: string;
  /** Its place in the channel's stream; null, both: it has none. */
  readonly streamId: string | null;
  readonly serial: number | null;
  readonly action: MessageAction;
  /** A client sent it, so that whether the sender gets it too is a matter of echo. False: a server did. */
  readonly isFromClient: boolean;
  /** Whether it may be sent as the difference to an earlier one. */
  readonly mayBeDelta: boolean;
}

/** Delivered to who is here now, and kept nowhere. */
export const isEphemeral = ({ extrasText }: Pick<Message, 'extrasText'>): boolean =>
  extrasText !== null && rawMember(extrasText, 'ephemeral') === 'true';

/** Whether the sender gets it too, as it says itself; null: its connection decides. */
export function echoOf({ extrasText }: Pick<Message, 'extrasText'>): boolean | null {
  const echo = extrasText === null ? null : rawMember(extrasText, 'echo');
  return echo === 'true' || echo === 'false' ? echo === 'true' : null;
}
