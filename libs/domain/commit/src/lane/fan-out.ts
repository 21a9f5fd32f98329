import type { FanOutRecordBody } from '@carillon/contract';
import { positioned, type StoredRecord, type Stream } from '@carillon/history-store';

/**
 * Hands records to every gateway, in this order. Rejects, or stays silent, when the gateways may not get them: then
 * they are sent again.
 */
export type FanOut = (records: readonly FanOutRecordBody[]) => Promise<void>;

/** A stored record as it is sent again; null: it was purged, and there is nothing to send. */
export function fanOutAgain(record: StoredRecord, stream: Stream, writerId: string): FanOutRecordBody | null {
  if (record.payload === null) return null;
  return {
    writer_id: writerId,
    app_id: stream.address.appId,
    channel: stream.address.channel,
    stream_id: stream.streamId,
    serial: record.deliverySerial,
    history_serial: record.historySerial,
    annotation_no: null,
    published_at_ms: record.publishedAtMs,
    op: record.action === 'plain' ? 'publish' : record.action,
    message_id: record.messageId,
    except_socket: null,
    message: positioned(record.payload, stream.streamId, record.deliverySerial),
    resent: true,
  };
}
