import { expect, it } from 'vitest';
import { type RecordStore, RecordsUnavailable, type Row } from '../src/index.js';
import { commitOf, processes, type RecordsBackend, row } from './backend.js';

const IS_PROOF = process.env['CARILLON_PROOF'] === 'true';
const SEED = Number(process.env['CARILLON_SEED'] ?? 1);
const CRASHES = IS_PROOF ? 8 : 1;
const WRITERS = 3;
const ROWS_PER_COMMIT = 40;
/** Resolved commits before a crash: at least so many, and up to so many more. */
const COMMITS = { least: 8, more: 24 };
/** Time from the last awaited commit to the crash: up to so many milliseconds. */
const LONGEST_DELAY_MS = 40;
const LIMIT_MS = 90_000;

/** Integers below a bound, the same for the same seed. */
function randomOf(seed: number): (bound: number) => number {
  let state = seed >>> 0;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

const namesOf = (serial: number): string[] =>
  Array.from({ length: ROWS_PER_COMMIT }, (_, index) => `r${String(serial).padStart(6, '0')}/${index + 10}`);

/** Every attempt of a commit has a version of its own, also of the same serial. */
const ATTEMPTS = 2 ** 20;
const versionOf = (serial: number, attempt: number): number => serial * ATTEMPTS + attempt;
const serialOf = (version: number): number => Math.floor(version / ATTEMPTS);

interface Progress {
  isOver: boolean;
  attempts: number;
  /** Versions of resolved commits. */
  readonly resolved: number[];
  /** Versions of commits that resolved with false. */
  readonly refused: number[];
}

/** Commits batches under the serial after the head, until the progress is over; a failed call is followed by a new read. */
async function write(store: RecordStore, progress: Progress): Promise<void> {
  while (!progress.isOver) {
    try {
      const [head] = await store.get([{ partition: 'p', sort: 'head' }]);
      const serial = serialOf(head?.version ?? 0) + 1;
      const version = versionOf(serial, (progress.attempts += 1));
      const conditions = [{ sort: 'head', version: head?.version ?? null }];
      const batch = namesOf(serial).map((sort) => row(sort, version, 'x'.repeat(2000)));
      const isDone = await store.commit(commitOf({ conditions, puts: [row('head', version), ...batch] }));
      (isDone ? progress.resolved : progress.refused).push(version);
    } catch (error) {
      if (!(error instanceof RecordsUnavailable)) throw error;
      await new Promise((later) => setTimeout(later, 20));
    }
  }
}

/** Every row of the partition, a thousand at a time. */
async function everyRow(store: RecordStore): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const last = rows.at(-1);
    // Exclusive: the smallest string after it.
    const from = last === undefined ? null : `${last.sort}\u0001`;
    const page = await store.range({ partition: 'p', from, to: null, reverse: false, limit: 1000 });
    rows.push(...page);
    if (page.length < 1000) return rows;
  }
}

/** Names of rows by the version of their commit. */
function batchesOf(rows: readonly Row[]): Map<number, string[]> {
  const batches = new Map<number, string[]>();
  for (const { sort, version } of rows) {
    if (sort !== 'head') batches.set(version, [...(batches.get(version) ?? []), sort]);
  }
  return batches;
}

/** What a crash of the server in the middle of commits leaves behind. */
export function crashConformance(backend: RecordsBackend): void {
  const restart = backend.server?.restart ?? null;
  if (restart === null) return;

  it(
    `keep each commit as a whole or not at all, and every resolved one, when the server crashes (seed ${SEED})`,
    async () => {
      const random = randomOf(SEED);
      const stores = await processes(backend, WRITERS);
      const progress: Progress = { isOver: false, attempts: 0, resolved: [], refused: [] };
      const writing = Promise.all(stores.map((store) => write(store, progress)));
      for (let crash = 1; crash <= CRASHES; crash += 1) {
        const enough = progress.resolved.length + COMMITS.least + random(COMMITS.more);
        const delayMs = random(LONGEST_DELAY_MS);
        await expect
          .poll(() => progress.resolved.length, { timeout: LIMIT_MS, interval: 2 })
          .toBeGreaterThan(enough);
        await new Promise((later) => setTimeout(later, delayMs));
        await restart();
      }
      const before = progress.resolved.length;
      await expect.poll(() => progress.resolved.length, { timeout: LIMIT_MS }).toBeGreaterThan(before);
      progress.isOver = true;
      await writing;

      const [store] = stores;
      if (store === undefined) throw new Error('no store');
      const rows = await everyRow(store);
      const batches = batchesOf(rows);
      for (const [version, names] of batches) expect(names).toEqual(namesOf(serialOf(version)));
      const serials = [...batches.keys()].map(serialOf).sort((one, other) => one - other);
      expect(serials).toEqual(serials.map((_, index) => index + 1));
      expect(progress.resolved.filter((version) => !batches.has(version))).toEqual([]);
      expect(progress.refused.filter((version) => batches.has(version))).toEqual([]);
      const head = rows.find(({ sort }) => sort === 'head');
      expect(serialOf(head?.version ?? 0)).toBe(batches.size);
    },
    LIMIT_MS * (CRASHES + 1),
  );
}
