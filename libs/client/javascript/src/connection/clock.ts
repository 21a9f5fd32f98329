import { CarillonError } from '../error.js';

/** The longest that an app's own server, or whatever stands for it, may take. */
const LIMIT_MS = 30_000;

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

/** What the app gives, or a refusal for now where that takes too long: nothing waits for ever for an app that hangs. */
export function inTime<Value>(clock: Clock, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = clock.after(LIMIT_MS, () =>
      reject(new CarillonError('The app did not answer in time', { status: 503 })),
    );
    void work.then(resolve, reject).finally(stop);
  });
}
