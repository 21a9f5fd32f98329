import type { AppSurvey } from '../retention.js';
import { STREAM_COLUMNS, streamOf } from '../sql/rows.js';
import { type PartDone, type PurgeScope, today } from '../sql/scope.js';
import { trimStream } from '../sql/trim.js';
import { NumberedSession } from './numbered.js';

const UNUSED_MS = 30 * 86_400_000;
const LOOKED_AT = 50_000;
const TRIED_AT_ONCE = 20;

/** Goes through all streams in the order of their keys, as in PostgreSQL. */
export class MysqlStreamRound {
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
      `select cast(max(w.stream_key) as char) as last from (select s.stream_key from ${table('streams')} s
        where s.stream_key > ? order by s.stream_key limit ${LOOKED_AT}) w`,
      [Number(this.#after)],
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
    this.#tried = last;
    return { evicted: [], removed: 0 };
  }

  async #trim(scope: PurgeScope, last: string): Promise<PartDone | null> {
    const session = new NumberedSession(scope.session);
    const { rows } = await session.query(
      `select ${STREAM_COLUMNS} from ${scope.table('streams')} s where s.stream_key > $1 and s.stream_key <= $2
          and (s.retained_messages > s.max_messages or s.retained_bytes > s.max_bytes)
        order by s.stream_key limit ${TRIED_AT_ONCE} for update skip locked`,
      [Number(this.#tried), Number(last)],
    );
    for (const row of rows) {
      const stream = streamOf(row);
      const done = await trimStream({ ...scope, session }, stream);
      if (done !== null) return done;
      this.#tried = stream.streamKey;
    }
    return rows.length < TRIED_AT_ONCE ? null : { evicted: [], removed: 0 };
  }

  async #count({ session, table }: PurgeScope, last: string): Promise<void> {
    const { rows } = await session.query(
      `select s.app_id, s.kind, sum(s.retained_messages) as records, sum(s.retained_bytes) as bytes,
          sum(s.durable_state = 1) as degraded, sum(s.durable_state = 2) as reset
        from ${table('streams')} s where s.stream_key > ? and s.stream_key <= ? group by s.app_id, s.kind`,
      [Number(this.#after), Number(last)],
    );
    for (const row of rows) {
      const appId = String(row['app_id']);
      const kind = Number(row['kind']) === 1 ? 'messages' : 'presence';
      const before = this.#counting.get(`${appId}\0${kind}`);
      this.#counting.set(`${appId}\0${kind}`, {
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
    `select cast(s.stream_key as char) as stream_key from ${table('streams')} s where s.stream_key > ?
        and s.stream_key <= ? and s.retained_messages = 0 and s.updated_at_ms < ?
        and (s.last_keep_day is null or s.last_keep_day < ?)
      order by s.app_id, s.channel, s.kind limit ? for update skip locked`,
    [Number(after), Number(last), request.nowMs - UNUSED_MS, today(scope), request.batch],
  );
  const keys = rows.map((row) => Number(row['stream_key']));
  if (keys.length === 0) return 0;
  for (const name of ['presence_members', 'streams'])
    await session.query(`delete from ${table(name)} where stream_key in (?)`, [keys]);
  return keys.length;
}
