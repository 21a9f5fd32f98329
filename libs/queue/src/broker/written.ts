import { BatchIncomplete } from '../failures.js';
import type { PreparedJob } from '../job-store.js';

/**
 * Writes jobs individually and concurrently; resolves with their ids. Rejects with the error if none was written,
 * else with `BatchIncomplete`.
 */
export async function written(
  jobs: readonly PreparedJob[],
  write: (job: PreparedJob) => Promise<void>,
): Promise<string[]> {
  const outcomes = await Promise.allSettled(jobs.map(write));
  const failures = outcomes.flatMap((outcome, index) =>
    outcome.status === 'rejected' ? [{ index, error: asError(outcome.reason) }] : [],
  );
  const [first] = failures;
  if (first === undefined) return jobs.map(({ id }) => id);
  if (failures.length === jobs.length) throw first.error;
  const failed = new Set(failures.map(({ index }) => index));
  throw new BatchIncomplete(
    jobs.map(({ id }, index) => (failed.has(index) ? null : id)),
    failures,
  );
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error('not written'));
