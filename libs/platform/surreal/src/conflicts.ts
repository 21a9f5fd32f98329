import { setTimeout } from 'node:timers/promises';
import { SurrealConflict, SurrealUnavailable } from './failures.js';

const FIRST_DELAY_MS = 20;
const MAX_DELAY_MS = 500;

/** Repeats a request while it conflicts with other transactions. Rejects with `SurrealUnavailable` when the signal aborts. */
export async function retryConflicts<Answer>(
  request: () => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof SurrealConflict) || signal.aborted) throw error;
      await backOff(attempt, signal);
    }
  }
}

/** Waits exponentially longer after each attempt, with jitter. Rejects with `SurrealUnavailable` when the signal aborts. */
async function backOff(attempt: number, signal: AbortSignal): Promise<void> {
  const most = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt);
  try {
    await setTimeout(most * (0.5 + Math.random() / 2), undefined, { signal });
  } catch (error) {
    throw new SurrealUnavailable('conflicts with other transactions until the limit', { cause: error });
  }
}
