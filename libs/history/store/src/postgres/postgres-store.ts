import type { Database, SqlSession } from '@carillon/database';
import { SqlReads } from '../sql/sql-reads.js';
import type { Names } from '../sql/shown.js';
import type { Changes, Found, Wanted } from '../model/changes.js';
import type { Stream, StreamAddress } from '../model/stream.js';
import { type DurableStore, type TailQuery, TRANSACTION_LIMITS, type Watermark } from '../port.js';
import type { AppSurvey, PurgeRequest, PurgeStep } from '../retention.js';
import { MESSAGE_DIALECT } from './message-dialect.js';
import { PostgresCommits } from './commits.js';
import { readUnsafeSettings } from './durability.js';
import { asStoreFailure } from '../sql/failure-of.js';
import { Partitions } from './partitions.js';
import { PostgresPurger } from './purge/purger.js';
import { readBehind, readHeads } from './heads.js';
import type { Spread } from './spread.js';
import { tableNames, tablesName } from './tables.js';

export interface PostgresHistoryOptions {
  readonly prefix: string;
  readonly spread: Spread;
  readonly now: () => number;
  /** Connections of their own for everything that only reads; absent: the same. */
  readonly reads?: Database;
  /**
   * Called at every connect with server settings that risk the loss of committed data, as in `fsync is off`; an error
   * it throws fails the connect.
   */
  readonly onUnsafe?: (settings: readonly string[]) => void;
  /** Whether a purge vacuums the stream table, because the server has no autovacuum. */
  readonly vacuums?: boolean;
}

/** Parts created once the tables exist. */
interface Inside {
  readonly table: (name: string) => string;
  readonly commits: PostgresCommits;
  readonly purger: PostgresPurger;
}

/**
 * Streams in PostgreSQL 15 or newer. The row of a stream is its lock; transactions never wait for it, so two writers
 * on the same streams are slower but correct. The `Database` must have the tables of `historyTables` and the
 * connections of `laneConnections`.
 */
export class PostgresHistoryStore extends SqlReads implements DurableStore {
  readonly limits = TRANSACTION_LIMITS;
  protected readonly messageDialect = MESSAGE_DIALECT;
  readonly #reads: Database;
  /** Null: where the tables are is not known yet. */
  #tables: Inside | null = null;
  /** Null: it has not worked yet. */
  #connecting: Promise<void> | null = null;

  constructor(
    private readonly database: Database,
    private readonly options: PostgresHistoryOptions,
  ) {
    super();
    this.#reads = options.reads ?? database;
  }

  /** Throws before the store was connected once. */
  get #inside(): Inside {
    this.#tables ??= this.#found();
    return this.#tables;
  }

  #found(): Inside {
    const { prefix, spread, vacuums = false } = this.options;
    const table = tableNames(prefix, this.database.place(tablesName(prefix)));
    const partitions = new Partitions(this.database, table, prefix, spread);
    return {
      table,
      commits: new PostgresCommits(this.database, table, partitions),
      purger: new PostgresPurger(this.database, table, prefix, partitions, vacuums),
    };
  }

  protected get table(): Names {
    return this.#inside.table;
  }

  connect(): Promise<void> {
    this.#connecting ??= asStoreFailure(() => this.#connect()).catch((thrown: unknown) => {
      this.#connecting = null;
      throw thrown;
    });
    return this.#connecting;
  }

  async #connect(): Promise<void> {
    await this.database.connect();
    await this.#reads.connect();
    const unsafe = await readUnsafeSettings(this.database);
    if (unsafe.length > 0) this.options.onUnsafe?.(unsafe);
  }

  commit<Decision extends { readonly changes: Changes }>(
    wanted: Wanted,
    decide: (found: Found) => Decision,
  ): Promise<Decision> {
    return asStoreFailure(() => this.#inside.commits.commit(wanted, decide));
  }

  raiseWatermarks(
    marks: readonly Watermark[],
    seen: { readonly lanes: readonly number[]; readonly writerId: string; readonly nowMs: number },
  ): Promise<void> {
    return asStoreFailure(async () => {
      await this.database.query(
        `insert into ${this.table('lanes')} (lane, writer_id, seen_at_ms)
          select lane, $2, $3 from unnest($1::int[]) as v(lane) order by lane
          on conflict (lane) do update set writer_id = excluded.writer_id, seen_at_ms = excluded.seen_at_ms`,
        [seen.lanes, seen.writerId, seen.nowMs],
      );
      if (marks.length === 0) return;
      await this.database.query(
        `with held as (select s.stream_key from ${this.table('streams')} s where s.stream_key = any($1::bigint[])
            order by s.stream_key for no key update)
          update ${this.table('streams')} s set fanned_out_serial = v.serial
            from unnest($1::bigint[], $2::int[], $3::bigint[]) as v(stream_key, generation, serial)
              join held on held.stream_key = v.stream_key
            where s.stream_key = v.stream_key and s.generation = v.generation and s.fanned_out_serial < v.serial`,
        [
          marks.map(({ streamKey }) => streamKey),
          marks.map(({ generation }) => generation),
          marks.map(({ serial }) => serial),
        ],
      );
    });
  }

  laneSeenAtMs(lane: number): Promise<number | null> {
    return asStoreFailure(async () => {
      const { rows } = await this.database.query(
        `select seen_at_ms from ${this.table('lanes')} where lane = $1`,
        [lane],
      );
      return rows[0] === undefined ? null : Number(rows[0]['seen_at_ms']);
    });
  }

  agreedLanes(): Promise<number | null> {
    return asStoreFailure(async () => {
      const { rows } = await this.database.query(
        `select value from ${this.table('meta')} where key = 'writer_shards'`,
      );
      return rows[0] === undefined ? null : Number(rows[0]['value']);
    });
  }

  agreeOnLanes(lanes: number, replace: boolean): Promise<number> {
    return asStoreFailure(async () => {
      const onConflict = replace ? 'do update set value = excluded.value' : 'do nothing';
      await this.database.query(
        `insert into ${this.table('meta')} (key, value) values ('writer_shards', $1) on conflict (key) ${onConflict}`,
        [String(lanes)],
      );
      return (await this.agreedLanes()) ?? lanes;
    });
  }

  behind(query: TailQuery): Promise<readonly Stream[]> {
    return asStoreFailure(() => readBehind(this.database, this.table, query, this.options.now()));
  }

  heads(addresses: readonly StreamAddress[]): Promise<ReadonlyMap<string, Stream>> {
    return asStoreFailure(() => readHeads(this.#reads, this.table, addresses));
  }

  purge(request: PurgeRequest): Promise<PurgeStep | null> {
    return asStoreFailure(() => this.#inside.purger.purge(request));
  }

  async survey(): Promise<readonly AppSurvey[]> {
    return this.#inside.purger.survey;
  }

  protected read<Result>(work: (session: SqlSession) => Promise<Result>): Promise<Result> {
    return work(this.#reads);
  }

  protected readHistory<Result>(work: (session: SqlSession) => Promise<Result>): Promise<Result> {
    return this.#reads.transaction(work, READING);
  }

  protected readForLane<Result>(work: (session: SqlSession) => Promise<Result>): Promise<Result> {
    return work(this.database);
  }
}

/**
 * A page follows an index and stops. Without statistics, or with those of yesterday, gathering all of a stream and
 * sorting it is taken for just as cheap.
 */
const READING = [
  'set transaction isolation level repeatable read, read only',
  'set local enable_seqscan = off',
  'set local enable_bitmapscan = off',
  'set local enable_sort = off',
  'set local jit = off',
].join('; ');
