import { MemoryRecords } from '@carillon/records';
import { describe, expect, it } from 'vitest';
import { RecordHistoryStore } from '../src/index.js';
import { conformance } from './conformance.js';
import { conformanceOfTwoWriters } from './conformance-two-writers.js';
import { purgeAll } from './conformance-purge.js';
import { storeOver } from './record-backends.js';
import {
  addressOf,
  after,
  append,
  DAY_MS,
  headOf,
  messageIn,
  NOTHING,
  NOW_MS,
  recordAt,
  streamIn,
  wantedOf,
} from './scene.js';

conformance('record', async () => ({ store: storeOver(new MemoryRecords()), close: async () => {} }));

describe('two writers over one record store', () => {
  const records = new MemoryRecords();
  const stores = [storeOver(records), storeOver(records)] as const;
  conformanceOfTwoWriters(() => stores);
});

const HOUR_MS = 3_600_000;

/** Rows of generations in the partition of a stream. */
async function generationRows(records: MemoryRecords, streamKey: string) {
  const range = { partition: `s/${streamKey}`, from: 'g', to: 'h', reverse: false, limit: 1000 };
  return records.range(range);
}

describe('a store over partitioned records', () => {
  it('splits values that exceed the value limit, and purges all of their parts', async () => {
    const records = new MemoryRecords();
    const store = storeOver(records);
    const payload = JSON.stringify({ event: 'e', data: '\u{1f514}\u00c4x'.repeat(120_000) });
    const [written] = await append(store, addressOf('long'), [{ payload, payloadSize: payload.length }]);
    const { streamKey, generation } = await headOf(store, addressOf('long'));
    const range = { streamKey, generation, fromSerial: 1, toSerial: 1, limit: 1 };
    expect(await store.range(range)).toEqual([written]);
    expect((await generationRows(records, streamKey)).length).toBeGreaterThan(2);
    await purgeAll(store, NOW_MS + 2 * DAY_MS);
    expect(await generationRows(records, streamKey)).toEqual([]);
  });

  it('fails with a data failure, and writes nothing, when a batch exceeds one commit', async () => {
    const store = storeOver(new MemoryRecords());
    const address = addressOf('too-large');
    const payload = JSON.stringify({ data: 'x'.repeat(500_000) });
    const failing = append(
      store,
      address,
      Array.from({ length: 8 }, () => ({ payload })),
    );
    await expect(failing).rejects.toMatchObject({ name: 'StoreFailure', reason: 'data', transient: false });
    expect((await store.heads([address])).size).toBe(0);
  });

  it('erases what an operator purged, and keeps its serials', async () => {
    const records = new MemoryRecords();
    const store = storeOver(records);
    const address = addressOf('erased');
    await store.commit(wantedOf([address]), (found) => {
      const stream = streamIn(found, address);
      const made = {
        action: 'create',
        messageSerial: 'm',
        versionSerial: 'v1',
        rootHistorySerial: 1,
      } as const;
      const record = recordAt(stream, { ...made, payload: '{"data":"secret"}' });
      const message = messageIn(stream, { data: { text: '"secret"' }, name: 'secret' });
      return {
        changes: {
          ...NOTHING,
          streams: [after(stream, record)],
          records: [record],
          messages: { states: [message], annotations: [], summaries: [] },
        },
      };
    });
    await append(store, address, [{ payload: '{"data":"kept"}' }]);
    const floors = { floorHistorySerial: 2, floorMessageSerial: 2, retainedMessages: 1, retainedBytes: 22 };
    await append(store, address, [], floors);
    await purgeAll(store, NOW_MS + 10 * 60_000);
    const { streamKey, generation } = await headOf(store, address);
    const rows = await generationRows(records, streamKey);
    expect(rows.filter(({ value }) => value.includes('secret'))).toEqual([]);
    const range = { streamKey, generation, fromSerial: 1, toSerial: 2, limit: 2 };
    expect(await store.range(range)).toMatchObject([{ tombstone: true }, { payload: '{"data":"kept"}' }]);
  });

  it('deletes rows of before a reset', async () => {
    const records = new MemoryRecords();
    const store = storeOver(records);
    const address = addressOf('reset');
    await append(store, address, [{}, {}, {}]);
    await append(store, address, [], { generation: 2, nextDeliverySerial: 1, nextHistorySerial: 1 });
    await append(store, address, [{}]);
    await purgeAll(store, NOW_MS + HOUR_MS);
    const { streamKey } = await headOf(store, address);
    expect((await generationRows(records, streamKey)).map(({ sort }) => sort.slice(0, 11))).toEqual([
      'g0000000002',
    ]);
  });

  it('keeps streams apart whose addresses share a key', async () => {
    const records = new MemoryRecords();
    const options = { now: () => NOW_MS, timeoutMs: 5000, surveyEveryMs: 0 };
    const store = new RecordHistoryStore(records, {
      ...options,
      keyOf: (_address, attempt) => String(attempt + 1),
    });
    const addresses = ['one', 'two', 'three'].map((name) => addressOf(name));
    for (const [index, address] of addresses.entries())
      await append(
        store,
        address,
        Array.from({ length: index + 1 }, () => ({})),
      );
    await purgeAll(store, NOW_MS + 60 * DAY_MS);
    // Rows that are found through the removed ones must still be found.
    await append(store, addressOf('three'), [{}]);
    expect(await headOf(store, addressOf('three'))).toMatchObject({ address: addressOf('three') });
    const heads = await store.heads(addresses);
    expect([...heads.values()].filter(({ address }) => address.channel === 'three')).toHaveLength(1);
  });
});
