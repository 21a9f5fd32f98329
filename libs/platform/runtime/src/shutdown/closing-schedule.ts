/** Time between two batches of closed sockets. */
export const CLOSING_STEP_MS = 100;

const SMALLEST_BATCH = 50;

/**
 * Number of sockets to close at 0, 100, 200 … ms so that the last batch falls within the given time. No batch is
 * empty and only the last may be below 50. Without time for a second batch, all close together.
 */
export function closingSchedule(total: number, durationMs: number): number[] {
  if (total <= 0) return [];
  const steps = Math.max(1, Math.floor(durationMs / CLOSING_STEP_MS));
  const batch = Math.max(SMALLEST_BATCH, Math.ceil(total / steps));
  return Array.from({ length: Math.ceil(total / batch) }, (_, index) =>
    Math.min(batch, total - index * batch),
  );
}

/** The same items in random order (Fisher–Yates), as sockets are to be closed. `random` gives numbers in [0, 1). */
export function shuffled<Item>(items: Iterable<Item>, random: () => number = Math.random): Item[] {
  const list = [...items];
  for (let last = list.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [list[last], list[other]] = [list[other] as Item, list[last] as Item];
  }
  return list;
}
