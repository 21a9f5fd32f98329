import { positioned, type Stream, type StoredMessage, type StoredRecord } from '@carillon/history-store';
import { latestItem } from '@carillon/history-messages';
import type { HistoryItemBody } from './bodies.js';

/** Returns a history row with the latest state of its message; null if unreadable. */
export function itemOf(
  { streamId, address }: Stream,
  row: StoredRecord,
  latest: StoredMessage | undefined,
): HistoryItemBody | null {
  const { historySerial: serial, payload } = row;
  const message = payload === null ? undefined : parse(positioned(payload, streamId, row.deliverySerial));
  if (message === undefined || serial === null) return null;
  const text = latest === undefined ? null : latestItem(address.channel, latest);
  if (latest !== undefined && text !== null)
    return {
      stream_id: streamId,
      serial,
      published_at_ms: row.publishedAtMs,
      message_id: row.messageId,
      event_name: `service:message.${latest.action}`,
      operation_kind: `message.${latest.action}`,
      payload_size_bytes: Buffer.byteLength(text),
      message: parse(text),
    };
  return {
    stream_id: streamId,
    serial,
    published_at_ms: row.publishedAtMs,
    message_id: row.messageId,
    event_name: row.eventName,
    operation_kind: 'append',
    payload_size_bytes: row.payloadSize,
    message,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
