import { eventForProtocol } from '../event-names.js';
import { omitMembers } from '../json/omit-members.js';
import { rawMember } from '../json/raw-member.js';
import { encodeV1 } from './encode-v1.js';

/** An event of a channel with everything that protocol 2 knows of it. */
export interface MessageV2 {
  readonly event: string;
  readonly channel: string;
  /** JSON text; null: it has none. */
  readonly dataText: string | null;
  /** The sender of a client event on a presence channel, else null. */
  readonly userId: string | null;
  /** JSON text of an object of strings; null: it has none. */
  readonly tagsText: string | null;
  readonly messageId: string;
  /** JSON text of an object as the publisher wrote it; null: it has none. */
  readonly extrasText: string | null;
}

/** Members of `extras` that tell the service something and receivers nothing. */
const CONSUMED: ReadonlySet<string> = new Set(['idempotencyKey', 'push']);

/** The frame of protocol 2 without its position in the stream: the form in which events are stored. */
export function encodeMessageV2(message: MessageV2): string {
  const { event, channel, dataText, userId, tagsText, messageId, extrasText } = message;
  const extras = extrasText === null ? null : omitMembers(extrasText, CONSUMED);
  let text = `{"event":${JSON.stringify(eventForProtocol(event, 2))},"channel":${JSON.stringify(channel)}`;
  if (dataText !== null) text += `,"data":${dataText}`;
  if (userId !== null) text += `,"user_id":${JSON.stringify(userId)}`;
  if (tagsText !== null) text += `,"tags":${tagsText}`;
  text += `,"message_id":${JSON.stringify(messageId)}`;
  if (extras !== null) text += `,"extras":${extras}`;
  return `${text}}`;
}

/**
 * What protocol 1 subscribers get of such a frame, positioned or not: event, channel, data, and who sent it. The text
 * must be one that JSON.parse reads as an object with these members, or as strings where it has them.
 */
export function messageForV1(text: string): string {
  const userId = rawMember(text, 'user_id');
  return encodeV1({
    event: readText(text, 'event'),
    channel: readText(text, 'channel'),
    dataText: rawMember(text, 'data'),
    userId: userId === null ? null : (JSON.parse(userId) as string),
  });
}

const readText = (text: string, name: string): string => JSON.parse(rawMember(text, name) ?? '""') as string;
