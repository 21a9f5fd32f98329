/** Resolves after the given time. @param {number} ms @returns {Promise<void>} */
export const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/**
 * Repeats `attempt` until it resolves. Rejects with its last error after `limitMs`, or at once when `giveUp` says why.
 * @template T
 * @param {() => Promise<T>} attempt
 * @param {{ limitMs: number, everyMs?: number, giveUp?: () => string | null }} options
 * @returns {Promise<T>}
 */
export async function eventually(attempt, { limitMs, everyMs = 100, giveUp = () => null }) {
  const until = Date.now() + limitMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const why = giveUp();
      if (why !== null) throw new Error(why, { cause: error });
      if (Date.now() > until) throw error;
      await pause(everyMs);
    }
  }
}
