import { configure } from '@carillon/config';
import { MemoryPushStore } from '@carillon/push-store';
import { createParts } from '@carillon/runtime';
import { describe, expect, it } from 'vitest';
import type { PushParts } from '../src/parts.js';
import type { NewItem } from '../src/pipeline/items.js';
import { NO_COUNTS } from '../src/pipeline/lifecycle.js';
import type { Outbox } from '../src/pipeline/outbox.js';
import type { DeliveryBatch, RetryEntry } from '../src/pipeline/payloads.js';
import { Retrier } from '../src/pipeline/retrier.js';
import { Secrets } from '../src/secrets.js';

const NOW = 1_790_000_000_000;

const entry = (number: number, more: Partial<RetryEntry> = {}): RetryEntry => ({
  appId: 'shop',
  publishId: 'p',
  provider: 'fcm',
  batchId: 't0-s0-fcm-0',
  rendered: { message: {} },
  expiresAtMs: null,
  job: {
    deliveryKey: `key-${number}`,
    attempt: 2,
    firstAttemptAtMs: NOW - 1000,
    deviceId: `device-${number}`,
    recipient: null,
    audience: null,
  },
  retryKey: `retry:${number}`,
  firstAttemptAtMs: NOW - 1000,
  nextAttemptAtMs: NOW,
  maxAttempts: 5,
  ...more,
});

async function retrierWith(maxItemBytes: number) {
  const files = { exists: () => false, read: () => '' };
  const outcome = configure({ process: 'server', argv: [], env: { RUST_LOG: 'off' }, cwd: '/', files });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  const { config } = outcome;
  const { logging, metrics } = createParts(config);
  const log = logging.for('test');
  const store = new MemoryPushStore();
  const publish = {
    appId: 'shop',
    publishId: 'p',
    state: 'dispatching',
    counters: NO_COUNTS,
    planningComplete: false,
    fanoutRegime: 'fastPath',
    retryAfterMs: null,
    errorReason: null,
    createdMs: NOW,
    updatedMs: NOW,
  } as const;
  await store.admit({ publish, log: null, idempotency: [], dueMs: null });
  const handed: DeliveryBatch[] = [];
  const outbox = {
    maxItemBytes,
    hand: async (items: readonly NewItem[]) => {
      for (const { payload } of items) handed.push(payload as unknown as DeliveryBatch);
    },
  };
  const parts = { config, store, secrets: new Secrets(null), log, meta: log, metrics, now: () => NOW };
  const retrier = new Retrier(parts as unknown as PushParts, outbox as unknown as Outbox);
  const attempted = async () => (await store.publish('shop', 'p'))?.counters.retryAttempted;
  return { retrier, handed, attempted };
}

const entries = (count: number): RetryEntry[] => Array.from({ length: count }, (_, number) => entry(number));
const keysOf = (batches: readonly DeliveryBatch[]): string[] =>
  batches.flatMap(({ jobs }) => jobs.map(({ deliveryKey }) => deliveryKey));

describe('Retrier', () => {
  it('puts attempts of a publish that are due together into one batch, and counts each once', async () => {
    const { retrier, handed, attempted } = await retrierWith(200 * 1024);
    await Promise.all(entries(200).map((one) => retrier.retry(one)));
    expect(handed).toHaveLength(1);
    expect(new Set(keysOf(handed)).size).toBe(200);
    expect(await attempted()).toBe(200);
    await Promise.all(entries(200).map((one) => retrier.retry(one)));
    expect(handed).toHaveLength(1);
    expect(await attempted()).toBe(200);
  });

  it('splits a batch when it is larger than an item of the queue', async () => {
    const { retrier, handed } = await retrierWith(8 * 1024);
    await Promise.all(entries(100).map((one) => retrier.retry(one)));
    expect(handed.length).toBeGreaterThan(1);
    expect(keysOf(handed)).toHaveLength(100);
    expect(new Set(handed.map(({ batchId }) => batchId)).size).toBe(handed.length);
    for (const batch of handed) expect(JSON.stringify(batch).length).toBeLessThan(8 * 1024);
  });

  it('keeps attempts apart whose payloads or expiries differ', async () => {
    const { retrier, handed } = await retrierWith(200 * 1024);
    const others = [
      entry(1, { rendered: { message: { data: {} } } }),
      entry(2, { expiresAtMs: NOW + 1000 }),
      entry(3, { provider: 'apns' }),
    ];
    await Promise.all([entry(0), ...others].map((one) => retrier.retry(one)));
    expect(handed.map(({ jobs }) => jobs.length)).toEqual([1, 1, 1, 1]);
  });

  it('ends exhausted attempts and repeats the others of the same batch', async () => {
    const { retrier, handed } = await retrierWith(200 * 1024);
    await Promise.all([entry(0), entry(1, { maxAttempts: 1 })].map((one) => retrier.retry(one)));
    expect(keysOf(handed)).toEqual(['key-0']);
  });
});
