import { describe, expect, it } from 'vitest';
import type { Row } from '../src/index.js';
import {
  absent,
  all,
  commitOf,
  connected,
  inPartition,
  processes,
  type RecordsBackend,
  row,
  sorts,
} from './backend.js';

/** In the order of their UTF-8 bytes, which is neither that of UTF-16 nor that of a language. */
const ORDERED = [
  ' ',
  '!',
  '0',
  '10',
  '9',
  'A',
  'Z',
  'a',
  'a ',
  'a0',
  'aa',
  'z',
  '~',
  'é',
  'ж',
  '中',
  '\uffee',
  '😀',
];

const rowsOf = (partition: string, texts: readonly string[]): Row[] =>
  inPartition(
    partition,
    texts.map((sort) => row(sort)),
  );

const byKey = (a: Row, b: Row): number => (a.partition + a.sort < b.partition + b.sort ? -1 : 1);

/** Promises of `get`, `range`, `put` and `remove`. */
export function readConformance(backend: RecordsBackend): void {
  describe('reads', () => {
    it('returns rows as they were written', async () => {
      const store = await connected(backend);
      const texts = [
        '',
        ' ',
        'é 中 😀 \uffee',
        '"quotes" \'and\' \\ $1 ? : {}',
        'line\r\nline\t',
        '\u0001\u001f\u007f',
      ];
      const versions = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0, -1, 1, 4_294_967_296];
      const puts = texts.map((value, index) => ({
        ...row(`${index} ${value}`, versions[index], value),
        expiresAtMs: index === 1 ? Date.now() + 3_600_000 : null,
      }));
      expect(await store.commit(commitOf({ conditions: [absent('x')], puts }))).toBe(true);
      expect(await all(store)).toEqual(inPartition('p', puts));
    });

    it('orders a partition by the bytes of sort', async () => {
      const store = await connected(backend);
      await store.put(rowsOf('p', ORDERED.toReversed()));
      expect(sorts(await all(store))).toEqual(ORDERED);
      const reversed = await store.range({ partition: 'p', from: null, to: null, reverse: true, limit: 100 });
      expect(sorts(reversed)).toEqual(ORDERED.toReversed());
      const part = { partition: 'p', from: 'a ', to: '中', limit: 100 };
      expect(sorts(await store.range({ ...part, reverse: false }))).toEqual(ORDERED.slice(8, 15));
    });

    it('answers ranges in both directions', async () => {
      const store = await connected(backend);
      await store.put(rowsOf('p', ['a', 'b', 'c', 'd', 'e']));
      await store.put(rowsOf('q', ['b', 'c', 'x']));
      const answers: unknown[] = [];
      for (const [from, to, limit] of RANGES) {
        const range = { partition: 'p', from, to, limit };
        const forward = sorts(await store.range({ ...range, reverse: false })).join('');
        const backward = sorts(await store.range({ ...range, reverse: true })).join('');
        answers.push([from, to, limit, forward, backward]);
      }
      expect(answers).toEqual(RANGES);
    });

    it('returns nothing of a partition without rows', async () => {
      const store = await connected(backend);
      expect(await all(store)).toEqual([]);
      expect(await store.get([])).toEqual([]);
      expect(await store.get([{ partition: 'p', sort: 'a' }])).toEqual([]);
    });

    it('gets 1,000 keys of several partitions, each row once', async () => {
      const store = await connected(backend);
      const texts = Array.from({ length: 300 }, (_, index) => `k${index}`);
      const rows = ['p', 'q', 'r'].flatMap((partition) => rowsOf(partition, texts));
      await store.put(rows);
      const missing = Array.from({ length: 99 }, (_, index) => ({ partition: 'p', sort: `missing${index}` }));
      const found = await store.get([...rows, ...missing, { partition: 'p', sort: 'k7' }]);
      expect(found.toSorted(byKey)).toEqual(rows.toSorted(byKey));
    });

    it('puts over existing rows and removes rows that need not exist', async () => {
      const store = await connected(backend);
      await store.put(rowsOf('p', ['a', 'b', 'c']));
      await store.put(inPartition('p', [row('b', 7, 'new')]));
      await store.remove(['a', 'a', 'missing'].map((sort) => ({ partition: 'p', sort })));
      expect(await all(store)).toEqual(inPartition('p', [row('b', 7, 'new'), row('c')]));
      await store.put(inPartition('p', [row('a', 2)]));
      expect(sorts(await all(store))).toEqual(['a', 'b', 'c']);
      await store.put([]);
      await store.remove([]);
    });

    it('pages through a partition of 5,000 rows', async () => {
      const store = await connected(backend);
      const texts = Array.from({ length: 5000 }, (_, index) => String(index).padStart(6, '0'));
      for (let at = 0; at < texts.length; at += 1000)
        await store.put(rowsOf('p', texts.slice(at, at + 1000)));
      const seen: string[] = [];
      let from: string | null = null;
      for (;;) {
        const page: Row[] = await store.range({ partition: 'p', from, to: null, reverse: false, limit: 700 });
        seen.push(...sorts(page));
        if (page.length < 700) break;
        from = `${seen.at(-1)} `;
      }
      expect(seen).toEqual(texts);
      expect(sorts(await all(store))).toEqual(texts);
    });

    it('keeps two tables of one server apart', async () => {
      const [one, other] = [await connected(backend), await connected(backend)];
      await one.put(rowsOf('p', ['a']));
      await other.put(rowsOf('p', ['b']));
      await one.remove([{ partition: 'p', sort: 'b' }]);
      expect([sorts(await all(one)), sorts(await all(other))]).toEqual([['a'], ['b']]);
    });

    it('shows a resolved write to every process', async () => {
      const stores = await processes(backend, 3);
      for (let version = 1; version <= 10; version += 1) {
        const conditions = [{ sort: 'a', version: version === 1 ? null : version - 1 }];
        const writer = stores[version % 3];
        expect(await writer?.commit(commitOf({ conditions, puts: [row('a', version)] }))).toBe(true);
        for (const store of stores) expect(await all(store)).toEqual(inPartition('p', [row('a', version)]));
      }
    });
  });
}

/** Bounds, limit, and the sorts of the answer in both directions. */
const RANGES: readonly (readonly [string | null, string | null, number, string, string])[] = [
  ['b', 'd', 9, 'bc', 'cb'],
  ['b', null, 9, 'bcde', 'edcb'],
  [null, 'c', 9, 'ab', 'ba'],
  ['bb', 'dd', 1, 'c', 'd'],
  [null, null, 2, 'ab', 'ed'],
  [null, null, 5, 'abcde', 'edcba'],
  ['c', 'c', 9, '', ''],
  ['d', 'b', 9, '', ''],
  ['f', null, 9, '', ''],
];
