import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Job } from '../../src/client/job.js';
import { OpenJobs } from '../../src/client/open-jobs.js';
import { rejected } from '../../src/evaluate/answers.js';
import { ManualClock } from '../manual-clock.js';
import { publishOf } from '../samples.js';

const BUDGET_MS = 100;

const jobOf = (records: number, deadlineMs: number): Job =>
  new Job(
    Array.from({ length: records }, () => publishOf('c', 'x')),
    { chain: true, bytes: 0, deadlineMs },
  );

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('add' as const), records: fc.nat({ max: 3 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('answer' as const), which: fc.nat(), isAgain: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat({ max: 60 }) }) },
);

describe('requests without an answer', () => {
  it('are each settled once: by their answer, or by their deadline', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 100, maxLength: 400 }), async (steps) => {
        const clock = new ManualClock();
        const open = new OpenJobs(clock);
        const jobs: { readonly job: Job; answeredMs: number | null }[] = [];
        for (const one of steps) {
          if (one.kind === 'add') {
            const job = jobOf(one.records + 1, clock.elapsed() + BUDGET_MS);
            expect(open.add(job)).toBe(true);
            jobs.push({ job, answeredMs: null });
          } else if (one.kind === 'answer') {
            // One that comes twice, or too late, changes nothing.
            const meant = jobs.filter(({ job }) => job.settled === one.isAgain);
            const known = meant[one.which % Math.max(1, meant.length)];
            if (known === undefined) continue;
            if (!known.job.settled) known.answeredMs = clock.elapsed();
            open.answer(known.job, (pubId) => rejected(pubId, 'conflict'));
          } else await clock.pass(one.ms);
          // One expectation for all: hundreds of jobs are looked at after hundreds of steps.
          const isToBe = ({ job, answeredMs }: (typeof jobs)[number]) =>
            answeredMs !== null || job.deadlineMs <= clock.elapsed();
          expect(jobs.filter((one_) => one_.job.settled !== isToBe(one_))).toEqual([]);
        }
        await clock.pass(BUDGET_MS);
        for (const { job, answeredMs } of jobs) {
          const late = ['service_unavailable', 'the history has not confirmed it in time'] as const;
          const [code, text] = answeredMs === null ? late : (['conflict', undefined] as const);
          expect(await job.done).toEqual(job.records.map(({ pub_id: pubId }) => rejected(pubId, code, text)));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('are 4096 records at most, and room is made by every answer', async () => {
    const open = new OpenJobs(new ManualClock());
    const jobs = Array.from({ length: 4096 }, () => jobOf(1, BUDGET_MS));
    expect(jobs.map((job) => open.add(job))).not.toContain(false);
    const refused = jobOf(1, BUDGET_MS);
    expect(open.add(refused)).toBe(false);
    expect(await refused.done).toMatchObject([{ status: 'rejected', code: 'backpressure' }]);
    for (const job of jobs.slice(1000, 1010)) open.fail(job, 'conflict');
    expect(open.add(jobOf(10, BUDGET_MS))).toBe(true);
    expect(open.add(jobOf(1, BUDGET_MS))).toBe(false);
  });
});
