import { randomUUID } from 'node:crypto';
import type { Database, SqlSession } from '@carillon/database';
import { StoreFailure } from '../failures.js';
import { slotsBetween } from '../model/calendar.js';
import { SqlReads } from '../sql/sql-reads.js';
import type { Names } from '../sql/shown.js';
import type { Changes, Found, Wanted } from '../model/changes.js';
import { routeOf } from '../model/route.js';
import type { Stream, StreamAddress } from '../model/stream.js';
import { type DurableStore, type TailQuery, TRANSACTION_LIMITS, type Watermark } from '../port.js';
import type { AppSurvey, PurgeRequest, PurgeStep } from '../retention.js';
import { asStoreFailure } from '../sql/failure-of.js';
import { KINDS, STREAM_COLUMNS, streamOf } from '../sql/rows.js';
import { findWanted, lockStreams, selectStreams } from './find.js';
import { MESSAGE_DIALECT } from './message-dialect.js';
import { NumberedSession } from './numbered.js';
import { MysqlPurger } from './purge.js';
import { tuples } from './statements.js';
import { BY_STATE, mysqlNames } from './tables.js';
import { writeChanges } from './write.js';

export interface MysqlHistoryOptions {
  readonly prefix: string;
  readonly now: () => number;
  /** Connections of their own for everything that only reads, set up by `ONE_MOMENT`. */
  readonly reads: Database;
  /** Called at every connect with server settings that risk the loss of committed data. */
  readonly onUnsafe?: (settings: readonly string[]) => void;
}

/** Session settings of reads that see one snapshot. */
export const ONE_MOMENT = ['set session transaction isolation level repeatable read, read only'];

/** Streams are created, and once more if another process removed them meanwhile: more rounds indicate a fault. */
const MAX_ROUNDS = 3;
/** Streams searched for a tail per call; the next call finds the rest. */
const MAX_BEHIND = 10_000;

/**
 * Streams in MySQL 8.0, MariaDB 10.11 or newer with InnoDB. The row of a stream is its lock; transactions never wait
 * for it. The `Database` must have the tables of `mysqlTables` and the statement timeout.
 */
export class MysqlHistoryStore extends SqlReads implements DurableStore {
  readonly limits = TRANSACTION_LIMITS;
  protected readonly table: Names;
  protected readonly messageDialect = MESSAGE_DIALECT;
  protected override readonly degradedHint = BY_STATE;
  readonly #reads: Database;
  readonly #purger: MysqlPurger;
  /** Null: it has not worked yet. */
  #connecting: Promise<void> | null = null;

  constructor(
    private readonly database: Database,
    private readonly options: MysqlHistoryOptions,
  ) {
    super();
    this.table = mysqlNames(options.prefix);
    this.#reads = options.reads;
    this.#purger = new MysqlPurger(database, options.prefix);
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
    const { rows } = await this.database.query('select @@innodb_flush_log_at_trx_commit as flush');
    const flush = Number(rows[0]?.['flush']);
    if (flush !== 1) this.options.onUnsafe?.([`innodb_flush_log_at_trx_commit is ${flush}`]);
  }

  commit<Decision extends { readonly changes: Changes }>(
    wanted: Wanted,
    decide: (found: Found) => Decision,
  ): Promise<Decision> {
    return asStoreFailure(async () => {
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const outcome = await this.database.transaction((session) => this.#batch(session, wanted, decide));
        if (!Array.isArray(outcome)) return outcome as Decision;
        await this.#makeStreams(outcome as StreamAddress[], wanted.nowMs);
      }
      throw new StoreFailure('conflict', 'what the batch needs is removed as fast as it is made');
    });
  }

