/** Clock and timers; replaced in tests. */
export interface Clock {
  /** Milliseconds since whenever; never goes back. */
  now(): number;
  /** Runs once after at least so long. The answer calls it off. */
  after(delayMs: number, run: () => void): () => void;
}

/** Clock of the process. Its timers do not keep the process alive. */
export const PROCESS_CLOCK: Clock = {
  now: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs).unref();
    return () => clearTimeout(timer);
  },
};
