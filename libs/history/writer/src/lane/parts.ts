import type { HistoryStore } from '@carillon/history-store';
import type { Clock } from '../clock.js';
import type { CommitLoop } from './commit-loop.js';
import type { FanOut } from './fan-out.js';
import type { LaneEvents } from './loop-parts.js';

/** Dependencies of a lane. */
export interface LaneParts {
  /** For everything but commits. */
  readonly store: HistoryStore;
  /** The one of the process, which commits for all its lanes. */
  readonly loop: CommitLoop;
  readonly clock: Clock;
  readonly fanOut: FanOut;
  readonly events: LaneEvents;
}

export interface LaneOptions {
  readonly lane: number;
  /** Number of lanes. */
  readonly lanes: number;
  readonly writerId: string;
  /** Limit of waiting records; more are refused. */
  readonly queueCapacity: number;
}
