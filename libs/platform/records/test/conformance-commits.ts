import { describe, expect, it } from 'vitest';
import type { Condition, RecordStore } from '../src/index.js';
import { absent, all, commitOf, connected, inPartition, type RecordsBackend, row, sorts } from './backend.js';

/** Over the rows a (1), b (2) and c (3); the commit changes a, d and c. */
const HOLDING: Record<string, Condition[]> = {
  'the version of a changed row': [{ sort: 'a', version: 1 }],
  'the version of an unchanged row': [{ sort: 'b', version: 2 }],
  'the version of a deleted row': [{ sort: 'c', version: 3 }],
  'the absence of a changed row': [absent('d')],
  'the absence of an unchanged row': [absent('x')],
  'several rows': [{ sort: 'a', version: 1 }, { sort: 'b', version: 2 }, absent('x'), absent('d')],
};

const FAILING: Record<string, Condition[]> = {
  'another version of a changed row': [{ sort: 'a', version: 2 }],
  'another version of an unchanged row': [{ sort: 'b', version: 1 }],
  'another version of a deleted row': [{ sort: 'c', version: 1 }],
  'the absence of a changed row that exists': [absent('a')],
  'the absence of an unchanged row that exists': [absent('b')],
  'a version of a changed row that does not exist': [{ sort: 'd', version: 1 }],
  'a version of an unchanged row that does not exist': [{ sort: 'x', version: 1 }],
  'one of several rows that has another version': [
    { sort: 'a', version: 1 },
    absent('x'),
    { sort: 'b', version: 3 },
  ],
};

const change = (conditions: Condition[]) =>
  commitOf({ conditions, puts: [row('a', 9, 'new'), row('d', 4)], deletes: ['c', 'missing'] });

/** Promises of `commit` for one writer. */
export function commitConformance(backend: RecordsBackend): void {
  const seeded = async (): Promise<RecordStore> => {
    const store = await connected(backend);
    await store.commit(
      commitOf({ conditions: [absent('a')], puts: [row('a', 1), row('b', 2), row('c', 3)] }),
    );
    return store;
  };

  describe('commits', () => {
    it.each(Object.keys(HOLDING))('apply when their condition on %s holds', async (name) => {
      const store = await seeded();
      expect(await store.commit(change(HOLDING[name] ?? []))).toBe(true);
      expect(await all(store)).toEqual(inPartition('p', [row('a', 9, 'new'), row('b', 2), row('d', 4)]));
    });

    it.each(Object.keys(FAILING))(
      'change nothing and resolve with false when they expect %s',
      async (name) => {
        const store = await seeded();
        expect(await store.commit(change(FAILING[name] ?? []))).toBe(false);
        expect(await all(store)).toEqual(inPartition('p', [row('a', 1), row('b', 2), row('c', 3)]));
      },
    );

    it('apply when they only delete, and when they change nothing', async () => {
      const store = await seeded();
      const conditions = [{ sort: 'a', version: 1 }];
      expect(await store.commit(commitOf({ conditions }))).toBe(true);
      expect(await store.commit(commitOf({ conditions, deletes: ['a', 'b'] }))).toBe(true);
      expect(await store.commit(commitOf({ conditions }))).toBe(false);
      expect(await store.commit(commitOf({ conditions: [absent('a')] }))).toBe(true);
      expect(sorts(await all(store))).toEqual(['c']);
      expect(sorts(await store.get(['a', 'b', 'c'].map((sort) => ({ partition: 'p', sort }))))).toEqual([
        'c',
      ]);
    });

    it('write a deleted row again', async () => {
      const store = await seeded();
      for (const version of [1, 5, 5]) {
        const conditions = [{ sort: 'a', version }];
        expect(await store.commit(commitOf({ conditions, deletes: ['a'] }))).toBe(true);
        expect(await store.commit(commitOf({ conditions: [absent('a')], puts: [row('a', 5)] }))).toBe(true);
      }
      expect(await all(store)).toEqual(inPartition('p', [row('a', 5), row('b', 2), row('c', 3)]));
    });

    it('apply in the order of their calls when each waits for the one before', async () => {
      const store = await seeded();
      for (let version = 1; version <= 50; version += 1) {
        const conditions = [{ sort: 'a', version }];
        expect(await store.commit(commitOf({ conditions, puts: [row('a', version + 1)] }))).toBe(true);
      }
      expect((await all(store))[0]).toEqual({ partition: 'p', ...row('a', 51) });
    });
  });
}
