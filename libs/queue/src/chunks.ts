import { MAX_BYTES, type PreparedJob } from './job-store.js';

/** A part of a batch, and where it begins. */
export interface Chunk {
  readonly start: number;
  readonly jobs: readonly PreparedJob[];
}

/**
 * Divides a batch into chunks of at most `mostJobs` jobs and bounded size; a single larger job is a chunk of its own.
 */
export function* chunks(jobs: readonly PreparedJob[], mostJobs: number): Generator<Chunk> {
  let start = 0;
  let bytes = 0;
  for (const [index, job] of jobs.entries()) {
    const size = Buffer.byteLength(job.data, 'utf8');
    const isFull = index - start === mostJobs || bytes + size > MAX_BYTES;
    if (index > start && isFull) {
      yield { start, jobs: jobs.slice(start, index) };
      start = index;
      bytes = 0;
    }
    bytes += size;
  }
  if (start < jobs.length) yield { start, jobs: jobs.slice(start) };
}
