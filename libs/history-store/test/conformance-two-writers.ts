import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type DurableStore, streamName } from '../src/index.js';
import { addressOf, after, headOf, NOTHING, receiptOf, recordAt, wantedOf } from './scene.js';

const EACH = 20;

/** What holds when two processes that know nothing of each other write to one stream. */
export function neverSharesSerials(current: () => readonly [DurableStore, DurableStore]): void {
  it('never lets two writers use one serial', async () => {
    const address = addressOf('contended');
    const writers = current().map(async (store) => {
      for (let written = 0; written < EACH;) {
        const { changes } = await store.commit(wantedOf([address]), (found) => {
          const stream = found.streams.get(streamName(address));
          if (stream === null || stream === undefined) return { changes: NOTHING };
          const record = recordAt(stream);
          const receipts = [receiptOf(record)];
          return { changes: { ...NOTHING, streams: [after(stream, record)], records: [record], receipts } };
        });
        written += changes.records.length;
        if (changes.records.length === 0) await pause(5);
      }
    });
    await Promise.all(writers);
    const [store] = current();
    const { streamKey, generation, nextDeliverySerial } = await headOf(store, address);
    const rows = await store.range({ streamKey, generation, fromSerial: 1, toSerial: 999, limit: 999 });
    expect(rows.map(({ deliverySerial }) => deliverySerial)).toEqual(
      Array.from({ length: 2 * EACH }, (_, index) => index + 1),
    );
    expect(nextDeliverySerial).toBe(2 * EACH + 1);
  });
}
