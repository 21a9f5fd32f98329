import { PresenceUnavailable } from '@carillon/presence';
import { pause } from '@carillon/runtime';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1000;

/** How waiting is done. */
export interface Patience {
  /** Ended with the request; nobody waits on for one that is gone. */
  readonly isWanted: () => boolean;
  /** What a request of a client may take. */
  readonly withinMs: number;
}

/** Tries again and again while the store is away; rejects with what it said last when its time is over. */
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
