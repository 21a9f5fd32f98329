import { DatabaseUnavailable } from '../failures.js';
import { ACQUIRE_TIMEOUT_MS } from '../limits.js';

/** Calls that may pass one that can wait. */
const MAX_AHEAD = 8;

interface Call {
  readonly begin: () => void;
  readonly timer: NodeJS.Timeout;
}

/** The calls of one user of the engine that wait. */
export interface EngineLane {
  /** Calls of other users go first, except that one of these runs after every eighth. */
  readonly isDeferrable: boolean;
  /** Calls that may wait; more are rejected as `busy`. */
  readonly waiting: number;
}

/**
 * Serializes calls on the single connection of the embedded engine, by priority: a commit waits for the call that runs, and
 * not for the reads in line. Calls of the same priority keep their order. A call waits 5 s at most.
 */
export class EngineTurns {
  readonly #first = new Set<Call>();
  readonly #deferred = new Set<Call>();
  readonly #waitingOf = new Map<EngineLane, number>();
  #isBusy = false;
  /** Calls that passed a deferred one in a row. */
  #passed = 0;

  async run<Result>(lane: EngineLane, work: () => Promise<Result>): Promise<Result> {
    if (this.#isBusy) await this.#wait(lane);
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      this.#isBusy = false;
      this.#next();
    }
  }

  async #wait(lane: EngineLane): Promise<void> {
    const waiting = this.#waitingOf.get(lane) ?? 0;
    if (waiting >= lane.waiting) throw new DatabaseUnavailable('busy', `${waiting} calls wait already`);
    this.#waitingOf.set(lane, waiting + 1);
    const calls = lane.isDeferrable ? this.#deferred : this.#first;
    try {
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => {
          calls.delete(call);
          reject(new DatabaseUnavailable('timeout', `no connection in ${ACQUIRE_TIMEOUT_MS} ms`));
        }, ACQUIRE_TIMEOUT_MS);
        const call: Call = { begin: resolve, timer };
        calls.add(call);
      });
    } finally {
      this.#waitingOf.set(lane, (this.#waitingOf.get(lane) ?? 1) - 1);
    }
  }

  /** The engine is taken here, so that no later call takes it before the woken one runs. */
  #next(): void {
    const isDue = this.#deferred.size > 0 && (this.#first.size === 0 || this.#passed >= MAX_AHEAD);
    const calls = isDue ? this.#deferred : this.#first;
    const [call] = calls;
    if (call === undefined) return;
    this.#passed = isDue || this.#deferred.size === 0 ? 0 : this.#passed + 1;
    calls.delete(call);
    clearTimeout(call.timer);
    this.#isBusy = true;
    call.begin();
  }
}
