import type { MessageReads, RangeQuery, StoredRecord, Stream, StreamAddress } from '@carillon/history-store';
import { frameOf } from '@carillon/history-messages';
import type { Refetched } from './stream-order.js';

/** Source from which gateways read streams: the store, or a writer that owns the stream. */
export interface StreamReads extends Pick<
  MessageReads,
  'annotations' | 'messages' | 'summaries' | 'versions'
> {
  /** Returns the existing streams by `streamName`; with `make` missing ones are created. */
  heads(addresses: readonly StreamAddress[], make?: boolean): Promise<ReadonlyMap<string, Stream>>;
  /** Purged records are returned as tombstones. */
  range(query: RangeQuery): Promise<readonly StoredRecord[]>;
}

/** Converts a stored record for late delivery. */
export function refetchedOf(
  { streamId, address }: Pick<Stream, 'address' | 'streamId'>,
  record: StoredRecord,
): Refetched {
  const { deliverySerial: serial } = record;
  const message = frameOf(record, { streamId, address });
  if (message === null) return serial;
  return {
    writer_id: 'store',
    app_id: address.appId,
    channel: address.channel,
    stream_id: streamId,
    serial,
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
