import { decoder, integer, json, message, object, optional, text } from '@carillon/contracts';
import { type Message, rawMembers } from '@carillon/protocol';

/** Names are judged before they are published; here they only have to be names. */
const name = text(1, 64 * 1024);

const LAST_EVENT = message('last_event', {
  message_id: name,
  event: name,
  channel: name,
  /** Position in its channel's stream. Absent: none. */
  position: optional(object({ stream_id: text(1, 64), serial: integer(1) })),
  tags: optional(json),
  extras: optional(json),
  data: json,
});

const decode = decoder(LAST_EVENT);

/** The payload is put in as it is, so that readers get the very text that was published. */
export function writeRecord(kept: Message): string {
  const { messageId, event, channel, dataText, tagsText, extrasText, streamId, serial } = kept;
  const names = `"message_id":${JSON.stringify(messageId)},"event":${JSON.stringify(event)}`;
  let text = `{"v":${LAST_EVENT.version},"kind":"${LAST_EVENT.kind}",${names}`;
  text += `,"channel":${JSON.stringify(channel)}`;
  if (streamId !== null && serial !== null)
    text += `,"position":${JSON.stringify({ stream_id: streamId, serial })}`;
  if (tagsText !== null) text += `,"tags":${tagsText}`;
  if (extrasText !== null) text += `,"extras":${extrasText}`;
  return `${text},"data":${dataText ?? 'null'}}`;
}

/** Null: over the cap, or not a record this version can read. Never throws. */
export function readRecord(record: string, maxBytes: number): Message | null {
  const decoded = decode(record, maxBytes);
  if (!decoded.ok) return null;
  const members = rawMembers(record);
  const dataText = members.get('data');
  if (dataText === undefined) return null;
  const { message_id: messageId, event, channel, position } = decoded.message;
  return {
    kind: 'message',
    channel,
    event,
    name: null,
    dataText,
    userId: null,
    messageId,
    tagsText: members.get('tags') ?? null,
    extrasText: members.get('extras') ?? null,
    streamId: position?.stream_id ?? null,
    serial: position?.serial ?? null,
    action: 'plain',
    isFromClient: false,
    mayBeDelta: true,
  };
}
