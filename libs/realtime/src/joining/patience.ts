import { PresenceUnavailable } from '@carillon/presence';
import { pause } from '@carillon/runtime';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1000;

/** Retry settings. */
export interface Patience {
  /** False once the request ended, which ends the retries. */
  readonly isWanted: () => boolean;
  /** Timeout of a client's request. */
  readonly withinMs: number;
}

/** Retries while the store is unavailable; rejects with the last error when the time is over. */
export async function whilePresenceIsAway<Value>(
  work: () => Promise<Value>,
  { isWanted, withinMs }: Patience,
): Promise<Value> {
  const deadlineMs = performance.now() + withinMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      const isAway = error instanceof PresenceUnavailable;
      if (!isAway || !isWanted() || performance.now() + pauseMs > deadlineMs) throw error;
      await pause(pauseMs);
    }
  }
}
