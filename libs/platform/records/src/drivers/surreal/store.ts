import { SurrealMisconfigured, SurrealQueryFailed, SurrealThrown } from '@carillon/surreal';
import { checkCommit } from '../../check-commit.js';
import { checkPut, checkRange, distinctKeys } from '../../check-rows.js';
import { RecordsUnavailable } from '../../port.js';
import type { Commit, CommitLimits, RangeQuery, RecordStore, Row, RowKey } from '../../port.js';
import { Deadline } from '../deadline.js';
import { isEmptyRange } from '../../order.js';
import type { SurrealParts } from './parts.js';
import { Purge } from './purge.js';
import {
  COMMIT,
  DELETE_ROWS,
  READ_RANGE,
  READ_RANGE_REVERSED,
  READ_ROWS,
  recordOf,
  type RowRecord,
  rowOf,
  STALE,
  tableStatements,
  WRITE_ROWS,
} from './rows.js';

const LIMITS: CommitLimits = { rows: 500, bytes: 8_000_000, valueBytes: 1_000_000 };
/** Bytes of values in one request of a `put`. */
const REQUEST_BYTES = 8_000_000;

/** Rows as records of one table, whose ids are arrays of partition and sort; a commit is a transaction. */
export class SurrealRecords implements RecordStore {
  readonly limits = LIMITS;
  readonly #purge: Purge;

  constructor(private readonly parts: SurrealParts) {
    this.#purge = new Purge(parts);
  }

  async connect(): Promise<void> {
    await this.#call((deadline) => this.#send(tableStatements(this.parts.table), {}, deadline), isFinal);
    this.#purge.start();
  }

  async get(keys: readonly RowKey[]): Promise<Row[]> {
    const ids = this.#idsOf(distinctKeys(keys));
    if (ids.length === 0) return [];
    return this.#read(READ_ROWS, { ids });
  }

  async range(query: RangeQuery): Promise<Row[]> {
    checkRange(query);
    const { partition, from, to, reverse, limit } = query;
    if (isEmptyRange(from, to)) return [];
    // An array is greater than every text.
    const upper = to ?? ([] as const);
    const range = this.parts.session.recordRange(
      this.parts.table,
      [partition, from ?? ''],
      [partition, upper],
    );
    return this.#read(reverse ? READ_RANGE_REVERSED : READ_RANGE, { range, limit });
  }

  async commit(commit: Commit): Promise<boolean> {
    checkCommit(commit, this.limits);
    const { session, table } = this.parts;
    const { partition, conditions, puts, deletes } = commit;
    const changed = new Set([...puts.map(({ sort }) => sort), ...deletes]);
    const bindings = {
      conditions: conditions.map(({ sort, version }) => ({
        id: session.recordId(table, [partition, sort]),
        version,
        touch: !changed.has(sort),
      })),
      puts: puts.map((row) => recordOf(session, table, { ...row, partition })),
      deletes: this.#idsOf(deletes.map((sort) => ({ partition, sort }))),
    };
    try {
      await this.#call((deadline) => this.#send(COMMIT, bindings, deadline), isStale);
      return true;
    } catch (error) {
      if (isStale(error)) return false;
      throw error;
    }
  }

  async put(rows: readonly Row[]): Promise<void> {
    checkPut(rows, this.limits);
    const { session, table } = this.parts;
    await this.#call(async (deadline) => {
      for (const some of requestsOf(rows)) {
        await this.#send(WRITE_ROWS, { puts: some.map((row) => recordOf(session, table, row)) }, deadline);
      }
    });
  }

  async remove(keys: readonly RowKey[]): Promise<void> {
    const ids = this.#idsOf(distinctKeys(keys));
    await this.#call((deadline) => this.#send(DELETE_ROWS, { ids }, deadline));
  }

  async health(): Promise<void> {
    await this.#call((deadline) => this.#send('RETURN 1', {}, deadline));
  }

  async close(): Promise<void> {
    this.#purge.stop();
    await this.parts.session.close();
  }

  #idsOf(keys: readonly RowKey[]) {
    const { session, table } = this.parts;
    return keys.map(({ partition, sort }) => session.recordId(table, [partition, sort]));
  }

  async #read(text: string, bindings: Record<string, unknown>): Promise<Row[]> {
    const [records] = await this.#call((deadline) => this.#send(text, bindings, deadline));
    return (records as RowRecord[]).map(rowOf);
  }

  #send(text: string, bindings: Record<string, unknown>, { signal }: Deadline): Promise<unknown[]> {
    return this.parts.session.transaction(text, () => ({ ...bindings, now: Date.now() }), signal);
  }

  /** Runs a call within its limit. A failure becomes `RecordsUnavailable`; `keep` selects those that pass unchanged. */
  async #call<Answer>(
    work: (deadline: Deadline) => Promise<Answer>,
    keep: (error: unknown) => boolean = () => false,
  ): Promise<Answer> {
    const { timeoutMs, table } = this.parts;
    const deadline = new Deadline(timeoutMs);
    try {
      return await work(deadline);
    } catch (error) {
      if (keep(error)) throw error;
      const reason = deadline.hasPassed ? `no answer within ${timeoutMs} ms` : messageOf(error);
      throw new RecordsUnavailable(`SurrealDB table "${table}": ${reason}`, { cause: error });
    }
  }
}

const isFinal = (error: unknown): boolean =>
  error instanceof SurrealMisconfigured || error instanceof SurrealQueryFailed;

const isStale = (error: unknown): boolean => error instanceof SurrealThrown && error.value === STALE;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Divides rows into requests whose values have at most `REQUEST_BYTES` together. */
function* requestsOf(rows: readonly Row[]): Generator<readonly Row[]> {
  let some: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = Buffer.byteLength(row.value);
    if (some.length > 0 && bytes + size > REQUEST_BYTES) {
      yield some;
      some = [];
      bytes = 0;
    }
    some.push(row);
    bytes += size;
  }
  if (some.length > 0) yield some;
}
