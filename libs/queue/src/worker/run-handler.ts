import { errorText } from '@carillon/runtime';
import { InvalidJob } from '../failures.js';
import { MAX_JOB_BYTES, type Outcome } from '../job-store.js';
import type { Job, JobHandler } from '../port.js';

const LONGEST_DETAIL = 500;

/** Runs a handler once; resolves with the outcome. Never rejects. */
export async function runHandler(handler: JobHandler, job: Job): Promise<Outcome> {
  let running: ReturnType<JobHandler>;
  try {
    running = handler(job);
  } catch (error) {
    return failure('processor-crash', error);
  }
  try {
    const outcome = (await running) ?? { kind: 'ok' };
    mustFit(outcome);
    return outcome;
  } catch (error) {
    return failure(error instanceof Error ? 'processor-error' : 'processor-crash', error);
  }
}

/** Rejects data that could be written but not read again. */
function mustFit(outcome: Outcome): void {
  if (outcome.kind !== 'defer' || outcome.data === undefined) return;
  if (Buffer.byteLength(outcome.data, 'utf8') <= MAX_JOB_BYTES) return;
  throw new InvalidJob(`data must be at most ${MAX_JOB_BYTES} bytes`);
}

function failure(reason: 'processor-error' | 'processor-crash', error: unknown): Outcome {
  return { kind: 'retry', reason, detail: errorText(error).slice(0, LONGEST_DETAIL) };
}
