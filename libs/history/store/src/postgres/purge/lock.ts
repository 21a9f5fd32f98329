import type { PurgeScope } from '../../sql/scope.js';

/** The rows of streams that are locked here; locked in the order in which lanes do. */
export async function lockByKey(
  { session, table }: PurgeScope,
  keys: readonly string[],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { rows } = await session.query(
    `select s.stream_key, s.app_id, s.kind, s.generation, s.floor_history_serial from ${table('streams')} s
      where s.stream_key = any($1::bigint[]) order by s.app_id, s.channel, s.kind for no key update`,
    [keys],
  );
  return rows;
}
