import type { FanOutRecordBody } from '@carillon/contracts';
import type { StoredRecord, Stream } from '@carillon/history-store';
import { frameOf } from '@carillon/history-messages';
import type { Settled } from './entry.js';

/**
 * Hands records to every gateway, in this order. Rejects, or stays silent, when the gateways may not get them: then
 * they are sent again.
 */
export type FanOut = (records: readonly FanOutRecordBody[]) => Promise<void>;

/** Returns the record for the gateways, in the trace of its publisher; null: none. */
export const fanOutOf = ({ entry: { span }, verdict: { fanOut } }: Settled): FanOutRecordBody | null =>
  fanOut === null || span === null ? fanOut : { ...fanOut, trace: span.trace };

/** A stored record as it is sent again; null: it was purged, and there is nothing to send. */
export function fanOutAgain(record: StoredRecord, stream: Stream, writerId: string): FanOutRecordBody | null {
  const message = frameOf(record, stream);
  if (message === null) return null;
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
    message,
    resent: true,
  };
}
