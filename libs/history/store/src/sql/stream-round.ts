import type { SqlSession } from '@carillon/database';
import type { AppSurvey } from '../retention.js';
import { STREAM_COLUMNS, streamOf } from './rows.js';
import { type PartDone, type PurgeScope, today } from './scope.js';
import { SHOWN } from './shown.js';
import { trimStream } from './trim.js';

/** Retention of an empty stream, so that its channel can continue it. */
export const UNUSED_MS = 30 * 86_400_000;

/** Streams scanned per statement: no index finds those that need work. */
const LOOKED_AT = 50_000;

const TRIED_AT_ONCE = 20;

/** Rows of ending days that are scanned for hidden rows; hidden rows beyond count until they are removed. */
const COUNTED_HIDDEN = 100_000;

const OVER_CAPS = '(s.retained_messages > s.max_messages or s.retained_bytes > s.max_bytes)';

/** Counters limited by the caps: rows over them are already hidden and are removed within a minute. */
const SHOWN_MESSAGES = 'least(s.retained_messages, coalesce(s.max_messages, s.retained_messages))';
const SHOWN_BYTES = `least(s.retained_bytes * ${SHOWN_MESSAGES} / greatest(s.retained_messages, 1),
  coalesce(s.max_bytes, s.retained_bytes))`;

/** Keys of streams: those above `after`, up to `last`. */
export interface Span {
  readonly after: number;
  readonly last: number;
}

/** Differences between the databases. */
export interface RoundDialect {
  /** SQL clause that locks the stream row and waits for its holder. */
  readonly lock: string;
  /** Takes statements written for PostgreSQL. */
  session(of: SqlSession): SqlSession;
  /** Removes empty streams unused for `UNUSED_MS` with their dependent rows; resolves with their number. */
  removeUnused(scope: PurgeScope, span: Span): Promise<number>;
}

/** Goes through all streams in the order of their keys, a bounded number in each step. */
export class StreamRound {
  #after = 0;
  /** Rows over the caps are trimmed up to this key. */
  #tried = 0;
  #counting = new Map<string, AppSurvey>();
  #counted: readonly AppSurvey[] = [];

  constructor(
    private readonly dialect: RoundDialect,
    /** Whether the round only trims rows over the caps. */
    private readonly onlyTrims = false,
  ) {}

  /** Counts of the last complete round. */
  get survey(): readonly AppSurvey[] {
    return this.#counted;
  }

  /** Restarts the round. */
  reset(): void {
    this.#after = 0;
    this.#tried = 0;
    this.#counting = new Map();
  }

  /** Null: the round is at its end. */
  async step(of: PurgeScope): Promise<PartDone | null> {
    const scope: PurgeScope = { ...of, session: this.dialect.session(of.session) };
    const { rows } = await scope.session.query(
      `select max(w.stream_key) as last from (select s.stream_key from ${scope.table('streams')} s
        where s.stream_key > $1 order by s.stream_key limit ${LOOKED_AT}) w`,
      [this.#after],
    );
    const last = rows[0]?.['last'] ?? null;
    if (last === null) {
      if (!this.onlyTrims) await this.#takeOutHidden(scope);
      this.#counted = [...this.#counting.values()];
      this.reset();
      return null;
    }
    const span: Span = { after: this.#after, last: Number(last) };
    const done = await this.#trim(scope, span.last);
    if (done !== null) return done;
    if (!this.onlyTrims) {
      const removed = await this.dialect.removeUnused(of, span);
      if (removed > 0) return { evicted: [], removed };
      await this.#count(scope, span);
    }
    this.#after = span.last;
    this.#tried = span.last;
    return { evicted: [], removed: 0 };
  }

  /** One stream that is over its caps and has rows that may go. */
  async #trim(scope: PurgeScope, last: number): Promise<PartDone | null> {
    const { session, table } = scope;
    const { rows } = await session.query(
      `select s.stream_key from ${table('streams')} s where s.stream_key > $1 and s.stream_key <= $2 and ${OVER_CAPS}
        order by s.stream_key limit ${TRIED_AT_ONCE}`,
      [this.#tried, last],
    );
    for (const { stream_key: key } of rows) {
      // A busy channel is always locked by a lane: skipping locked rows would never trim it. Lanes do not wait for
      // locks, so this wait cannot deadlock.
      const held = await session.query(
        `select ${STREAM_COLUMNS} from ${table('streams')} s where s.stream_key = $1 and ${OVER_CAPS} ${this.dialect.lock}`,
        [String(key)],
      );
      const [row] = held.rows;
      const done = row === undefined ? null : await trimStream(scope, streamOf(row));
      if (done !== null) return done;
      // The rows over the caps are too young; the round continues after them.
      this.#tried = Number(key);
    }
    return rows.length < TRIED_AT_ONCE ? null : { evicted: [], removed: 0 };
  }

  /** Subtracts expired rows that are not removed yet from the counters: only partitions up to today contain any. */
  async #takeOutHidden(scope: PurgeScope): Promise<void> {
    const { session, table, request } = scope;
    for (const kind of ['messages', 'presence'] as const) {
      const { table: name, serial, size, until } = SHOWN[kind];
      const { rows } = await session.query(
        `select s.app_id, count(*) as records, sum(c.size) as bytes
          from (select c.stream_key, c.generation, c.${serial} as serial, c.${size} as size, c.${until} as until
              from ${table(name)} c where c.keep_day <= $1::date limit ${COUNTED_HIDDEN}) c
            join ${table('streams')} s on s.stream_key = c.stream_key and s.generation = c.generation
          where c.until <= $2 and c.serial >= s.floor_history_serial
            and (s.max_messages is null or c.serial >= s.next_history_serial - s.max_messages) group by s.app_id`,
        [today(scope), request.nowMs],
      );
      for (const row of rows) {
        const counted = this.#counting.get(`${String(row['app_id'])}\0${kind}`);
        if (counted === undefined) continue;
        this.#counting.set(`${counted.appId}\0${kind}`, {
          ...counted,
          records: Math.max(0, counted.records - Number(row['records'])),
          bytes: Math.max(0, counted.bytes - Number(row['bytes'])),
        });
      }
    }
  }

  async #count({ session, table }: PurgeScope, { after, last }: Span): Promise<void> {
    const { rows } = await session.query(
      `select s.app_id, s.kind, sum(${SHOWN_MESSAGES}) as records, sum(${SHOWN_BYTES}) as bytes,
          sum(case when s.durable_state = 1 then 1 else 0 end) as degraded,
          sum(case when s.durable_state = 2 then 1 else 0 end) as reset
        from ${table('streams')} s where s.stream_key > $1 and s.stream_key <= $2 group by s.app_id, s.kind`,
      [after, last],
    );
    for (const row of rows) {
      const appId = String(row['app_id']);
      const kind = Number(row['kind']) === 1 ? 'messages' : 'presence';
      const name = `${appId}\0${kind}`;
      const before = this.#counting.get(name);
      this.#counting.set(name, {
        appId,
        kind,
        records: Number(row['records']) + (before?.records ?? 0),
        bytes: Math.round(Number(row['bytes'])) + (before?.bytes ?? 0),
        degraded: Number(row['degraded']) + (before?.degraded ?? 0),
        resetRequired: Number(row['reset']) + (before?.resetRequired ?? 0),
      });
    }
  }
}
