import * as fc from 'fast-check';
import { describe, it, onTestFinished } from 'vitest';
import { MemoryStore } from '../src/drivers/memory/memory-store.js';
import { partKey, queueId } from '../src/drivers/redis/keys.js';
import { RedisStore } from '../src/drivers/redis/redis-store.js';
import type { Outcome } from '../src/job-store.js';
import { LinesModel } from './lines-model.js';
import { redisScene } from './redis-scene.js';
import { quick, recordingLog } from './scene.js';

/** What fails comes again at once, and hardly ever dies of it; leases end when a test says so. */
const RELIABILITY = quick({
  retry_base_delay_ms: 0,
  retry_max_delay_ms: 0,
  lease_duration_ms: 3_600_000,
  stalled_batch_size: 1000,
  max_attempts: 3,
});

const lines = fc.subarray(['a', 'b', 'c', 'd', 'e']);
const outcome = fc.constantFrom<Outcome[]>(
  { kind: 'ok' },
  { kind: 'ok' },
  { kind: 'defer', delayMs: 0 },
  { kind: 'defer', delayMs: 0, data: 'further' },
  { kind: 'retry', reason: 'processor-error', detail: 'why' },
  { kind: 'dead', reason: 'no' },
);
type Step = (model: LinesModel) => Promise<void>;
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.array(lines, { minLength: 1, maxLength: 5 }).map(
        (all): Step =>
          (model) =>
            model.add(all),
      ),
    },
    {
      weight: 4,
      arbitrary: fc.integer({ min: 1, max: 9 }).map(
        (most): Step =>
          (model) =>
            model.claim(most),
      ),
    },
    {
      weight: 6,
      arbitrary: fc.tuple(fc.nat({ max: 6 }), outcome).map(
        ([which, what]): Step =>
          (model) =>
            model.settle(which, what),
      ),
    },
    { weight: 1, arbitrary: fc.constant<Step>((model) => model.lose()) },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 1, max: 3 }).map(
        (most): Step =>
          (model) =>
            model.replay(most),
      ),
    },
  ),
  { maxLength: 60, size: 'max' },
);

async function holds(open: (queue: string) => LinesModel, numRuns: number): Promise<void> {
  let round = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const model = open(`round ${round++}`);
      for (const step of taken) await step(model);
      await model.finish();
    }),
    { numRuns },
  );
}

describe('jobs of one line come in order, never two at once, and nobody else waits for them', () => {
  it('in memory, whatever is done with them', async () => {
    await holds(
      (queue) => new LinesModel(new MemoryStore(RELIABILITY, recordingLog().log), queue, null),
      300,
    );
  });

  it('in Redis, whatever is done with them and whoever is killed', async () => {
    const scene = await redisScene('redis');
    const link = await scene.link();
    const store = new RedisStore({
      prefix: scene.prefix,
      reliability: RELIABILITY,
      open: () => scene.link(),
      log: recordingLog().log,
    });
    await store.connect();
    onTestFinished(() => store.close());
    await holds((queue) => {
      const active = partKey(scene.prefix, queueId(queue), 'active');
      return new LinesModel(store, queue, async () => {
        const running = (await link.call('zrange', active, 0, -1)) as string[];
        for (const id of running) await link.call('zadd', active, 1, id);
      });
    }, 200);
  });
});