  /** Returns the decision, or the streams that must be created first. */
  async #batch<Decision extends { readonly changes: Changes }>(
    session: SqlSession,
    wanted: Wanted,
    decide: (found: Found) => Decision,
  ): Promise<Decision | readonly StreamAddress[]> {
    const held = await lockStreams(session, this.table, wanted);
    const toMake = wanted.streams
      .filter(({ address, create }) => create && held.absent.includes(address))
      .map(({ address }) => address);
    if (toMake.length > 0) return toMake;
    const decision = decide(await findWanted(session, this.table, wanted, held));
    await writeChanges(session, this.table, decision.changes);
    return decision;
  }

  async #makeStreams(addresses: readonly StreamAddress[], nowMs: number): Promise<void> {
    const sorted = [...addresses].sort((one, other) => Buffer.compare(keyOf(one), keyOf(other)));
    await this.database.query(
      `insert ignore into ${this.table('streams')} (app_id, channel, kind, route, stream_id, updated_at_ms)
        values ${tuples(sorted.length, 6)}`,
      sorted.flatMap(({ appId, channel, kind }) => [
        appId,
        channel,
        KINDS[kind],
        routeOf(appId, channel),
        randomUUID(),
        nowMs,
      ]),
    );
  }

  raiseWatermarks(
    marks: readonly Watermark[],
    seen: { readonly lanes: readonly number[]; readonly writerId: string; readonly nowMs: number },
  ): Promise<void> {
    return asStoreFailure(async () => {
      if (seen.lanes.length > 0)
        await this.database.query(
          `insert into ${this.table('lanes')} (lane, writer_id, seen_at_ms) values ${tuples(seen.lanes.length, 3)}
            on duplicate key update writer_id = values(writer_id), seen_at_ms = values(seen_at_ms)`,
          [...seen.lanes]
            .sort((one, other) => one - other)
            .flatMap((lane) => [lane, seen.writerId, seen.nowMs]),
        );
      if (marks.length === 0) return;
      const raised = marks
        .map(() => 'select ? as stream_key, ? as generation, ? as serial')
        .join(' union all ');
      await this.database.query(
        `update ${this.table('streams')} s join (${raised}) v on v.stream_key = s.stream_key
            and v.generation = s.generation
          set s.fanned_out_serial = greatest(s.fanned_out_serial, v.serial)`,
        marks.flatMap(({ streamKey, generation, serial }) => [Number(streamKey), generation, serial]),
      );
    });
  }

  laneSeenAtMs(lane: number): Promise<number | null> {
    return asStoreFailure(async () => {
      const { rows } = await this.database.query(
        `select seen_at_ms from ${this.table('lanes')} where lane = ?`,
        [lane],
      );
      return rows[0] === undefined ? null : Number(rows[0]['seen_at_ms']);
    });
  }

  agreedLanes(): Promise<number | null> {
    return asStoreFailure(async () => {
      const { rows } = await this.database.query(
        `select cast(value as char) as value from ${this.table('meta')} where name = 'writer_shards'`,
      );
      return rows[0] === undefined ? null : Number(rows[0]['value']);
    });
  }

  agreeOnLanes(lanes: number, replace: boolean): Promise<number> {
    return asStoreFailure(async () => {
      const kept = replace ? 'values(value)' : 'value';
      await this.database.query(
        `insert into ${this.table('meta')} values ('writer_shards', ?) on duplicate key update value = ${kept}`,
        [String(lanes)],
      );
      return (await this.agreedLanes()) ?? lanes;
    });
  }

  behind({ lane, lanes, sinceMs }: TailQuery): Promise<readonly Stream[]> {
    return asStoreFailure(async () => {
      const slots = slotsBetween(sinceMs, this.options.now());
      const { rows } = await new NumberedSession(this.database).query(
        `select ${STREAM_COLUMNS} from ${this.table('streams')} s where s.kind = 1 and s.route % $1 = $2
            and s.fanned_out_serial < s.next_delivery_serial - 1 and s.stream_key in
              (select r.stream_key from ${this.table('receipts')} r where r.slot in ($3) and r.at_ms >= $4)
          limit ${MAX_BEHIND}`,
        [lanes, lane, slots, sinceMs],
      );
      return rows.map(streamOf);
    });
  }

  heads(addresses: readonly StreamAddress[]): Promise<ReadonlyMap<string, Stream>> {
    return asStoreFailure(() => selectStreams(this.#reads, this.table, addresses));
  }

  purge(request: PurgeRequest): Promise<PurgeStep | null> {
    return asStoreFailure(() => this.#purger.purge(request));
  }

  async survey(): Promise<readonly AppSurvey[]> {
    return this.#purger.survey;
  }

  protected read<Result>(work: (session: SqlSession) => Promise<Result>): Promise<Result> {
    return work(new NumberedSession(this.#reads));
  }

  protected readHistory<Result>(work: (session: SqlSession) => Promise<Result>): Promise<Result> {
    return this.#reads.transaction((session) => work(new NumberedSession(session)));
  }

  protected readForLane<Result>(work: (session: SqlSession) => Promise<Result>): Promise<Result> {
    return work(new NumberedSession(this.database));
  }
}

/** Name comparison of the server. */
const keyOf = ({ appId, channel, kind }: StreamAddress): Buffer =>
  Buffer.from(`${appId}\0${channel}\0${KINDS[kind]}`);
