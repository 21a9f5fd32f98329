/** Time, which tests turn by hand. */
export interface Clock {
  now(): number;
  /** Returns what ends it. */
  after(ms: number, work: () => void): () => void;
}

export const realClock: Clock = {
  now: () => Date.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};
