const IN_FLIGHT = 32;

/** Works on all items, a bounded number concurrently. Rejects with the first failure, and starts no further item then. */
export async function forEach<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  // A generator ends for all workers when one of them fails.
  const waiting = each(items);
  const worker = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(IN_FLIGHT, items.length) }, worker));
}

function* each<Item>(items: readonly Item[]): Generator<Item, void> {
  yield* items;
}
