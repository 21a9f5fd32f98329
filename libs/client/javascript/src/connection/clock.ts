import { CarillonError } from '../error.js';

/** The timeout for the app's own server or callback. */
const LIMIT_MS = 30_000;

/** Time, which tests turn by hand. */
export interface Clock {
  now(): number;
  /** Runs `work` after a delay. Returns a function that cancels it. */
  after(ms: number, work: () => void): () => void;
}

export const realClock: Clock = {
  now: () => Date.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

/** Returns the result of an app callback, or rejects with a retryable error after a timeout. */
export function inTime<Value>(clock: Clock, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = clock.after(LIMIT_MS, () =>
      reject(new CarillonError('The app did not answer in time', { status: 503 })),
    );
    void work.then(resolve, reject).finally(stop);
  });
}
