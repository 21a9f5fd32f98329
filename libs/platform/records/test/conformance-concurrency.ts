import { describe, expect, it } from 'vitest';
import type { RecordStore } from '../src/index.js';
import { absent, all, commitOf, connected, processes, type RecordsBackend, row, sorts } from './backend.js';

const WRITERS = 8;
const SERIALS_PER_WRITER = 6;

const serialOf = (serial: number): string => `e${String(serial).padStart(8, '0')}`;

/** Appends one row under the next serial of a counter row, as a history does; resolves with the serial. */
async function append(store: RecordStore, writer: string): Promise<number> {
  for (;;) {
    const [head] = await store.get([{ partition: 'p', sort: 'head' }]);
    const serial = (head?.version ?? 0) + 1;
    const conditions = [{ sort: 'head', version: head?.version ?? null }];
    const puts = [row('head', serial), row(serialOf(serial), 1, writer)];
    if (await store.commit(commitOf({ conditions, puts }))) return serial;
  }
}

/** Lets 40 writers of two processes replace row `a`; resolves with those that succeeded. */
async function race(stores: readonly RecordStore[], version: number | null): Promise<number[]> {
  const write = async (writer: number): Promise<boolean> => {
    const puts = [row('a', (version ?? 0) + 1, `w${writer}`), row(`of ${version}`, 1, `w${writer}`)];
    const store = stores[writer % stores.length] as RecordStore;
    return store.commit(commitOf({ conditions: [{ sort: 'a', version }], puts }));
  };
  const outcomes = await Promise.all(Array.from({ length: 40 }, (_, writer) => write(writer)));
  return outcomes.flatMap((applied, writer) => (applied ? [writer] : []));
}

/** Promises of `commit` for concurrent writers. */
export function concurrencyConformance(backend: RecordsBackend): void {
  describe('concurrent commits', () => {
    it('have one winner of 40 compare-and-sets', async () => {
      const stores = await processes(backend, 2);
      for (const version of [null, 1]) {
        const winners = await race(stores, version);
        expect(winners).toHaveLength(1);
        const values = new Map((await all(stores[0] as RecordStore)).map(({ sort, value }) => [sort, value]));
        expect([values.get('a'), values.get(`of ${version}`)]).toEqual([`w${winners[0]}`, `w${winners[0]}`]);
      }
    });

    it(`assign serials without gap or repeat to ${WRITERS} writers`, async () => {
      const stores = await processes(backend, WRITERS);
      const assigned: [serial: number, writer: string][] = [];
      const write = async (store: RecordStore, index: number): Promise<void> => {
        for (let count = 0; count < SERIALS_PER_WRITER; count += 1) {
          assigned.push([await append(store, `w${index}`), `w${index}`]);
        }
      };
      await Promise.all(stores.map(write));
      assigned.sort(([a], [b]) => a - b);
      expect(assigned.map(([serial]) => serial)).toEqual(assigned.map((_, index) => index + 1));
      const rows = (await all(stores[0] as RecordStore)).filter(({ sort }) => sort !== 'head');
      expect(rows.map(({ sort, value }) => [sort, value])).toEqual(
        assigned.map(([serial, writer]) => [serialOf(serial), writer]),
      );
    });

    it('apply all when they share no row', async () => {
      const store = await connected(backend);
      const names = Array.from({ length: 20 }, (_, index) => `k${String(index).padStart(2, '0')}`);
      const commits = names.map((sort) =>
        store.commit(commitOf({ conditions: [absent(sort)], puts: [row(sort)] })),
      );
      expect(await Promise.all(commits)).toEqual(names.map(() => true));
      expect(sorts(await all(store))).toEqual(names);
    });

    it('apply one of two that each condition on a row the other writes', async () => {
      const store = await connected(backend);
      for (let round = 0; round < 10; round += 1) {
        const [a, b] = [`a${round}`, `b${round}`];
        const outcomes = await Promise.all([
          store.commit(commitOf({ conditions: [absent(a)], puts: [row(b)] })),
          store.commit(commitOf({ conditions: [absent(b)], puts: [row(a)] })),
        ]);
        expect(outcomes.toSorted()).toEqual([false, true]);
      }
    });
  });
}
