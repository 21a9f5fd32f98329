/** Time, so that tests can make it pass. */
export interface Clock {
  /** Milliseconds since the epoch; may jump. */
  now(): number;
  /** Milliseconds that only grow. */
  elapsed(): number;
  /** Schedules a callback; the returned function cancels it. */
  after(delayMs: number, run: () => void): () => void;
}

/** The machine's own. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};
