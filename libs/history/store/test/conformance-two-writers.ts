import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type DurableStore, streamName } from '../src/index.js';
import {
  addressOf,
  after,
  append,
  headOf,
  NOTHING,
  receiptOf,
  recordAt,
  streamIn,
  wantedOf,
} from './scene.js';

const EACH = 20;

/** Requirements when two independent processes write to one stream. */
export function conformanceOfTwoWriters(current: () => readonly [DurableStore, DurableStore]): void {
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

  it('starts from what another writer has committed since its own last batch', async () => {
    const [one, other] = current();
    const address = addressOf('by-turns');
    const serials: number[] = [];
    for (const store of [one, one, other, one, other, other, one]) {
      const written = await append(store, address, [{}]);
      serials.push(...written.map(({ deliverySerial }) => deliverySerial));
    }
    expect(serials).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(await headOf(other, address)).toMatchObject({ nextDeliverySerial: 8, retainedMessages: 7 });
  });

  it('finds what another writer has acknowledged since its own last batch', async () => {
    const [one, other] = current();
    const address = addressOf('acknowledged-elsewhere');
    await append(one, address, [{}]);
    const record = recordAt(await headOf(other, address));
    const receipt = receiptOf(record);
    await other.commit(wantedOf([address]), (found) => ({
      changes: {
        ...NOTHING,
        streams: [after(streamIn(found, address), record)],
        records: [record],
        receipts: [receipt],
      },
    }));
    const asked = wantedOf([address], { receipts: { scopes: [receipt.scope], sinceMs: 0 } });
    for (const store of [one, other]) {
      const { found } = await store.commit(asked, (what) => ({ changes: NOTHING, found: what }));
      expect(found.receipts.get(receipt.scope)).toMatchObject({ pubId: receipt.pubId, deliverySerial: 2 });
    }
  });
}
