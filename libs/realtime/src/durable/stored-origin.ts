import type { FanOutRecordBody } from '@carillon/contracts';
import { streamName, type StreamAddress } from '@carillon/history-store';
import type { Origin, OriginHead } from './origin.js';
import { MAX_HELD, type Gap } from './stream-order.js';
import { refetchedOf, type StreamReads } from './stream-reads.js';

/** Origin that reads streams of durable channels. */
export class StoredOrigin implements Origin<FanOutRecordBody> {
  constructor(private readonly reads: StreamReads) {}

  async heads(
    addresses: readonly StreamAddress[],
    make: boolean,
  ): Promise<readonly (OriginHead<FanOutRecordBody> | null)[]> {
    const streams = await this.reads.heads(addresses, make);
    return addresses.map((address) => {
      const stream = streams.get(streamName(address));
      if (stream === undefined) return null;
      const { streamId, streamKey, generation } = stream;
      return {
        streamId,
        next: stream.nextDeliverySerial,
        handedOver: stream.fannedOutSerial,
        historySerial: stream.nextHistorySerial - 1,
        read: async (gap: Gap) => {
          const records = await this.reads.range({ streamKey, generation, ...gap, limit: MAX_HELD });
          return records.map((record) => refetchedOf({ streamId, address }, record));
        },
      };
    });
  }
}
