import { describe, expect, it } from 'vitest';
import { type PurgeRequest, type PurgeStep, PurgeWorker } from '../src/index.js';

const STEP: PurgeStep = { evicted: [], removed: 40, more: true };

/** A worker over a store with scripted steps and a manual clock. */
function workerOn(
  steps: (PurgeStep | null | Error)[],
  options: { maxPerTick?: number; intervalMs?: number } = {},
) {
  const asked: PurgeRequest[] = [];
  const waits: number[] = [];
  const failures: unknown[] = [];
  const surveys: unknown[] = [];
  let wake: (() => void) | undefined;
  const worker = new PurgeWorker(
    {
      store: {
        purge: async (request) => {
          asked.push(request);
          const next = steps.length > 0 ? steps.shift() : undefined;
          if (next === undefined) return { evicted: [], removed: 0, more: false };
          if (next instanceof Error) throw next;
          return next;
        },
        survey: async () => [],
      },
      now: () => 5,
      pause: (ms, signal) => {
        waits.push(ms);
        return new Promise((done) => {
          wake = done;
          signal.addEventListener('abort', () => done());
        });
      },
      onEvicted: () => {},
      onSurvey: (survey) => surveys.push(survey),
      onFailure: (error) => failures.push(error),
    },
    { intervalMs: 300_000, batch: 10, maxPerTick: 100, receiptsKeptMs: 7, windowMs: 9, ...options },
  );
  return { worker, asked, waits, failures, surveys, wake: () => wake?.() };
}

const settled = () => new Promise((done) => setImmediate(done));

describe('a purge worker', () => {
  it('goes on until nothing is left', async () => {
    const { worker, asked, surveys } = workerOn([STEP, STEP]);
    expect(await worker.tick()).toBe(80);
    expect(asked).toHaveLength(3);
    expect(asked[0]).toEqual({ nowMs: 5, batch: 10, receiptsKeptMs: 7, windowMs: 9 });
    expect(surveys).toHaveLength(1);
  });

  it('ends a tick that has removed enough, or that failed, or that another process has', async () => {
    const { worker, asked } = workerOn([STEP, STEP, STEP, STEP]);
    expect(await worker.tick()).toBe(120);
    expect(asked).toHaveLength(3);
    const failing = workerOn([STEP, new Error('gone'), STEP]);
    expect(await failing.worker.tick()).toBe(40);
    expect(failing.failures).toHaveLength(1);
    const elsewhere = workerOn([null, STEP]);
    expect(await elsewhere.worker.tick()).toBe(0);
    expect(elsewhere.surveys).toEqual([]);
  });

  it('ticks at once and then every interval, at least 10 s apart, until it is stopped', async () => {
    const { worker, asked, waits, wake } = workerOn([], { intervalMs: 3000 });
    worker.start();
    worker.start();
    await settled();
    expect([asked.length, waits]).toEqual([1, [10_000]]);
    wake();
    await settled();
    expect([asked.length, waits]).toEqual([2, [10_000, 10_000]]);
    await worker.stop();
    expect(asked).toHaveLength(2);
    const slow = workerOn([], { intervalMs: 20_000 });
    slow.worker.start();
    await settled();
    expect(slow.waits).toEqual([20_000]);
    await slow.worker.stop();
  });

  it('trims what is over the caps every 30 s between ticks that are further apart', async () => {
    const { worker, asked, waits, wake, surveys } = workerOn([], { intervalMs: 70_000 });
    worker.start();
    for (let round = 0; round < 4; round += 1) {
      await settled();
      wake();
    }
    await settled();
    expect(waits).toEqual([30_000, 30_000, 10_000, 30_000, 30_000]);
    expect(asked.map(({ onlyCapped = false }) => onlyCapped)).toEqual([false, true, true, false, true]);
    expect(surveys).toHaveLength(2);
    await worker.stop();
  });
});
