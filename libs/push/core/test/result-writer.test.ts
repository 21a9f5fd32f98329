import { configure } from '@carillon/config';
import { MemoryPushStore } from '@carillon/push-store';
import { createParts } from '@carillon/runtime';
import { describe, expect, it } from 'vitest';
import type { PushParts } from '../src/parts.js';
import { decodeItem, encodeItem, messageIdOf, type NewItem } from '../src/pipeline/items.js';
import type { Outbox } from '../src/pipeline/outbox.js';
import { type DeliveryBatch, type DeliveryJob, readResults } from '../src/pipeline/payloads.js';
import { type BatchResults, resultItems } from '../src/pipeline/result-items.js';
import { READS_RESULT_BATCHES, ResultWriter } from '../src/pipeline/result-writer.js';
import { result } from '../src/pipeline/results.js';

const NOW = 1_790_000_000_000;

const job = (number: number, recipient: string | null = null): DeliveryJob => ({
  deliveryKey: `key-${number}`,
  attempt: 2,
  firstAttemptAtMs: null,
  deviceId: `device-${number}`,
  recipient,
  audience: null,
});
const BATCH: DeliveryBatch = {
  appId: 'shop',
  publishId: 'p',
  provider: 'fcm',
  batchId: 'b',
  rendered: { title: 'Hi' },
  expiresAtMs: null,
  jobs: [],
};
const accepted = (count: number): BatchResults =>
  Array.from({ length: count }, (_, number) => [job(number), result('accepted', { tokenHash: 'h' })]);

const options = { nowMs: NOW, dryRun: false, maxBatchBytes: 200 * 1024 };
const readAll = (items: readonly NewItem[]) =>
  items.flatMap((item) => readResults(decodeItem(encodeItem(item))?.payload ?? {}) ?? []);

describe('resultItems', () => {
  it('encodes many results as one item that reads back as the same results', () => {
    const retry = result('retryable', { failureClass: 'provider_quota', retryAtMs: NOW + 1000 });
    const results: BatchResults = [...accepted(40), [job(99), retry]];
    const items = resultItems(BATCH, results, options);
    expect(items).toHaveLength(1);
    const single = resultItems(BATCH, results, { ...options, maxBatchBytes: null });
    expect(single).toHaveLength(41);
    const plain = (item: ReturnType<typeof readAll>[number]) => ({ ...item, rendered: null });
    expect(readAll(items).map(plain)).toEqual(readAll(single).map(plain));
    expect(readAll(items).at(-1)).toMatchObject({ rendered: { title: 'Hi' }, retryAtMs: NOW + 1000 });
  });

  it('bounds an item by the number of its results and by its bytes', () => {
    expect(resultItems(BATCH, accepted(1001), options).map((item) => readAll([item]).length)).toEqual([
      500, 500, 1,
    ]);
    const large: BatchResults = Array.from({ length: 30 }, (_, number) => [
      job(number, 'r'.repeat(20_000)),
      result('accepted'),
    ]);
    const items = resultItems(BATCH, large, options);
    expect(items.length).toBeGreaterThan(1);
    expect(readAll(items)).toHaveLength(30);
    for (const item of items) expect(Buffer.byteLength(encodeItem(item))).toBeLessThan(options.maxBatchBytes);
  });

  it('names items by their deliveries and attempts', () => {
    const [[one], [same], [other]] = [accepted(3), accepted(3), accepted(4)].map((results) =>
      resultItems(BATCH, results, options),
    ) as [NewItem[], NewItem[], NewItem[]];
    expect(messageIdOf(one as NewItem)).toBe(messageIdOf(same as NewItem));
    expect(messageIdOf(one as NewItem)).not.toBe(messageIdOf(other as NewItem));
  });
});

describe('readResults', () => {
  it('rejects an item without results and one with a malformed result', () => {
    const [item] = resultItems(BATCH, accepted(2), options);
    const payload = item?.payload ?? {};
    expect(readResults(payload)).toHaveLength(2);
    expect(readResults({ ...payload, results: [] })).toBeNull();
    expect(readResults({ ...payload, results: [null] })).toBeNull();
    expect(readResults({ ...payload, results: [{ outcome: 'accepted' }] })).toBeNull();
  });
});

const worker = (workerId: string, stages: readonly string[]) => ({
  workerId,
  stages: [...stages],
  providers: [],
  credentials: [],
  expiresMs: NOW + 30_000,
});

async function written(stages: readonly (readonly string[])[]): Promise<number> {
  const files = { exists: () => false, read: () => '' };
  const outcome = configure({ process: 'server', argv: [], env: { RUST_LOG: 'off' }, cwd: '/', files });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  const { config } = outcome;
  const store = new MemoryPushStore();
  for (const [index, each] of stages.entries()) await store.beat(worker(String(index), each));
  const items: NewItem[] = [];
  const hand = async (some: readonly NewItem[]) => void items.push(...some);
  const outbox = { maxItemBytes: options.maxBatchBytes, hand } as unknown as Outbox;
  const { metrics } = createParts(config);
  const parts = { config, store, metrics, now: () => NOW } as unknown as PushParts;
  const { signal } = new AbortController();
  await new ResultWriter(parts, outbox).write(BATCH, accepted(9), { signal, leaseMs: 1000 });
  return items.length;
}

describe('ResultWriter', () => {
  it('writes one item for many results when every live feedback worker reads that', async () => {
    const current = ['feedback', READS_RESULT_BATCHES];
    expect(await written([['planner'], current, current])).toBe(1);
  });

  it('writes one item for each result when a feedback worker of the previous release is live', async () => {
    expect(await written([['feedback', READS_RESULT_BATCHES], ['feedback']])).toBe(9);
    expect(await written([['planner']])).toBe(9);
  });
});
