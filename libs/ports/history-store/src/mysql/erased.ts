import type { SqlScalar } from '@carillon/database';
import { ROWS } from '../sql/rows.js';
import type { PartDone, PurgeScope } from '../sql/scope.js';
import { tuples } from './statements.js';

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
    `select s.stream_key, s.generation, s.floor_history_serial, s.floor_message_serial from ${table('streams')} s
      where s.app_id = ? and s.channel = ? order by s.app_id, s.channel, s.kind for update`,
    [String(entry['app_id']), String(entry['channel'])],
  );
  for (const stream of streams.rows) {
    const key = String(stream['stream_key']);
    const generation = Number(stream['generation']);
    const removed =
      String(entry['operation']) === 'purge'
        ? await eraseBelowFloor(scope, key, generation, {
            history: Number(stream['floor_history_serial']),
            messages: Number(stream['floor_message_serial']),
          })
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
  scope: PurgeScope,
  key: string,
  generation: number,
  floors: { readonly history: number; readonly messages: number },
): Promise<number> {
  const { session, table, request } = scope;
  const records = await session.query(
    `update ${table('records')} set payload = null, payload_size = 0, tombstone = true, event_name = null,
        message_id = null, actor_client_id = null, op_hash = null, op_fingerprint = null where stream_key = ? and generation = ?
        and coalesce(root_history_serial, history_serial) < if(action = 0, ?, ?) and not tombstone limit ?`,
    [key, generation, floors.history, floors.messages, request.batch],
  );
  if (records.changed > 0) return records.changed;
  const messages = await removeMessages(scope, 'stream_key = ? and history_serial < ?', [
    key,
    floors.messages,
  ]);
  if (messages > 0) return messages;
  const events = await session.query(
    `delete from ${table('presence_events')} where stream_key = ? and generation = ? and serial < ? limit ?`,
    [key, generation, floors.history, request.batch],
  );
  await session.query(
    `delete from ${table('presence_checkpoints')} where stream_key = ? and generation = ? and serial < ?`,
    [key, generation, floors.history],
  );
  return events.changed;
}

async function removeOldGenerations(scope: PurgeScope, key: string, generation: number): Promise<number> {
  const messages = await removeMessages(scope, 'stream_key = ? and generation < ?', [key, generation]);
  if (messages > 0) return messages;
  const { session, table, request } = scope;
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

/** Removes messages with what was annotated to them. */
export async function removeMessages(
  { session, table, request }: PurgeScope,
  which: string,
  values: readonly SqlScalar[],
): Promise<number> {
  const { rows } = await session.query(
    `select cast(stream_key as char) as stream_key, message_serial from ${table('messages')} where ${which} limit ?`,
    [...values, request.batch],
  );
  if (rows.length === 0) return 0;
  const keys = rows.flatMap((row) => [String(row['stream_key']), String(row['message_serial'])]);
  for (const name of ['annotations', 'annotation_summaries', 'messages'])
    await session.query(
      `delete from ${table(name)} where (stream_key, message_serial) in (${tuples(rows.length, 2)})`,
      keys,
    );
  return rows.length;
}
