import { errorText } from '@carillon/runtime';
import type { Outcome } from '../job-store.js';
import type { Job, JobHandler } from '../port.js';

const LONGEST_DETAIL = 500;

/** Runs a handler once and says what became of it. Never rejects. */
export async function runHandler(handler: JobHandler, job: Job): Promise<Outcome> {
  let running: ReturnType<JobHandler>;
  try {
    running = handler(job);
  } catch (error) {
    return failure('processor-crash', error);
  }
  try {
    return (await running) ?? { kind: 'ok' };
  } catch (error) {
    return failure(error instanceof Error ? 'processor-error' : 'processor-crash', error);
  }
}

function failure(reason: 'processor-error' | 'processor-crash', error: unknown): Outcome {
  return { kind: 'retry', reason, detail: errorText(error).slice(0, LONGEST_DETAIL) };
}
