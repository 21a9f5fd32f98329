import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { Commit, RecordStore, Row } from '../src/index.js';

/** Hooks of a driver for the conformance suite. */
export interface RecordsBackend {
  /**
   * A store over this table, not connected, whose calls have this limit; absent: one for tests. Stores of one table behave
   * as processes of one installation.
   */
  readonly open: (table: string, timeoutMs?: number) => Promise<RecordStore>;
  /** Absent: rows live in this process. */
  readonly server?: RecordsServer;
  /** A store whose credentials the server rejects; absent if the server checks none. */
  readonly openWithWrongCredentials?: () => Promise<RecordStore>;
}

/** A server that belongs to one test file. */
export interface RecordsServer {
  /** A crash and a start over the same data; resolves when it answers. Null: the server keeps its rows in memory. */
  readonly restart: (() => Promise<void>) | null;
  /** Keeps connections open and answers nothing. */
  readonly pause: () => Promise<void>;
  readonly resume: () => Promise<void>;
}

/** A connected store, closed after the test. */
export async function connected(
  backend: RecordsBackend,
  table = newTable(),
  timeoutMs?: number,
): Promise<RecordStore> {
  const store = await backend.open(table, timeoutMs);
  onTestFinished(() => store.close());
  await store.connect();
  return store;
}

/** Stores of one table, as many processes have them. */
export async function processes(backend: RecordsBackend, count: number): Promise<RecordStore[]> {
  const table = newTable();
  return Promise.all(Array.from({ length: count }, () => connected(backend, table)));
}

/** A name that no test has used: a letter, then letters and digits. */
export const newTable = (): string => `t${randomUUID().replaceAll('-', '')}`;

/** A row that never expires. */
export const row = (sort: string, version = 1, value = `value of ${sort}`): Omit<Row, 'partition'> => ({
  sort,
  version,
  value,
  expiresAtMs: null,
});

/** A condition that the row does not exist. */
export const absent = (sort: string) => ({ sort, version: null });

/** A commit of partition `p`. */
export const commitOf = (parts: Partial<Commit>): Commit => ({
  partition: 'p',
  conditions: [],
  puts: [],
  deletes: [],
  ...parts,
});

/** Every row of a partition, in order. */
export const all = (store: RecordStore, partition = 'p'): Promise<Row[]> =>
  store.range({ partition, from: null, to: null, reverse: false, limit: 10_000 });

export const sorts = (rows: readonly Row[]): string[] => rows.map(({ sort }) => sort);

export const inPartition = (partition: string, rows: readonly Omit<Row, 'partition'>[]): Row[] =>
  rows.map((one) => ({ partition, ...one }));
