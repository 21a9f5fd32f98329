/** Clock and timers of leases; replaced in tests. */
export interface PresenceClock {
  /** Milliseconds since whenever; never goes back. */
  now(): number;
  /** Runs once after at least about so long. The answer calls it off. */
  after(delayMs: number, run: () => void): () => void;
}

/** The time of the process. A pending lease does not keep the process alive. */
export const PROCESS_CLOCK: PresenceClock = {
  now: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs).unref();
    return () => clearTimeout(timer);
  },
};
