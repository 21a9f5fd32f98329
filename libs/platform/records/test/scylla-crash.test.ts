import { expect, it } from 'vitest';
import { type RecordStore, RecordsUnavailable, type Row } from '../src/index.js';
import { all, commitOf, newTable, row, sorts } from './backend.js';
import { useScyllaNode } from './scylla-node.js';

const ROUNDS = 3;
const ROWS_PER_COMMIT = 60;
const COMMITS_BEFORE_CRASH = 10;
const RECOVERY_BOUND_MS = 60_000;

const node = useScyllaNode();

const namesOf = (serial: number): string[] =>
  Array.from({ length: ROWS_PER_COMMIT }, (_, index) => `r${String(serial).padStart(6, '0')}/${index + 10}`);

/** Commits batches under consecutive serials until the server fails; reports each that resolved. */
async function write(store: RecordStore, onResolved: (serial: number) => void): Promise<void> {
  for (;;) {
    const [head] = await store.get([{ partition: 'p', sort: 'head' }]);
    const serial = (head?.version ?? 0) + 1;
    const conditions = [{ sort: 'head', version: head?.version ?? null }];
    const puts = [row('head', serial), ...namesOf(serial).map((sort) => row(sort, serial, 'x'.repeat(2000)))];
    if (await store.commit(commitOf({ conditions, puts }))) onResolved(serial);
  }
}

/** Rows by the serial of their commit. */
function batchesOf(rows: readonly Row[]): Map<number, string[]> {
  const batches = new Map<number, string[]>();
  for (const { sort, version } of rows) {
    if (sort !== 'head') batches.set(version, [...(batches.get(version) ?? []), sort]);
  }
  return batches;
}

it(
  'a killed server has each commit as a whole or not at all, and every resolved one',
  async () => {
    const store = await node.open(newTable());
    await store.connect();
    const resolved: number[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const writing = write(store, (serial) => resolved.push(serial)).catch((thrown: unknown) => thrown);
      await expect
        .poll(() => resolved.length, { timeout: 60_000 })
        .toBeGreaterThan(round * COMMITS_BEFORE_CRASH);
      await node.handle().kill();
      expect(await writing).toBeInstanceOf(RecordsUnavailable);
      await node.handle().restart();
      await expect
        .poll(() => store.health().then(() => 'healthy', String), { timeout: RECOVERY_BOUND_MS })
        .toBe('healthy');
      const rows = await all(store);
      const batches = batchesOf(rows);
      for (const [serial, names] of batches) expect(names).toEqual(namesOf(serial));
      expect([...batches.keys()]).toEqual(expect.arrayContaining(resolved));
      expect(rows.find(({ sort }) => sort === 'head')?.version).toBe(batches.size);
      expect(sorts(rows)).toHaveLength(batches.size * ROWS_PER_COMMIT + 1);
    }
    await store.close();
  },
  ROUNDS * 2 * RECOVERY_BOUND_MS,
);
