import { type PurgeScope, today } from '../sql/scope.js';
import { type RoundDialect, type Span, UNUSED_MS } from '../sql/stream-round.js';
import { NumberedSession } from './numbered.js';

async function removeUnused(scope: PurgeScope, { after, last }: Span): Promise<number> {
  const { session, table, request } = scope;
  const { rows } = await session.query(
    `select cast(s.stream_key as char) as stream_key from ${table('streams')} s where s.stream_key > ?
        and s.stream_key <= ? and s.retained_messages = 0 and s.updated_at_ms < ?
        and (s.last_keep_day is null or s.last_keep_day < ?)
      order by s.app_id, s.channel, s.kind limit ? for update skip locked`,
    [after, last, request.nowMs - UNUSED_MS, today(scope), request.batch],
  );
  const keys = rows.map((row) => Number(row['stream_key']));
  if (keys.length === 0) return 0;
  for (const name of ['presence_members', 'presence_checkpoints', 'streams'])
    await session.query(`delete from ${table(name)} where stream_key in (?)`, [keys]);
  return keys.length;
}

/** The round through the streams of MySQL. */
export const MYSQL_ROUND: RoundDialect = {
  lock: 'for update',
  session: (session) => new NumberedSession(session),
  removeUnused,
};
