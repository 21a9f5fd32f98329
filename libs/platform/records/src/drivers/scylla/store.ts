import { randomUUID } from 'node:crypto';
import {
  ensureTable,
  ScyllaRejected,
  type ScyllaRow,
  type ScyllaSession,
  ScyllaUnavailable,
  within,
} from '@carillon/scylla';
import { checkCommit } from '../../check-commit.js';
import { checkPut, checkRange, distinctKeys } from '../../check-rows.js';
import {
  type Commit,
  type CommitLimits,
  type RangeQuery,
  type RecordStore,
  RecordsUnavailable,
  type Row,
  type RowKey,
} from '../../port.js';
import { ScyllaCommit } from './commit.js';
import { KeyedQueue } from './keyed-queue.js';
import { createTable, deleteRow, NEVER, putRow, selectRange, selectRows } from './statements.js';

/** Far below the 16 MiB of one frame and of one commit log entry. */
const LIMITS: CommitLimits = { rows: 100, bytes: 3_500_000, valueBytes: 380_000 };
/** Rows of one request: at most 38 MB of values. */
const PAGE_ROWS = 100;

export interface ScyllaRecordsOptions {
  readonly table: string;
  /** Limit of one call, which may be several requests. */
  readonly timeoutMs: number;
  /** Absent: the clock of the system. */
  readonly nowMs?: () => number;
}

/**
 * Rows in one table of ScyllaDB or Cassandra, whose partitions are those of the port.
 *
 * Commits of one partition are serialized by the servers. Those of one process wait for each other here, since
 * concurrent ones would only interrupt each other there.
 */
export class ScyllaRecords implements RecordStore {
  readonly limits = LIMITS;
  readonly #table: string;
  readonly #name: string;
  readonly #timeoutMs: number;
  readonly #nowMs: () => number;
  readonly #commits = new KeyedQueue();

  constructor(
    private readonly session: ScyllaSession,
    { table, timeoutMs, nowMs = Date.now }: ScyllaRecordsOptions,
  ) {
    this.#table = session.table(table);
    this.#name = table;
    this.#timeoutMs = timeoutMs;
    this.#nowMs = nowMs;
  }

  async connect(): Promise<void> {
    try {
      await this.session.connect();
      await ensureTable(this.session, {
        name: this.#name,
        create: () => this.session.changeSchema(createTable(this.#table)),
        probe: () => this.#probe(),
      });
    } catch (thrown) {
      throw thrown instanceof ScyllaUnavailable ? unavailable(thrown) : thrown;
    }
  }

  async get(keys: readonly RowKey[]): Promise<Row[]> {
    const chunks = chunksOf(distinctKeys(keys));
    const reads = chunks.map(({ partition, sorts }) => selectRows(this.#table, partition, sorts));
    const rows = await this.#call(() => this.session.readMany(reads));
    return rows.map(rowOf).filter((row) => this.#isVisible(row));
  }

  async range(query: RangeQuery): Promise<Row[]> {
    checkRange(query);
    return this.#call(() => this.#readRange(query));
  }

  async commit(commit: Commit): Promise<boolean> {
    checkCommit(commit, this.limits);
    const attempt = new ScyllaCommit(this.session, this.#table, commit, this.#nowMs);
    const deadlineMs = performance.now() + this.#timeoutMs;
    const run = async (): Promise<boolean> => {
      if (performance.now() < deadlineMs) return attempt.run();
      throw new RecordsUnavailable('the commit waited too long for others of its partition');
    };
    return this.#call(() => this.#commits.run(commit.partition, run));
  }

  async put(rows: readonly Row[]): Promise<void> {
    checkPut(rows, this.limits);
    const nowMs = this.#nowMs();
    const writes = rows.map((row) => putRow(this.#table, row, nowMs, null));
    await this.#call(() => this.session.writeAll(writes));
  }

  async remove(keys: readonly RowKey[]): Promise<void> {
    const writes = distinctKeys(keys).map((key) => deleteRow(this.#table, key));
    await this.#call(() => this.session.writeAll(writes));
  }

  async health(): Promise<void> {
    await this.#call(() => this.session.health());
  }

  async close(): Promise<void> {
    await this.session.close();
  }

  async #readRange(query: RangeQuery): Promise<Row[]> {
    const fetchSize = Math.min(query.limit, PAGE_ROWS);
    const rows: Row[] = [];
    for await (const stored of this.session.readAll(selectRange(this.#table, query), { fetchSize })) {
      const row = rowOf(stored);
      if (this.#isVisible(row)) rows.push(row);
      if (rows.length === query.limit) break;
    }
    return rows;
  }

  /** A conditional write that never applies: proves that the table, the permissions and the keyspace allow one. */
  async #probe(): Promise<void> {
    // A partition of its own: probes of many processes do not interrupt each other.
    const row = {
      partition: `probe ${randomUUID()}`,
      sort: 'probe',
      version: 0,
      value: '',
      expiresAtMs: null,
    };
    const never = { kind: 'expired', version: 0n, expiresAt: 0n } as const;
    await this.session.applyIf([putRow(this.#table, row, this.#nowMs(), Buffer.alloc(0), never)]);
  }

  #isVisible({ expiresAtMs }: Row): boolean {
    return expiresAtMs === null || expiresAtMs > this.#nowMs();
  }

  /** A statement that the server refuses here was accepted at `connect`: the table or a permission was removed since. */
  async #call<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await within(this.#timeoutMs, work());
    } catch (thrown) {
      const isStorage = thrown instanceof ScyllaUnavailable || thrown instanceof ScyllaRejected;
      throw isStorage ? unavailable(thrown) : thrown;
    }
  }
}

const unavailable = (cause: Error): RecordsUnavailable => new RecordsUnavailable(cause.message, { cause });

/** Keys of one partition, at most a page of them. */
function chunksOf(keys: readonly RowKey[]): { partition: string; sorts: string[] }[] {
  const open = new Map<string, { partition: string; sorts: string[] }>();
  const chunks: { partition: string; sorts: string[] }[] = [];
  for (const { partition, sort } of keys) {
    let chunk = open.get(partition);
    if (chunk === undefined || chunk.sorts.length === PAGE_ROWS) {
      chunk = { partition, sorts: [] };
      open.set(partition, chunk);
      chunks.push(chunk);
    }
    chunk.sorts.push(sort);
  }
  return chunks;
}

function rowOf(stored: ScyllaRow): Row {
  const expiresAt = stored['expires_at'] as bigint;
  return {
    partition: String(stored['partition']),
    sort: String(stored['sort']),
    version: Number(stored['version']),
    value: String(stored['value']),
    expiresAtMs: expiresAt === NEVER ? null : Number(expiresAt),
  };
}
