const MAX_AT_ONCE = 100;

/** Maps items with limited concurrency; results are in the order of the items. */
export async function inGroups<Item, Answer>(
  items: readonly Item[],
  act: (item: Item) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let at = 0; at < items.length; at += MAX_AT_ONCE) {
    answers.push(...(await Promise.all(items.slice(at, at + MAX_AT_ONCE).map(act))));
  }
  return answers;
}
