import { type PurgeScope, today } from '../../sql/scope.js';
import { type RoundDialect, type Span, UNUSED_MS } from '../../sql/stream-round.js';

async function removeUnused(scope: PurgeScope, { after, last }: Span): Promise<number> {
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

/** The round through the streams of PostgreSQL. */
export const POSTGRES_ROUND: RoundDialect = {
  lock: 'for no key update of s',
  session: (session) => session,
  removeUnused,
};
