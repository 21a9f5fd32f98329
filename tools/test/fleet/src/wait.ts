const EVERY_MS = 25;

/** The clock of a run: one for everything that is compared. */
export const now = (): number => performance.now();

export const sleep = (ms: number): Promise<void> => new Promise((later) => setTimeout(later, ms));

/** Waits until it holds; false when it did not in time. */
export async function until(holds: () => boolean | Promise<boolean>, limitMs: number): Promise<boolean> {
  const deadline = now() + limitMs;
  while (!(await holds())) {
    if (now() > deadline) return false;
    await sleep(EVERY_MS);
  }
  return true;
}
