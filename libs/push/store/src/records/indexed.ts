import type { Row, RowKey } from '@carillon/records';
import type { Rows } from './rows.js';
import type { FoundEntry, TimeEntry, TimeIndex, TimeSpan } from './time-index.js';

/** Meaning of an entry, given the row it points to. */
export interface Verdict<Value> {
  /** Absent: the entry is skipped. */
  readonly value?: Value;
  /** New position of the entry. Null: it is removed. Absent: it stays. */
  readonly to?: TimeEntry | null;
  /** Whether it is removed although a commit that follows it may be under way. */
  readonly isCertain?: boolean;
}

interface Reading<Value> {
  readonly span: TimeSpan;
  readonly limit: number;
  readonly keyOf: (entry: FoundEntry) => RowKey;
  readonly judge: (row: Row | null, entry: FoundEntry) => Verdict<Value>;
  readonly scope?: string;
  readonly after?: TimeEntry | null;
}

/**
 * Reads rows through a time index in entry order, each row once. Verifies every entry against its row; moves and
 * removes entries by the verdict.
 */
export async function readIndexed<Value>(
  rows: Rows,
  index: TimeIndex,
  { span, limit, keyOf, judge, scope = '', after = null }: Reading<Value>,
): Promise<Value[]> {
  const values: Value[] = [];
  const seen = new Set<string>();
  for await (const page of index.pages(span, scope, after)) {
    const found = await rows.all(page.map(keyOf));
    const stale: FoundEntry[] = [];
    const moved: [FoundEntry, TimeEntry][] = [];
    for (const [position, entry] of page.entries()) {
      const verdict = judge(found[position] ?? null, entry);
      if (verdict.to === null && (entry.isSettled || verdict.isCertain === true)) stale.push(entry);
      else if (verdict.to !== undefined && verdict.to !== null) moved.push([entry, verdict.to]);
      const name = JSON.stringify(entry.id);
      if (verdict.value === undefined || seen.has(name) || values.length >= limit) continue;
      seen.add(name);
      values.push(verdict.value);
    }
    await moveEntries(index, moved, scope);
    await removeStale(rows, index, stale, { keyOf, judge, scope });
    if (values.length >= limit) break;
  }
  return values;
}

/** New entries first: a crash in between leaves both. */
async function moveEntries(
  index: TimeIndex,
  moved: readonly (readonly [FoundEntry, TimeEntry])[],
  scope: string,
): Promise<void> {
  if (moved.length === 0) return;
  await index.put(
    moved.map(([{ note }, to]) => ({ ...to, note })),
    scope,
  );
  const gone = moved.filter(([from, to]) => from.timeMs !== to.timeMs).map(([from]) => from);
  await index.remove(gone, scope);
}

/** Removes entries, and restores those whose row appeared meanwhile. */
async function removeStale<Value>(
  rows: Rows,
  index: TimeIndex,
  stale: readonly FoundEntry[],
  { keyOf, judge, scope }: Pick<Reading<Value>, 'keyOf' | 'judge'> & { readonly scope: string },
): Promise<void> {
  if (stale.length === 0) return;
  await index.remove(stale, scope);
  const found = await rows.all(stale.map(keyOf));
  const alive = stale.filter((entry, position) => judge(found[position] ?? null, entry).to !== null);
  await index.put(alive, scope);
}
