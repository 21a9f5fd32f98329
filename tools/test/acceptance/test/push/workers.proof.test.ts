import { whyMissing } from '@carillon/test-backends';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.js';
import { PushFleet, WORKERS } from '../harness/push-fleet.js';

const PHONES = Array.from({ length: 30 }, (_, index) => `phone-${index}`);
const BROWSERS = Array.from({ length: 10 }, (_, index) => `browser-${index}`);
const ALL = [...PHONES, ...BROWSERS];
const CHANNEL = 'offers';
/** Others in each run, beginning with that of the run. */
const FIRST_SEED = Number(process.env['CARILLON_SEED'] ?? 1);
const SEEDS = Array.from({ length: 10 }, (_, index) => FIRST_SEED + index);

const BRISK = {
  PUSH_DISPATCH_MAX_OUTBOUND_REQUESTS: '4',
  // In shards, though they are few.
  PUSH_FANOUT_FAST_THRESHOLD: '20',
  PUSH_CHANNEL_SHARD_COUNT: '4',
  PUSH_RETRY_INITIAL_BACKOFF_MS: '20',
  PUSH_RETRY_MAX_BACKOFF_MS: '100',
  PUSH_RETRY_MAX_ATTEMPTS: '50',
  PUSH_FAILURE_THRESHOLD: '1000',
  PUSH_REPAIR_INTERVAL_SECS: '1',
  PUSH_REPAIR_MIN_AGE_SECS: '2',
  PUSH_SCHEDULER_INTERVAL_SECS: '1',
  // So few that what an outage uses up shows.
  QUEUE_MAX_ATTEMPTS: '2',
  QUEUE_RETRY_BASE_DELAY_MS: '50',
};

type Below = (bound: number) => number;

/** Whole numbers below the bound, the same for the same seed. */
function numbersOf(seed: number): Below {
  let state = seed * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0;
    return (state >>> 0) % below;
  };
}

interface Fault {
  readonly name: string;
  /** Whether what a cloud answered may be sent again: who heard the answer died, or what it was written into is gone. */
  readonly mayRepeat: boolean;
  strike(fleet: PushFleet, below: Below): Promise<void>;
}

const FAULTS: readonly Fault[] = [
  ...WORKERS.map((worker) => ({
    name: `${worker} is killed`,
    mayRepeat: worker === 'push-dispatch',
    strike: (fleet: PushFleet, below: Below) => fleet.kill(worker, below(500)),
  })),
  {
    name: 'two workers are killed',
    mayRepeat: true,
    async strike(fleet, below) {
      await fleet.kill(WORKERS[below(3)] ?? 'push-planner');
      await fleet.kill(WORKERS[below(3)] ?? 'push-feedback');
    },
  },
  {
    name: 'the database is killed',
    mayRepeat: false,
    strike: (fleet, below) => fleet.kill('database', below(2000)),
  },
  {
    name: 'the queue is killed and comes back empty',
    mayRepeat: true,
    strike: (fleet, below) => fleet.kill('redis', below(1000)),
  },
  {
    name: 'the clouds end connections in the middle of a batch',
    mayRepeat: false,
    async strike(fleet, below) {
      await fleet.answers('fcm', { act: 'drop' }, below(40) + 10);
      await fleet.answers('webpush', { act: 'drop' }, below(10) + 2);
    },
  },
];

const missing = whyMissing('push-clouds') ?? whyMissing('postgres') ?? whyMissing('redis');

describe.runIf(missing === null)('an accepted push is lost nowhere', { timeout: 120_000 }, () => {
  let fleet: PushFleet;

  beforeAll(async () => {
    fleet = await PushFleet.open(BRISK, true);
    await fleet.startAll();
    for (const phone of PHONES) await fleet.register(phone, CHANNEL, 'gcm');
    for (const browser of BROWSERS) await fleet.register(browser, CHANNEL, 'web');
  });
  afterAll(() => fleet.close());

  /** Publishes are soon well, though nobody waits ten minutes for what was lost. */
  async function end(publishIds: readonly string[]): Promise<void> {
    const { length } = ALL;
    const counters = {
      planned: length,
      dispatched: length,
      succeeded: length,
      failed: 0,
      expired: 0,
      deadLettered: 0,
    };
    const well = { state: 'succeeded', counters: expect.objectContaining(counters) };
    await eventually(async () => {
      await fleet.minutesPass(8000);
      for (const publishId of publishIds) {
        expect([publishId, await fleet.status(publishId)]).toEqual([
          publishId,
          expect.objectContaining(well),
        ]);
      }
    }, 80_000);
    expect(await fleet.rows(`select delivery_key from push_deliveries where state <> 'done'`)).toEqual([]);
  }

  describe.each(FAULTS)('when $name', ({ name, mayRepeat, strike }) => {
    it.each(SEEDS)('(seed %i)', async (seed) => {
      const below = numbersOf(seed + name.length * 100);
      const publishIds = Array.from(
        { length: 3 },
        (_, index) => `${name.replaceAll(' ', '-')}-${seed}-${index}`,
      );
      await fleet.forgetTold();
      await fleet.answers('fcm', { act: 'drop' }, below(4) + 1);
      const striking = (async () => {
        await new Promise((later) => void setTimeout(later, below(400)));
        await strike(fleet, below);
      })();
      for (const publishId of publishIds) {
        await fleet.publish(publishId, CHANNEL);
        await new Promise((later) => void setTimeout(later, below(200)));
      }
      await striking;
      await end(publishIds);
      const told = await fleet.told();
      for (const device of ALL) {
        const times = told.get(device)?.answered ?? 0;
        const isRight = mayRepeat ? times >= publishIds.length : times === publishIds.length;
        expect([device, times]).toEqual([device, isRight ? times : publishIds.length]);
      }
    });
  });
});
