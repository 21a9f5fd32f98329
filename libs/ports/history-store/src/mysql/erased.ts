import { ROWS } from '../sql/rows.js';
import type { PartDone, PurgeScope } from '../sql/scope.js';

/** A writer's transaction has long ended by then, so no entry with a lower number comes later. */
const SETTLED_MS = 60_000;
const PROGRESS = 'erased_up_to';

/** As in PostgreSQL: erases what operators took away, in the order of their log. */
export async function eraseForOperators(scope: PurgeScope): Promise<PartDone | null> {
  const { session, table, request } = scope;
  const { rows } = await session.query(
    `select l.id, l.app_id, l.channel, l.operation from ${table('operator_log')} l
      where l.id > coalesce((select cast(m.value as signed) from ${table('meta')} m where m.name = ?), 0)
        and l.at_ms <= ? order by l.id limit 1`,
    [PROGRESS, request.nowMs - SETTLED_MS],
  );
  const [entry] = rows;
  if (entry === undefined) return null;
  const streams = await session.query(
    `select s.stream_key, s.generation, s.floor_history_serial from ${table('streams')} s
      where s.app_id = ? and s.channel = ? order by s.app_id, s.channel, s.kind for update`,
    [String(entry['app_id']), String(entry['channel'])],
  );
  for (const stream of streams.rows) {
    const key = String(stream['stream_key']);
    const generation = Number(stream['generation']);
    const removed =
      String(entry['operation']) === 'purge'
        ? await eraseBelowFloor(scope, key, generation, Number(stream['floor_history_serial']))
        : await removeOldGenerations(scope, key, generation);
    if (removed > 0) return { evicted: [], removed };
  }
  await session.query(
    `insert into ${table('meta')} values (?, ?) on duplicate key update value = values(value)`,
    [PROGRESS, String(entry['id'])],
  );
  return { evicted: [], removed: 0 };
}

async function eraseBelowFloor(
  { session, table, request }: PurgeScope,
  key: string,
  generation: number,
  floor: number,
): Promise<number> {
  const records = await session.query(
    `update ${table('records')} set payload = null, payload_size = 0, tombstone = true, event_name = null,
        message_id = null, actor_client_id = null where stream_key = ? and generation = ?
        and coalesce(root_history_serial, history_serial) < ? and not tombstone limit ?`,
    [key, generation, floor, request.batch],
  );
  if (records.changed > 0) return records.changed;
  const events = await session.query(
    `delete from ${table('presence_events')} where stream_key = ? and generation = ? and serial < ? limit ?`,
    [key, generation, floor, request.batch],
  );
  await session.query(
    `delete from ${table('presence_checkpoints')} where stream_key = ? and generation = ? and serial < ?`,
    [key, generation, floor],
  );
  return events.changed;
}

async function removeOldGenerations(
  { session, table, request }: PurgeScope,
  key: string,
  generation: number,
): Promise<number> {
  const names = [
    ...Object.values(ROWS).map((rows) => rows.table),
    'presence_members',
    'presence_checkpoints',
  ];
  for (const name of names) {
    const { changed } = await session.query(
      `delete from ${table(name)} where stream_key = ? and generation < ? limit ?`,
      [key, generation, request.batch],
    );
    if (changed > 0) return changed;
  }
  return 0;
}
