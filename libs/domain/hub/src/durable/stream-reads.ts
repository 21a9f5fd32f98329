import type { MessageReads, RangeQuery, StoredRecord, Stream, StreamAddress } from '@carillon/history-store';
import { frameOf } from '@carillon/messages';
import type { Gap, Refetched } from './stream-order.js';

/** A stream of the store, by which what is missing of it is read. */
export type StoredStream = Pick<Stream, 'generation' | 'streamId' | 'streamKey'>;

/** How an order of records is read again, of many channels. */
export interface OrderReads {
  /** Where they stand, by `streamName`. */
  heads(addresses: readonly StreamAddress[]): Promise<ReadonlyMap<string, Stream>>;
  /** The first of what is missing, so many at most. */
  missing(
    address: StreamAddress,
    stream: StoredStream,
    gap: Gap,
    limit: number,
  ): Promise<readonly Refetched[]>;
}

/** Where gateways read streams: the store, or a writer that has it. */
export interface StreamReads extends Pick<MessageReads, 'annotations' | 'messages' | 'summaries'> {
  /** The streams there are, by `streamName`. */
  heads(addresses: readonly StreamAddress[]): Promise<ReadonlyMap<string, Stream>>;
  /** Purged records come as tombstones. */
  range(query: RangeQuery): Promise<readonly StoredRecord[]>;
}

/** The records of streams as their serials order them. */
export const recordReads = (reads: StreamReads): OrderReads => ({
  heads: (addresses) => reads.heads(addresses),
  missing: async (address, { streamKey, generation, streamId }, gap, limit) => {
    const records = await reads.range({ streamKey, generation, ...gap, limit });
    return records.map((record) => refetchedOf({ streamId, address }, record));
  },
});

/** A stored record as it is delivered late. */
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
