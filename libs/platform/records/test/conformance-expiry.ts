import { describe, expect, it } from 'vitest';
import { absent, all, commitOf, connected, inPartition, type RecordsBackend, row, sorts } from './backend.js';

const HOUR_MS = 3_600_000;
const POLL = { timeout: 20_000, interval: 20 };

const expiring = (sort: string, inMs: number, version = 1) => ({
  ...row(sort, version),
  expiresAtMs: Date.now() + inMs,
});
const expired = (sort: string, version = 1) => expiring(sort, -1, version);

/** Promises of `expiresAtMs`. */
export function expiryConformance(backend: RecordsBackend): void {
  const keys = ['a', 'b', 'c'].map((sort) => ({ partition: 'p', sort }));

  describe('expired rows', () => {
    it('do not exist for get, range and conditions', async () => {
      const store = await connected(backend);
      const puts = [expired('a'), row('b'), expiring('c', HOUR_MS)];
      expect(await store.commit(commitOf({ conditions: [absent('a')], puts }))).toBe(true);
      expect(sorts(await store.get(keys)).toSorted()).toEqual(['b', 'c']);
      expect(sorts(await all(store))).toEqual(['b', 'c']);
      const onVersion = commitOf({ conditions: [{ sort: 'a', version: 1 }], puts: [row('d')] });
      expect(await store.commit(onVersion)).toBe(false);
      const onAbsence = commitOf({ conditions: [absent('a'), { sort: 'c', version: 1 }], puts: [row('d')] });
      expect(await store.commit(onAbsence)).toBe(true);
      expect(sorts(await all(store))).toEqual(['b', 'c', 'd']);
    });

    it('are replaced by one of two concurrent writers that expect no row', async () => {
      const store = await connected(backend);
      await store.commit(commitOf({ conditions: [absent('a')], puts: [expired('a', 7)] }));
      const commits = ['one', 'two'].map((value) =>
        store.commit(commitOf({ conditions: [absent('a')], puts: [row('a', 1, value)] })),
      );
      const outcomes = await Promise.all(commits);
      expect(outcomes.toSorted()).toEqual([false, true]);
      expect(await all(store)).toEqual(inPartition('p', [row('a', 1, outcomes[0] === true ? 'one' : 'two')]));
    });

    it('do not shorten the answer of a range', async () => {
      const store = await connected(backend);
      const names = Array.from({ length: 60 }, (_, index) => `k${String(index).padStart(3, '0')}`);
      const puts = names.map((sort, index) => (index < 50 ? expired(sort) : row(sort)));
      expect(await store.commit(commitOf({ conditions: [absent('x')], puts }))).toBe(true);
      const range = { partition: 'p', from: null, to: null };
      expect(sorts(await store.range({ ...range, reverse: false, limit: 10 }))).toEqual(names.slice(50));
      expect(sorts(await store.range({ ...range, reverse: true, limit: 20 }))).toEqual(
        names.slice(50).toReversed(),
      );
    });

    it('of index partitions are hidden, and can be put again', async () => {
      const store = await connected(backend);
      await store.put(inPartition('p', [expired('a'), row('b')]));
      expect(sorts(await all(store))).toEqual(['b']);
      await store.put(inPartition('p', [row('a')]));
      expect(sorts(await all(store))).toEqual(['a', 'b']);
    });

    it('are visible until their moment, and not from then on', async () => {
      const store = await connected(backend);
      const put = expiring('a', 1500);
      await store.commit(commitOf({ conditions: [absent('a')], puts: [put] }));
      await expect.poll(() => store.get(keys), POLL).toEqual([]);
      expect(Date.now()).toBeGreaterThanOrEqual(put.expiresAtMs);
      expect(await all(store)).toEqual([]);
      expect(await store.commit(commitOf({ conditions: [absent('a')], puts: [row('a', 2)] }))).toBe(true);
      expect(await all(store)).toEqual(inPartition('p', [row('a', 2)]));
    });

    it('do not include rows whose expiry a later write removed or moved', async () => {
      const store = await connected(backend);
      const puts = ['a', 'b', 'c'].map((sort) => expiring(sort, 1500));
      await store.commit(commitOf({ conditions: [absent('a')], puts }));
      const later = [row('a', 2), expiring('b', HOUR_MS, 2)];
      expect(await store.commit(commitOf({ conditions: [absent('x')], puts: later }))).toBe(true);
      await expect.poll(() => all(store), POLL).toEqual(inPartition('p', later));
      expect(await store.get(keys)).toHaveLength(2);
    });
  });
}
