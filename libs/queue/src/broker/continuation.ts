import type { ClaimedJob, Outcome } from '../job-store.js';
import type { Reliability } from '../options.js';
import { retryDelayMs } from '../retry-delay.js';
import { copyOf, deathOf } from './delivered.js';
import { encodeJob, type Death, type Envelope } from './envelope.js';

/**
 * Continuation of a job after a delivery at a broker without delayed redelivery: none, as a copy, or as a dead
 * letter.
 */
export type Continuation =
  | { readonly settled: 'ok' }
  | { readonly settled: 'deferred' | 'retry'; readonly copy: Envelope }
  | { readonly settled: 'dead'; readonly text: string; readonly death: Death };

export function continuationOf(job: ClaimedJob, outcome: Outcome, reliability: Reliability): Continuation {
  switch (outcome.kind) {
    case 'ok':
      return { settled: 'ok' };
    case 'defer': {
      const attempts = outcome.data === undefined ? job.attempt - 1 : 0;
      return { settled: 'deferred', copy: copyOf(job, attempts, outcome.delayMs, outcome.data) };
    }
    case 'dead':
    case 'retry': {
      const death = deathOf(job, outcome);
      if (death !== null) return { settled: 'dead', text: encodeJob(copyOf(job, 0)), death };
      const waitMs = retryDelayMs(job.id, job.attempt, reliability);
      return { settled: 'retry', copy: copyOf(job, job.attempt, waitMs) };
    }
    default:
      return outcome satisfies never;
  }
}
