import type { Config } from '@carillon/config';
import type { Logger } from '@carillon/runtime';
import type { Settled } from './job-store.js';

export type Reliability = Config['queue']['reliability'];

/** Context of a driver. */
export interface QueueParts {
  readonly reliability: Reliability;
  readonly log: Logger;
  /** False holds consumption back, as while the process starts. Absent: true. */
  readonly mayConsume?: () => boolean;
  /** Absent: not counted. */
  readonly observer?: Partial<QueueObserver>;
}

/** Receives outcomes of jobs in this process, for metrics. Must not throw. */
export interface QueueObserver {
  /** Jobs that were to be written; those already there count as `ok`. */
  enqueued(queue: string, outcome: 'failed' | 'ok', count: number): void;
  /** Jobs handed to this process. */
  claimed(queue: string, count: number): void;
  /** A handler has run for so long, however it ended. */
  processed(queue: string, seconds: number): void;
  /** Deliveries that ended; jobs of others that were found abandoned or unreadable too. */
  settled(queue: string, outcome: Settled, count: number): void;
}
