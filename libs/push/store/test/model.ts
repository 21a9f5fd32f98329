import { MemoryRecords } from '@carillon/records';
import { expect } from 'vitest';
import { MemoryPushStore, type PushStore } from '../src/index.js';
import { RecordPushStore } from '../src/records/store.js';

export const MOST = 1000;

/** A call of a store. Its answer is compared. */
export type Step = (store: PushStore) => Promise<unknown>;

/** All pages of a list, of a few items each. */
export async function pages<Item, Position>(
  list: (after: Position | null, limit: number) => Promise<readonly Item[]>,
  positionOf: (item: Item) => Position,
): Promise<Item[]> {
  const all: Item[] = [];
  for (let after: Position | null = null; ;) {
    const page: readonly Item[] = await list(after, 2);
    all.push(...page);
    expect(all.length).toBeLessThan(MOST);
    const last = page.at(-1);
    if (last === undefined) return all;
    after = positionOf(last);
  }
}

/** The store in memory shows the owners of leases, too. */
const withoutOwner = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null, (name, inner: unknown) => (name === 'owner' ? undefined : inner)));

/** Makes each call of a store over records and of one in memory, and compares answers and states. */
export async function compareStores(steps: readonly Step[], stateOf: (store: PushStore) => Promise<unknown>) {
  const model = new MemoryPushStore();
  const store = new RecordPushStore('records', new MemoryRecords());
  for (const step of steps) {
    const [expected, answer] = [await step(model), await step(store)];
    expect(withoutOwner(answer)).toEqual(withoutOwner(expected));
    expect(withoutOwner(await stateOf(store))).toEqual(withoutOwner(await stateOf(model)));
  }
}
