import type { AppSurvey } from '../../retention.js';
import { trimStream } from '../../sql/trim.js';
import { STREAM_COLUMNS, streamOf } from '../../sql/rows.js';
import { type PartDone, type PurgeScope, today } from '../../sql/scope.js';

const UNUSED_MS = 30 * 86_400_000;

/** Streams looked at in one statement: no index tells which of them need it. */
const LOOKED_AT = 50_000;

const TRIED_AT_ONCE = 20;

/** Goes through all streams in the order of their keys, a bounded number in each step. */
export class StreamRound {
  #after = '0';
  /** Up to here, what is over its caps was trimmed. */
  #tried = '0';
  #counting = new Map<string, AppSurvey>();
  #counted: readonly AppSurvey[] = [];

  /** What the last whole round has counted. */
  get survey(): readonly AppSurvey[] {
    return this.#counted;
  }

  /** Begins anew. */
  reset(): void {
    this.#after = '0';
    this.#tried = '0';
    this.#counting = new Map();
  }

  /** Null: the round is at its end. */
  async step(scope: PurgeScope): Promise<PartDone | null> {
    const { session, table } = scope;
    const window = await session.query(
      `select max(w.stream_key)::text as last from (select s.stream_key from ${table('streams')} s where s.stream_key > $1
        order by s.stream_key limit ${LOOKED_AT}) w`,
      [this.#after],
    );
    const last = (window.rows[0]?.['last'] ?? null) as string | null;
    if (last === null) {
      this.#counted = [...this.#counting.values()];
      this.reset();
      return null;
    }
    const done = await this.#trim(scope, last);
    if (done !== null) return done;
    const removed = await removeUnused(scope, this.#after, last);
    if (removed > 0) return { evicted: [], removed };
    await this.#count(scope, last);
    this.#after = last;
    this.#tried = this.#after;
    return { evicted: [], removed: 0 };
  }

  /** One stream that is over its caps and has rows that may go. */
  async #trim(scope: PurgeScope, last: string): Promise<PartDone | null> {
    const { session, table } = scope;
    const { rows } = await session.query(
      `select ${STREAM_COLUMNS} from ${table('streams')} s where s.stream_key > $1 and s.stream_key <= $2
          and (s.retained_messages > s.max_messages or s.retained_bytes > s.max_bytes)
        order by s.stream_key limit ${TRIED_AT_ONCE} for no key update of s skip locked`,
      [this.#tried, last],
    );
    for (const row of rows) {
      const stream = streamOf(row);
      const done = await trimStream(scope, stream);
      if (done !== null) return done;
      // What is over the caps is too young yet: the round goes on behind it.
      this.#tried = stream.streamKey;
    }
    return rows.length < TRIED_AT_ONCE ? null : { evicted: [], removed: 0 };
  }

  async #count({ session, table }: PurgeScope, last: string): Promise<void> {
    const { rows } = await session.query(
      `select s.app_id, s.kind, sum(s.retained_messages) as records, sum(s.retained_bytes) as bytes,
          count(*) filter (where s.durable_state = 1) as degraded, count(*) filter (where s.durable_state = 2) as reset
        from ${table('streams')} s where s.stream_key > $1 and s.stream_key <= $2 group by s.app_id, s.kind`,
      [this.#tried, last],
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
        bytes: Number(row['bytes']) + (before?.bytes ?? 0),
        degraded: Number(row['degraded']) + (before?.degraded ?? 0),
        resetRequired: Number(row['reset']) + (before?.resetRequired ?? 0),
      });
    }
  }
}

/** Streams with nothing in them that nobody has used for long; their channels begin anew one day. */
async function removeUnused(scope: PurgeScope, after: string, last: string): Promise<number> {
  const { session, table, request } = scope;
  const { rows } = await session.query(
    `delete from ${table('streams')} s where s.stream_key in (select s.stream_key from ${table('streams')} s
        where s.stream_key > $1 and s.stream_key <= $2 and s.retained_messages = 0 and s.updated_at_ms < $3
          and coalesce(s.last_keep_day, '-infinity') < $4::date order by s.app_id, s.channel, s.kind limit $5
        for update skip locked) returning s.stream_key`,
    [after, last, request.nowMs - UNUSED_MS, today(scope), request.batch],
  );
  const keys = rows.map((row) => String(row['stream_key']));
  if (keys.length === 0) return 0;
  for (const name of ['presence_members', 'presence_checkpoints', 'messages'])
    await session.query(`delete from ${table(name)} where stream_key = any($1::bigint[])`, [keys]);
  return keys.length;
}
