import { whyMissing } from '@carillon/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.js';
import { PushFleet, type WorkerName, WORKERS } from '../harness/push-fleet.js';

const PHONES = Array.from({ length: 30 }, (_, index) => `phone-${index}`);
const BROWSERS = Array.from({ length: 10 }, (_, index) => `browser-${index}`);
const ALL = [...PHONES, ...BROWSERS];
const CHANNEL = 'offers';
const SEEDS = Array.from({ length: 10 }, (_, index) => index + 1);

const BRISK = {
  PUSH_DISPATCH_MAX_OUTBOUND_REQUESTS: '4',
  PUSH_RETRY_INITIAL_BACKOFF_MS: '20',
  PUSH_RETRY_MAX_BACKOFF_MS: '100',
  PUSH_RETRY_MAX_ATTEMPTS: '50',
  PUSH_FAILURE_THRESHOLD: '1000',
  PUSH_REPAIR_INTERVAL_SECS: '1',
  PUSH_REPAIR_MIN_AGE_SECS: '2',
  PUSH_SCHEDULER_INTERVAL_SECS: '1',
};

/** Whole numbers below the bound, the same for the same seed. */
function numbersOf(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0;
    return (state >>> 0) % below;
  };
}

const missing = whyMissing('push-clouds') ?? whyMissing('postgres') ?? whyMissing('redis');

describe.runIf(missing === null)('push workers that die at any moment', { timeout: 120_000 }, () => {
  let fleet: PushFleet;
  let published = 0;

  beforeAll(async () => {
    fleet = await PushFleet.open(BRISK, true);
    await fleet.startAll();
    for (const phone of PHONES) await fleet.register(phone, CHANNEL, 'gcm');
    for (const browser of BROWSERS) await fleet.register(browser, CHANNEL, 'web');
  }, 90_000);
  afterAll(() => fleet.close());

  /** Publishes that soon are well, though ten minutes are over in a second. */
  async function allArrive(publishIds: readonly string[]): Promise<void> {
    await eventually(async () => {
      await fleet.minutesPass();
      for (const publishId of publishIds) {
        const { length } = ALL;
        expect([publishId, await fleet.status(publishId)]).toEqual([
          publishId,
          expect.objectContaining({
            state: 'succeeded',
            counters: expect.objectContaining({
              planned: length,
              dispatched: length,
              succeeded: length,
              failed: 0,
            }),
          }),
        ]);
      }
    }, 60_000);
    published += publishIds.length;
    const told = await fleet.told();
    for (const device of ALL) {
      expect([device, told.get(device)?.answered ?? 0]).toEqual([
        device,
        expect.toSatisfy((n) => n >= published),
      ]);
    }
    expect(await fleet.rows(`select delivery_key from push_deliveries where state <> 'done'`)).toEqual([]);
  }

  async function kill(worker: WorkerName): Promise<void> {
    await fleet.node(worker).process.kill('SIGKILL');
    await fleet.start(worker);
  }

  it.each(SEEDS)('lose nothing (seed %i)', async (seed) => {
    const below = numbersOf(seed);
    const publishIds = Array.from({ length: 3 }, (_, index) => `s${seed}-${index}`);
    await fleet.answers('fcm', { act: 'drop' }, below(4) + 1);
    const dying = (async () => {
      const first = WORKERS[below(3)] ?? 'push-planner';
      await new Promise((later) => void setTimeout(later, below(400)));
      await kill(first);
      await kill(WORKERS[below(3)] ?? 'push-feedback');
    })();
    for (const publishId of publishIds) {
      await fleet.publish(publishId, CHANNEL);
      await new Promise((later) => void setTimeout(later, below(200)));
    }
    await dying;
    await allArrive(publishIds);
  });

  it('lose nothing when the queue is killed and comes back empty', async () => {
    const publishIds = ['before', 'after'];
    await fleet.publish(publishIds[0] ?? '', CHANNEL);
    await fleet.redis.kill();
    // The system may take a moment to forget the process that was killed.
    await eventually(() => fleet.redis.restart(), 20_000);
    await fleet.publish(publishIds[1] ?? '', CHANNEL);
    await allArrive(publishIds);
  });
});
