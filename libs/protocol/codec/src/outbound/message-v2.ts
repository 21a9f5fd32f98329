import { eventForProtocol } from '../event-names.js';
import { omitMembers } from '../json/omit-members.js';
import { rawMember } from '../json/raw-member.js';
import { rawMembers } from '../json/raw-members.js';
import type { Message } from '../message/message.js';

/** Members of a message in its stored text; others are stored separately. */
export type MessageV2 = Pick<
  Message,
  'channel' | 'dataText' | 'event' | 'extrasText' | 'messageId' | 'tagsText' | 'userId'
> &
  Partial<Pick<Message, 'isBytes' | 'isJsonText' | 'name' | 'serial' | 'streamId'>>;

/** Meaning of the JSON text of data: it lists bytes, or it is a string that holds published JSON. */
export interface DataMarks {
  readonly isBytes?: boolean;
  readonly isJsonText?: boolean;
}

/** Member of stored and forwarded messages that carries {@link DataMarks}, and its JSON texts. */
const DATA_KIND = 'data_kind';
const BYTES = '"bytes"';
const JSON_TEXT = '"json"';

/** Returns the member with the data marks; its text is null if there is none. */
export const dataKindMember = ({
  isBytes,
  isJsonText,
}: DataMarks): readonly [name: string, text: string | null] => [
  DATA_KIND,
  isBytes === true ? BYTES : isJsonText === true ? JSON_TEXT : null,
];

/** Reads the marks of a stored message. */
export function dataMarksOf(text: string): { readonly isBytes: boolean; readonly isJsonText: boolean } {
  const kind = rawMember(text, DATA_KIND);
  return { isBytes: kind === BYTES, isJsonText: kind === JSON_TEXT };
}

/** Members of `extras` consumed by the service, not delivered. */
const CONSUMED: ReadonlySet<string> = new Set(['idempotencyKey', 'push']);

/** Returns the delivered `extras`; null: none. */
export const extrasForReceivers = (extrasText: string | null): string | null =>
  extrasText === null ? null : omitMembers(extrasText, CONSUMED);

/**
 * The frame of protocol 2, which is also the form in which messages are stored (without a position, which the writer puts
 * in) and travel between processes.
 */
export function encodeMessageV2(message: MessageV2): string {
  const { event, channel, dataText, name, userId, tagsText, messageId, streamId, serial } = message;
  const extras = extrasForReceivers(message.extrasText);
  let text = `{"event":${JSON.stringify(eventForProtocol(event, 2))},"channel":${JSON.stringify(channel)}`;
  if (dataText !== null) text += `,"data":${dataText}`;
  // Receivers know it from the format of their frames; only history items carry it.
  if (message.isBytes === true) text += `,"${DATA_KIND}":${BYTES}`;
  else if (message.isJsonText === true) text += `,"${DATA_KIND}":${JSON_TEXT}`;
  if (name !== undefined && name !== null) text += `,"name":${JSON.stringify(name)}`;
  if (userId !== null) text += `,"user_id":${JSON.stringify(userId)}`;
  if (tagsText !== null) text += `,"tags":${tagsText}`;
  text += `,"message_id":${JSON.stringify(messageId)}`;
  if (streamId !== undefined && streamId !== null) text += `,"stream_id":${JSON.stringify(streamId)}`;
  if (serial !== undefined && serial !== null) text += `,"serial":${serial}`;
  if (extras !== null) text += `,"extras":${extras}`;
  return `${text}}`;
}

/** Members of a message that are not in its text. */
export type BesideText = Pick<Message, 'action' | 'isFromClient' | 'mayBeDelta'>;

/** Decodes the message of a frame, with or without position; null if it is none. Never throws. */
export function readMessageV2(text: string, beside: BesideText): Message | null {
  const members = rawMembers(text);
  try {
    const channel = readText(members.get('channel'));
    const event = readText(members.get('event'));
    const [serial, version] = [members.get('serial'), members.get('version')];
    if (channel === null || event === null) return null;
    return {
      kind: 'message',
      channel,
      event,
      name: readText(members.get('name')),
      dataText: members.get('data') ?? null,
      ...(members.get(DATA_KIND) === BYTES ? { isBytes: true } : {}),
      ...(members.get(DATA_KIND) === JSON_TEXT ? { isJsonText: true } : {}),
      userId: readText(members.get('user_id')),
      messageId: readText(members.get('message_id')) ?? '',
      tagsText: members.get('tags') ?? null,
      extrasText: members.get('extras') ?? null,
      ...(version === undefined ? {} : { versionText: version }),
      streamId: readText(members.get('stream_id')),
      serial: serial === undefined ? null : Number(serial),
      ...beside,
    };
  } catch {
    return null;
  }
}

/** Null: missing. Throws if it is no string. */
function readText(raw: string | undefined): string | null {
  if (raw === undefined) return null;
  const value: unknown = JSON.parse(raw);
  if (typeof value !== 'string') throw new TypeError('not a text');
  return value;
}
