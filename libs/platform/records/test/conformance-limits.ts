import { describe, expect, it } from 'vitest';
import type { Commit, CommitLimits, RecordStore } from '../src/index.js';
import { absent, all, commitOf, connected, inPartition, type RecordsBackend, row } from './backend.js';

/** Rows whose sorts have five bytes. */
const numbered = (count: number, version: number, value = 'v') =>
  Array.from({ length: count }, (_, index) => row(`r${String(index).padStart(4, '0')}`, version, value));

/** Commits that break one bound each. */
const excessiveCommits = (limits: CommitLimits): Record<string, Partial<Commit>> => ({
  'rows of puts': { conditions: [absent('r0000')], puts: numbered(limits.rows + 1, 1) },
  'rows of all parts': { conditions: [absent('x')], puts: numbered(limits.rows - 1, 1), deletes: ['y'] },
  'bytes of one value': {
    conditions: [absent('a')],
    puts: [row('a', 1, `é${'x'.repeat(limits.valueBytes - 1)}`)],
  },
  'bytes of all puts': {
    conditions: [absent('r0000')],
    puts: numbered(Math.ceil(limits.bytes / limits.valueBytes), 1, 'x'.repeat(limits.valueBytes)),
  },
  'no condition': { puts: [row('a')] },
  'two conditions on one row': { conditions: [absent('a'), { sort: 'a', version: 1 }], puts: [row('a')] },
  'a row put twice': { conditions: [absent('a')], puts: [row('a'), row('a')] },
  'a row put and deleted': { conditions: [absent('a')], puts: [row('a')], deletes: ['a'] },
  'an empty sort': { conditions: [absent('a')], puts: [row('')] },
  'a long sort': { conditions: [absent('a')], puts: [row('é'.repeat(501))] },
  'an empty partition': { partition: '', conditions: [absent('a')], puts: [row('a')] },
  'a fractional version': { conditions: [absent('a')], puts: [row('a', 1.5)] },
});

/** Other calls that break one bound each. */
function excessiveCalls(store: RecordStore): Record<string, () => Promise<unknown>> {
  const rows = inPartition('p', numbered(1001, 1));
  const one = { partition: 'p', ...row('a') };
  const range = { partition: 'p', from: null, to: null, reverse: false };
  const long = { ...one, sort: 'b', value: 'x'.repeat(store.limits.valueBytes + 1) };
  return {
    'a get of 1,001 keys': () => store.get(rows),
    'a put of 1,001 rows': () => store.put(rows),
    'a remove of 1,001 keys': () => store.remove(rows),
    'a put of one row twice': () => store.put([one, one]),
    'a put of a long value': () => store.put([one, long]),
    'a put of an empty sort': () => store.put([one, { ...one, sort: '' }]),
    'a range of no row': () => store.range({ ...range, limit: 0 }),
    'a range of an empty partition': () => store.range({ ...range, partition: '', limit: 1 }),
  };
}

/** Puts whose sorts and values have exactly the limit of bytes together. */
function fullCommit(limits: CommitLimits) {
  const count = Math.ceil(limits.bytes / limits.valueBytes) + 1;
  const each = Math.floor(limits.bytes / count) - 5;
  const [first, ...others] = numbered(count, 1, 'x'.repeat(each));
  const rest = limits.bytes - count * (each + 5);
  return [row('r0000', 1, `${first?.value}${'y'.repeat(rest)}`), ...others];
}

/** The name of the error of a call. */
const outcomeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'resolved',
    (thrown: unknown) => (thrown instanceof Error ? thrown.name : String(thrown)),
  );

/** Promises about bounds and values of exactly the limit. */
export function limitConformance(backend: RecordsBackend): void {
  describe('bounds', () => {
    it('reject an excessive commit with a RangeError before anything is written', async () => {
      const store = await connected(backend);
      const outcomes: Record<string, string> = {};
      for (const [name, parts] of Object.entries(excessiveCommits(store.limits))) {
        outcomes[name] = await outcomeOf(store.commit(commitOf(parts)));
      }
      expect(outcomes).toEqual(Object.fromEntries(Object.keys(outcomes).map((name) => [name, 'RangeError'])));
      expect(await all(store)).toEqual([]);
    });

    it('reject other excessive calls with a RangeError before anything is written', async () => {
      const store = await connected(backend);
      const outcomes: Record<string, string> = {};
      for (const [name, call] of Object.entries(excessiveCalls(store)))
        outcomes[name] = await outcomeOf(call());
      expect(outcomes).toEqual(Object.fromEntries(Object.keys(outcomes).map((name) => [name, 'RangeError'])));
      expect(await all(store)).toEqual([]);
    });

    it('allow a value of exactly the limit, and keys of 1,000 bytes', async () => {
      const store = await connected(backend);
      const long = row('é'.repeat(500), 1, 'é'.repeat(store.limits.valueBytes / 2));
      const partition = 'p'.repeat(1000);
      const commit = commitOf({ partition, conditions: [absent(long.sort)], puts: [long] });
      expect(await store.commit(commit)).toBe(true);
      expect(await store.get([{ partition, sort: long.sort }])).toEqual([{ partition, ...long }]);
      expect(await all(store, partition)).toEqual([{ partition, ...long }]);
      await store.put([{ partition: 'index', ...long }]);
      expect(await all(store, 'index')).toEqual([{ partition: 'index', ...long }]);
    });

    it('allow a commit of exactly the limit of bytes', async () => {
      const store = await connected(backend);
      const puts = fullCommit(store.limits);
      expect(await store.commit(commitOf({ conditions: [absent('r0000')], puts }))).toBe(true);
      expect(await all(store)).toEqual(inPartition('p', puts));
    });

    it('allow a commit of exactly the limit of rows, which applies or is refused as a whole', async () => {
      const store = await connected(backend);
      const { rows } = store.limits;
      const names = numbered(rows, 0).map(({ sort }) => sort);
      const puts = numbered(rows, 1);
      expect(await store.commit(commitOf({ conditions: names.map(absent), puts }))).toBe(true);
      const stale = names.map((sort, index) => ({ sort, version: index === rows - 1 ? 2 : 1 }));
      expect(await store.commit(commitOf({ conditions: stale, puts: numbered(rows, 3) }))).toBe(false);
      expect(await all(store)).toEqual(inPartition('p', puts));
      const conditions = names.map((sort) => ({ sort, version: 1 }));
      expect(await store.commit(commitOf({ conditions, deletes: names }))).toBe(true);
      expect(await all(store)).toEqual([]);
    });

    it('keep rows of two concurrent commits of the limit of rows apart', async () => {
      const store = await connected(backend);
      const { rows } = store.limits;
      for (let version = 1; version <= 5; version += 1) {
        const conditions = [{ sort: 'r0000', version: version === 1 ? null : version - 1 }];
        const commits = ['one', 'two'].map((value) =>
          store.commit(commitOf({ conditions, puts: numbered(rows, version, value) })),
        );
        const winner = (await Promise.all(commits)).indexOf(true);
        expect(await all(store)).toEqual(inPartition('p', numbered(rows, version, ['one', 'two'][winner])));
      }
    });
  });
}
