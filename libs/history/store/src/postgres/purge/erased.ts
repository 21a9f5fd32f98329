import type { SqlRow, SqlScalar } from '@carillon/database';
import { type PartDone, type PurgeScope } from '../../sql/scope.js';
import { ROWS } from '../../sql/rows.js';

/** A writer's transaction has long ended by then, so no entry with a lower number comes later. */
const SETTLED_MS = 60_000;

const PROGRESS = 'erased_up_to';

/**
 * Erases the rows removed by operators, in the order of the operator log: the contents of rows below the floor, whose
 * numbers remain, and all rows of a generation that a reset ended.
 */
export async function eraseForOperators(scope: PurgeScope): Promise<PartDone | null> {
  const { session, table, request } = scope;
  const { rows } = await session.query(
    `select l.id, l.app_id, l.channel, l.operation from ${table('operator_log')} l
      where l.id > coalesce((select m.value::bigint from ${table('meta')} m where m.key = $1), 0) and l.at_ms <= $2
      order by l.id limit 1`,
    [PROGRESS, request.nowMs - SETTLED_MS],
  );
  const [entry] = rows;
  if (entry === undefined) return null;
  const streams = await session.query(
    `select s.stream_key, s.generation, s.floor_history_serial, s.floor_message_serial from ${table('streams')} s
      where s.app_id = $1 and s.channel = $2 order by s.app_id, s.channel, s.kind for no key update`,
    [String(entry['app_id']), String(entry['channel'])],
  );
  const found = streams.rows.map((row): Locked => ({
    entry: String(entry['id']),
    key: String(row['stream_key']),
    generation: Number(row['generation']),
    floor: String(row['floor_history_serial']),
    messageFloor: String(row['floor_message_serial']),
  }));
  const erase = entry['operation'] === 'purge' ? eraseBelowFloor : removeOldGenerations;
  for (const stream of found) {
    const removed = await erase(scope, stream);
    if (removed !== null) return { evicted: [], removed };
  }
  await putMeta(scope, PROGRESS, String(entry['id']));
  await session.query(`delete from ${table('meta')} where key = any($1::text[])`, [found.map(visitedKey)]);
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
  const { key, generation, floor, messageFloor } = stream;
  const records = await eraseRecords(scope, stream);
  if (records !== null) return records;
  const messages = await removeMessages(scope, stream, 'm.generation = $2 and m.history_serial < $3', [
    messageFloor,
  ]);
  if (messages > 0) return messages;
  for (const name of ['presence_events', 'presence_checkpoints']) {
    const below = 'c.stream_key = $1 and c.generation = $2 and c.serial < $3';
    const removed = await removeFirst(scope, scope.table(name), ['serial'], below, [key, generation, floor]);
    if (removed > 0) return removed;
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
  const stored = await session.query(`select value from ${table('meta')} where key = $1`, [
    visitedKey(stream),
  ]);
  const [visited] = stored.rows;
  const after = visited === undefined ? '0' : String(visited['value']);
  const next = await session.query(
    `select c.delivery_serial from ${table('records')} c
      where c.stream_key = $1 and c.generation = $2 and c.delivery_serial > $3 order by c.delivery_serial limit $4`,
    [key, generation, after, request.batch],
  );
  const row = next.rows.at(-1);
  if (row === undefined) return null;
  const last = String(row['delivery_serial']);
  const { changed } = await session.query(
    `update ${table('records')} c set payload = null, payload_size = 0, tombstone = true, event_name = null,
        message_id = null, actor_client_id = null, op_hash = null, op_fingerprint = null
      where c.stream_key = $1 and c.generation = $2 and c.delivery_serial > $3 and c.delivery_serial <= $4
        and coalesce(c.root_history_serial, c.history_serial) < case when c.action = 0 then $5::bigint else $6::bigint end
        and not c.tombstone`,
    [key, generation, after, last, floor, messageFloor],
  );
  await putMeta(scope, visitedKey(stream), last);
  return changed;
}

/** Names the delivery serial up to which the records of a stream were erased for an entry of the log. */
const visitedKey = ({ entry, key }: Locked): string => `erased_records:${entry}:${key}`;

async function putMeta({ session, table }: PurgeScope, key: string, value: string): Promise<void> {
  await session.query(
    `insert into ${table('meta')} values ($1, $2) on conflict (key) do update set value = excluded.value`,
    [key, value],
  );
}

/** Tables whose rows belong to one generation of a stream, with the rest of their key. */
const OF_A_GENERATION = [
  ...Object.values(ROWS).map(({ table, delivery }) => [table, delivery] as const),
  ['presence_members', 'user_id'],
  ['presence_checkpoints', 'serial'],
] as const;

/** Same contract as `eraseBelowFloor`. */
async function removeOldGenerations(scope: PurgeScope, stream: Locked): Promise<number | null> {
  const { key, generation } = stream;
  const messages = await removeMessages(scope, stream, 'm.generation < $2', []);
  if (messages > 0) return messages;
  for (const [name, column] of OF_A_GENERATION) {
    const older = 'c.stream_key = $1 and c.generation < $2';
    const order = ['generation', column];
    const removed = await removeFirst(scope, scope.table(name), order, older, [key, generation]);
    if (removed > 0) return removed;
  }
  return null;
}

/** Deletes the first rows in the order of columns that follow `stream_key` in the primary key: one range of its index. */
async function removeFirst(
  { session, request }: PurgeScope,
  from: string,
  order: readonly string[],
  where: string,
  values: readonly SqlScalar[],
): Promise<number> {
  const columns = order.map((name) => `c.${name}`).join(', ');
  const { rows } = await session.query(
    `select ${columns} from ${from} c where ${where} order by ${columns} limit $${values.length + 1}`,
    [...values, request.batch],
  );
  const last = rows.at(-1);
  if (last === undefined) return 0;
  const ends = order.map((_, index) => `$${values.length + 1 + index}`).join(', ');
  const { changed } = await session.query(
    `delete from ${from} c where ${where} and (${columns}) <= (${ends})`,
    [...values, ...order.map((name) => String(last[name]))],
  );
  return changed;
}

/** Removes messages of a stream, which is $1 of the condition and its generation $2, with their annotations. */
async function removeMessages(
  scope: PurgeScope,
  { key, generation }: Locked,
  where: string,
  more: readonly SqlScalar[],
): Promise<number> {
  const values = [key, generation, ...more];
  const { rows } = await scope.session.query(
    `select m.stream_key, m.message_serial from ${scope.table('messages')} m where m.stream_key = $1 and ${where}
      order by m.generation, m.history_serial limit $${values.length + 1}`,
    [...values, scope.request.batch],
  );
  return removeWithAnnotations(scope, rows);
}

/**
 * Removes expired messages with their annotations. Those that expire first go first: an index has that order. Rows are
 * locked, so that no message is removed that a concurrent change keeps longer.
 */
export async function removeExpiredMessages(scope: PurgeScope): Promise<PartDone | null> {
  const { session, table, request } = scope;
  const { rows } = await session.query(
    `select m.stream_key, m.message_serial from ${table('messages')} m
      where not m.is_open and m.keep_until_ms < 9223372036854775807 and m.keep_until_ms <= $1
      order by m.keep_until_ms limit $2 for update skip locked`,
    [request.nowMs, request.batch],
  );
  if (rows.length === 0) return null;
  return { evicted: [], removed: await removeWithAnnotations(scope, rows) };
}

/** Removes messages and their annotations by their primary keys. */
async function removeWithAnnotations(
  { session, table }: PurgeScope,
  messages: readonly SqlRow[],
): Promise<number> {
  if (messages.length === 0) return 0;
  const keys = messages.map((row) => String(row['stream_key']));
  const serials = messages.map((row) => String(row['message_serial']));
  for (const name of ['annotations', 'annotation_summaries', 'messages'])
    await session.query(
      `delete from ${table(name)} a using unnest($1::bigint[], $2::text[]) as v(stream_key, message_serial)
        where a.stream_key = v.stream_key and a.message_serial = v.message_serial`,
      [keys, serials],
    );
  return messages.length;
}
