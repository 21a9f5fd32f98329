const EVERY_MS = 20;

/** Repeats the work until it succeeds; rejects as it does when time runs out. For what no event announces. */
export async function eventually<Value>(
  work: () => Promise<Value> | Value,
  limitMs = 10_000,
): Promise<Value> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((later) => setTimeout(later, EVERY_MS));
    }
  }
}
