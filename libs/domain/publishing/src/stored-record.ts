import { decoder, integer, json, message, object, optional, text } from '@carillon/contract';
import { rawMember } from '@carillon/protocol';
import type { LastEvent } from './port.js';

/** Where an event is in its channel's stream. */
export interface Position {
  readonly streamId: string;
  readonly serial: number;
}

/** A last event as it lies in the cache; the cache knows how long. */
export interface KeptEvent extends Omit<LastEvent, 'ttlMs'> {
  /** Absent: the channel has no history. */
  readonly position?: Position;
}

/** Names are judged before they are published; here they only have to be names. */
const name = text(1, 64 * 1024);

const LAST_EVENT = message('last_event', {
  message_id: name,
  event: name,
  channel: name,
  position: optional(object({ stream_id: text(1, 64), serial: integer(1) })),
  data: json,
});

const decode = decoder(LAST_EVENT);

/** The payload is put in as it is, so that readers get the very text that was published. */
export function writeRecord({ messageId, event, channel, dataText, position }: KeptEvent): string {
  const names = `"message_id":${JSON.stringify(messageId)},"event":${JSON.stringify(event)}`;
  const head = `{"v":${LAST_EVENT.version},"kind":"${LAST_EVENT.kind}",${names}`;
  const place = position === undefined ? '' : `,"position":${positionText(position)}`;
  return `${head},"channel":${JSON.stringify(channel)}${place},"data":${dataText}}`;
}

const positionText = ({ streamId: stream_id, serial }: Position): string =>
  JSON.stringify({ stream_id, serial });

/** Null: over the cap, or not a record this version can read. Never throws. */
export function readRecord(record: string, maxBytes: number): KeptEvent | null {
  const decoded = decode(record, maxBytes);
  if (!decoded.ok) return null;
  const dataText = rawMember(record, 'data');
  if (dataText === null) return null;
  const { message_id: messageId, event, channel, position } = decoded.message;
  return {
    messageId,
    event,
    channel,
    dataText,
    ...(position === undefined
      ? {}
      : { position: { streamId: position.stream_id, serial: position.serial } }),
  };
}
