import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { MemoryReceipts } from '../src/memory/receipts.js';
import { MemoryHistoryStore } from '../src/index.js';
import { conformance } from './conformance.js';
import { conformanceOfTwoWriters } from './conformance-two-writers.js';
import { OptimisticStore } from './optimistic-store.js';
import { addressOf, append, headOf, NOW_MS, openMemory } from './scene.js';

conformance('memory', openMemory);

conformance('optimistic', async () => ({ store: new OptimisticStore(), close: async () => {} }));

describe('a store that locks nothing', () => {
  const store = new OptimisticStore();
  conformanceOfTwoWriters(() => [store, store]);

  it('has decided anew what others were ahead of', () => {
    expect(store.conflicts).toBeGreaterThan(0);
  });
});

describe('memory', () => {
  it('lets go of records over the cap and keeps the counters right', async () => {
    const store = new MemoryHistoryStore();
    for (let times = 0; times < 300; times += 1)
      await append(store, addressOf('a'), [{}], { maxMessages: 10 });
    const { streamKey, generation, ...stream } = await headOf(store, addressOf('a'));
    const kept = await store.range({ streamKey, generation, fromSerial: 1, toSerial: 300, limit: 300 });
    expect(kept.length).toBeLessThan(80);
    expect(stream).toMatchObject({ nextHistorySerial: 301, retainedMessages: kept.length });
    expect(stream.floorHistorySerial).toBe(kept[0]?.historySerial);
  });

  it('lets go of expired receipts, however many are still good', () => {
    const receipts = new MemoryReceipts();
    const add = (atMs: number, untilMs: number) => {
      const scope = randomUUID();
      const rest = { streamKey: '1', generation: 1, deliverySerial: 1, fingerprint: null, extra: null };
      receipts.add({ scope, pubId: scope, atMs, untilMs, ...rest }, atMs);
    };
    for (let n = 0; n < 500; n += 1) add(NOW_MS, NOW_MS + (n % 2 === 0 ? 1 : 1e9));
    for (let n = 0; n < 1000; n += 1) add(NOW_MS + 60_000, NOW_MS + 60_001);
    expect(receipts.size).toBe(1250);
    for (let n = 0; n < 1000; n += 1) add(NOW_MS + 200_000, NOW_MS + 200_001);
    expect(receipts.size).toBeLessThan(1600);
  });
});
