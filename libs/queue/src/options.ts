import type { Config } from '@carillon/config';
import type { Logger } from '@carillon/runtime';

export type Reliability = Config['queue']['reliability'];

/** What a driver is told of its surroundings. */
export interface QueueParts {
  readonly reliability: Reliability;
  readonly log: Logger;
  /** False holds consumption back, as while the process starts. Absent: true. */
  readonly mayConsume?: () => boolean;
  /** Told of every delivery that was settled, and of jobs found abandoned. Must not throw. */
  readonly onSettled?: (queue: string, outcome: 'ok' | 'retry' | 'dead', count: number) => void;
}
