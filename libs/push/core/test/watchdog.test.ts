import { configure } from '@carillon/config';
import { MemoryPushStore, type Claim, type PublishState, type StoredPublish } from '@carillon/push-store';
import { createParts } from '@carillon/runtime';
import { beforeEach, describe, expect, it } from 'vitest';
import { NO_COUNTS } from '../src/pipeline/lifecycle.js';
import type { PushParts } from '../src/parts.js';
import { Secrets } from '../src/secrets.js';
import { Watchdog } from '../src/upkeep/watchdog.js';

const HOUR_MS = 3_600_000;
const BEGAN_MS = 1_790_000_000_000;
const config = defaults();
const STALE_MS = config.push.retry.max_elapsed_secs * 1000 + HOUR_MS + 1;

function defaults() {
  const files = { exists: () => false, read: () => '' };
  const outcome = configure({
    process: 'server',
    argv: [],
    env: { RUST_LOG: 'off' },
    cwd: '/nowhere',
    files,
  });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  return outcome.config;
}

describe('the watchdog', () => {
  let store: MemoryPushStore;
  let nowMs: number;
  let dog: Watchdog;
  beforeEach(async () => {
    store = new MemoryPushStore();
    nowMs = BEGAN_MS;
    const { logging, metrics } = createParts(config);
    const log = logging.for('test');
    // Dependencies that the watchdog does not use are missing.
    const parts = { config, store, secrets: new Secrets(null), log, meta: log, metrics, now: () => nowMs };
    dog = new Watchdog(parts as unknown as PushParts);
    await dog.run();
  });

  async function stale(state: PublishState, planningComplete: boolean, claims: readonly Partial<Claim>[]) {
    const publish: StoredPublish = {
      appId: 'shop',
      publishId: 'p',
      state,
      counters: {
        ...NO_COUNTS,
        planned: claims.length,
        succeeded: claims.filter((one) => one.state === 'done').length,
      },
      planningComplete,
      fanoutRegime: 'fastPath',
      retryAfterMs: null,
      errorReason: null,
      createdMs: BEGAN_MS,
      updatedMs: BEGAN_MS,
    };
    await store.admit({ publish, log: null, idempotency: [], dueMs: null });
    const rows = claims.map((more, index): Claim => ({
      appId: 'shop',
      publishId: 'p',
      deliveryKey: `k${String(index).padStart(5, '0')}`,
      provider: 'fcm',
      deviceId: 'd',
      batchId: 'b',
      state: 'planned',
      attempt: 1,
      leaseUntilMs: null,
      outcome: null,
      firstAttemptMs: null,
      updatedMs: BEGAN_MS,
      ...more,
    }));
    await store.plan('shop', 'p', rows);
    nowMs = BEGAN_MS + STALE_MS;
  }

  const closed = async () => {
    await dog.run();
    return store.publish('shop', 'p');
  };
  const DONE = { state: 'done', outcome: 'accepted' } as const;

  it('closes a publish whose results never came, however many they are, and says why once', async () => {
    await stale('dispatching', true, [DONE, ...Array.from({ length: 2500 }, () => ({}))]);
    expect(await closed()).toMatchObject({
      state: 'partiallySucceeded',
      errorReason: 'delivery results incomplete',
      counters: { planned: 2501, succeeded: 1, deadLettered: 2500 },
    });
    expect(await store.openClaims('shop', 'p', null, 10)).toEqual([]);
    expect(await store.deadLetters('shop', {}, null, 10)).toHaveLength(1);
  });

  it('waits for what is in somebody’s hands', async () => {
    await stale('throttled', true, [{ state: 'retry', leaseUntilMs: BEGAN_MS + STALE_MS + 1 }]);
    expect(await closed()).toMatchObject({ state: 'throttled' });
    nowMs += 2;
    expect(await closed()).toMatchObject({ state: 'dead_lettered' });
  });

  it('leaves alone what nobody has begun to plan: that is planned however late', async () => {
    await stale('queued', false, []);
    expect(await closed()).toMatchObject({ state: 'queued' });
  });

  it('does not call a success what was never planned to its end', async () => {
    await stale('planning', false, []);
    expect(await closed()).toMatchObject({
      state: 'failed',
      planningComplete: true,
      counters: { planned: 0 },
    });
  });

  it('says of what was sent of it that it is a part', async () => {
    await stale('dispatching', false, [DONE]);
    expect(await closed()).toMatchObject({ state: 'partiallySucceeded', counters: { planned: 1 } });
  });

  it('gives the repair its chance first after nobody worked for long', async () => {
    await stale('dispatching', true, [{}]);
    const { logging } = createParts(config);
    const log = logging.for('test');
    const parts = { config, store, secrets: new Secrets(null), log, meta: log, now: () => nowMs };
    dog = new Watchdog(parts as unknown as PushParts);
    expect(await closed()).toMatchObject({ state: 'dispatching' });
    nowMs += 600_000;
    expect(await closed()).toMatchObject({ state: 'dead_lettered' });
  });
});
