import { MemoryRateLimit } from '../src/index.js';
import type { Subject } from './conformance.js';

/** A memory limiter with a manual clock. */
export function memorySubject(capacity?: number): Subject & { readonly rateLimit: MemoryRateLimit } {
  let nowMs = 0.75;
  const rateLimit = new MemoryRateLimit({
    now: () => nowMs,
    ...(capacity === undefined ? {} : { capacity }),
  });
  return {
    rateLimit,
    other: rateLimit,
    pass: async (ms) => {
      nowMs += ms;
    },
    end: () => rateLimit.close(),
  };
}
