import type { SqlScalar } from '@carillon/database';
import { ROWS } from '../sql/rows.js';
import type { PartDone, PurgeScope } from '../sql/scope.js';
import { tuples } from './statements.js';

/** A writer's transaction has long ended by then, so no entry with a lower number comes later. */
const SETTLED_MS = 60_000;
const PROGRESS = 'erased_up_to';

/** Erases the rows removed by operators, in the order of the operator log, as for PostgreSQL. */
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
  const found = streams.rows.map((row): Locked => ({
    entry: String(entry['id']),
    key: String(row['stream_key']),
    generation: Number(row['generation']),
    floor: String(row['floor_history_serial']),
    messageFloor: String(row['floor_message_serial']),
  }));
  const erase = String(entry['operation']) === 'purge' ? eraseBelowFloor : removeOldGenerations;
  for (const stream of found) {
    const removed = await erase(scope, stream);
    if (removed !== null) return { evicted: [], removed };
  }
  await putMeta(scope, PROGRESS, String(entry['id']));
  for (const stream of found)
    await session.query(`delete from ${table('meta')} where name = ?`, [visitedKey(stream)]);
  return { evicted: [], removed: 0 };
}

/** A locked stream that an operator command concerns. */
interface Locked {
  /** Id of the log entry. */
  readonly entry: string;
  readonly key: string;
  readonly generation: number;
  readonly floor: string;
  readonly messageFloor: string;
}

/** Returns the number of rows that this step erased; null if none are left. */
async function eraseBelowFloor(scope: PurgeScope, stream: Locked): Promise<number | null> {
  const { session, table, request } = scope;
  const { key, generation, floor, messageFloor } = stream;
  const records = await eraseRecords(scope, stream);
  if (records !== null) return records;
  const messages = await removeMessages(scope, 'stream_key = ? and history_serial < ?', [key, messageFloor]);
  if (messages > 0) return messages;
  for (const name of ['presence_events', 'presence_checkpoints']) {
    const { changed } = await session.query(
      `delete from ${table(name)} where stream_key = ? and generation = ? and serial < ? limit ?`,
      [key, generation, floor, request.batch],
    );
    if (changed > 0) return changed;
  }
  return null;
}

/**
 * Erases the content of the next records of a stream in the order of their delivery serials, and stores how far it got:
 * no index leads to records below the floor, and each step would otherwise read all that were erased before. Returns the
 * number of records that it erased; null at the end of the stream.
 */
async function eraseRecords(scope: PurgeScope, stream: Locked): Promise<number | null> {
  const { session, table, request } = scope;
  const { key, generation, floor, messageFloor } = stream;
  const stored = await session.query(`select value from ${table('meta')} where name = ?`, [
    visitedKey(stream),
  ]);
  const [visited] = stored.rows;
  const after = visited === undefined ? '0' : String(visited['value']);
  const next = await session.query(
    `select delivery_serial from ${table('records')}
      where stream_key = ? and generation = ? and delivery_serial > ? order by delivery_serial limit ?`,
    [key, generation, after, request.batch],
  );
  const row = next.rows.at(-1);
  if (row === undefined) return null;
  const last = String(row['delivery_serial']);
  const { changed } = await session.query(
    `update ${table('records')} set payload = null, payload_size = 0, tombstone = true, event_name = null,
        message_id = null, actor_client_id = null, op_hash = null, op_fingerprint = null
      where stream_key = ? and generation = ? and delivery_serial > ? and delivery_serial <= ?
        and coalesce(root_history_serial, history_serial) < if(action = 0, ?, ?) and not tombstone`,
    [key, generation, after, last, floor, messageFloor],
  );
  await putMeta(scope, visitedKey(stream), last);
  return changed;
}

/** Names the delivery serial up to which the records of a stream were erased for an entry of the log. */
const visitedKey = ({ entry, key }: Locked): string => `erased_records:${entry}:${key}`;

async function putMeta({ session, table }: PurgeScope, name: string, value: string): Promise<void> {
  await session.query(
    `insert into ${table('meta')} values (?, ?) on duplicate key update value = values(value)`,
    [name, value],
  );
}

/** Same contract as `eraseBelowFloor`. */
async function removeOldGenerations(scope: PurgeScope, { key, generation }: Locked): Promise<number | null> {
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
  return null;
}

/** Removes messages with their annotations. */
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
