import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MemoryStore } from '../src/drivers/memory/memory-store.js';
import { keyPrefix } from '../src/drivers/redis/keys.js';
import { RedisStore } from '../src/drivers/redis/redis-store.js';
import { JobConflict } from '../src/index.js';
import type { ClaimedJob, JobStore, Outcome, PreparedJob } from '../src/job-store.js';
import { redisScene } from './redis-scene.js';
import { quick, recordingLog } from './scene.js';

/** Delays are so long that delayed jobs never become due. */
const RELIABILITY = quick({
  retry_base_delay_ms: 3_600_000,
  retry_max_delay_ms: 3_600_000,
  lease_duration_ms: 3_600_000,
  max_attempts: 2,
  failed_retention: 3,
  completed_retention: 2,
});
const IDS = ['a', 'b', 'c', 'd', 'e'];

const job: fc.Arbitrary<PreparedJob> = fc.record({
  id: fc.constantFrom(...IDS),
  stableId: fc.constant(true),
  data: fc.constantFrom('x', 'y'),
  delayMs: fc.constantFrom(0, 0, 0, 3_600_000),
  deduplicationKey: fc.constantFrom(null, null, null, 'one', 'two'),
  maxAttempts: fc.constantFrom(null, 1, 3),
});
const outcome: fc.Arbitrary<Outcome> = fc.constantFrom<Outcome[]>(
  { kind: 'ok' },
  { kind: 'defer', delayMs: 0 },
  { kind: 'defer', delayMs: 3_600_000 },
  { kind: 'defer', delayMs: 0, data: 'further' },
  { kind: 'retry', reason: 'processor-error', detail: 'why' },
  { kind: 'dead', reason: 'no' },
);
const which = fc.nat({ max: 5 });
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      jobs: fc.array(job, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('claim' as const), limit: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('settle' as const), which, outcome }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('release' as const),
      begun: fc.array(fc.boolean(), { maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('replay' as const), limit: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), ids: fc.subarray(IDS) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** One store and every job ever claimed, settled or not: late settlements must have no effect. */
class Run {
  readonly #claimed: ClaimedJob[] = [];
  #tokens = 0;

  constructor(
    private readonly store: JobStore,
    private readonly queue: string,
  ) {}

  async take(step: Step): Promise<unknown> {
    const { store, queue } = this;
    switch (step.kind) {
      case 'add':
        return store.add(queue, step.jobs).catch((error: unknown) => {
          if (error instanceof JobConflict) return `conflict ${error.jobId}`;
          throw error;
        });
      case 'claim': {
        const { jobs, retried, dead } = await store.claim(queue, `token ${this.#tokens++}`, step.limit);
        this.#claimed.push(...jobs);
        return { retried, dead, jobs: jobs.map((job) => ({ ...job, enqueuedAtMs: null })) };
      }
      case 'settle': {
        const claimed = this.#claimed.at(-1 - step.which);
        return claimed === undefined ? null : store.settle(queue, claimed, step.outcome);
      }
      case 'release':
        return store.release(
          queue,
          this.#claimed
            .slice(-step.begun.length || Infinity)
            .map((job, n) => ({ job, begun: step.begun[n] ?? false })),
        );
      case 'replay':
        return store.replayDeadLetters(queue, step.limit);
      case 'remove':
        return store.removeDeadLetters(queue, step.ids);
      default:
        return step satisfies never;
    }
  }

  async look(): Promise<unknown> {
    const { oldestReadyAgeMs, oldestActiveAgeMs, ...counts } = await this.store.stats(this.queue);
    const letters = await this.store.listDeadLetters(this.queue, 10);
    const events = await this.store.listEvents(this.queue, 1000);
    return {
      ...counts,
      someReady: oldestReadyAgeMs !== null,
      someActive: oldestActiveAgeMs !== null,
      letters: letters.map((letter) => ({ ...letter, enqueuedAtMs: null, failedAtMs: null })),
      events: events.map(({ event, jobId }) => `${event} ${jobId}`),
    };
  }
}

describe('jobs in memory and jobs in Redis', () => {
  it('take the same ways, in the same order, whatever is done with them', { timeout: 120_000 }, async () => {
    const scene = await redisScene('redis');
    const redis = new RedisStore({
      prefix: keyPrefix(scene.prefix),
      reliability: RELIABILITY,
      open: () => scene.link(),
      log: recordingLog().log,
    });
    await redis.connect();
    onTestFinished(() => redis.close());
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        const queue = `round ${round++}`;
        const one = new Run(new MemoryStore(RELIABILITY, recordingLog().log), queue);
        const other = new Run(redis, queue);
        for (const next of steps) {
          expect(await other.take(next)).toEqual(await one.take(next));
          expect(await other.look()).toEqual(await one.look());
        }
      }),
      { numRuns: process.env['CARILLON_PROOF'] === 'true' ? 300 : 60 },
    );
  });
});
