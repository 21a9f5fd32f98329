import type { SqlRow } from '@carillon/database';
import { type PartDone, type PurgeScope } from '../../sql/scope.js';
import { ROWS } from '../../sql/rows.js';

/** A writer's transaction has long ended by then, so no entry with a lower number comes later. */
const SETTLED_MS = 60_000;

const PROGRESS = 'erased_up_to';

/**
 * Erases what operators took away, in the order of their log: the content of rows below the floor, whose numbers stay,
 * and everything of a generation that a reset ended.
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
  const keys = streams.rows.map((row) => String(row['stream_key']));
  const generations = streams.rows.map((row) => Number(row['generation']));
  const removed =
    entry['operation'] === 'purge'
      ? await eraseBelowFloor(
          scope,
          keys,
          generations,
          streams.rows.map((row) => String(row['floor_history_serial'])),
          streams.rows.map((row) => String(row['floor_message_serial'])),
        )
      : await removeOldGenerations(scope, keys, generations);
  if (removed > 0) return { evicted: [], removed };
  await session.query(
    `insert into ${table('meta')} values ($1, $2) on conflict (key) do update set value = excluded.value`,
    [PROGRESS, String(entry['id'])],
  );
  return { evicted: [], removed: 0 };
}

async function eraseBelowFloor(
  { session, table, request }: PurgeScope,
  keys: readonly string[],
  generations: readonly number[],
  floors: readonly string[],
  messageFloors: readonly string[],
): Promise<number> {
  const records = await session.query(
    `update ${table('records')} c set payload = null, payload_size = 0, tombstone = true, event_name = null,
        message_id = null, actor_client_id = null, op_hash = null, op_fingerprint = null
      from (select c.stream_key, c.generation, c.delivery_serial
          from unnest($1::bigint[], $2::int[], $3::bigint[], $5::bigint[])
              as v(stream_key, generation, floor, message_floor)
            join ${table('records')} c on c.stream_key = v.stream_key and c.generation = v.generation
              and coalesce(c.root_history_serial, c.history_serial)
                < case when c.action = 0 then v.floor else v.message_floor end and not c.tombstone
          limit $4) d
      where c.stream_key = d.stream_key and c.generation = d.generation and c.delivery_serial = d.delivery_serial`,
    [keys, generations, floors, request.batch, messageFloors],
  );
  if (records.changed > 0) return records.changed;
  const messages = await session.query(
    `delete from ${table('messages')} m using unnest($1::bigint[], $2::bigint[]) as v(stream_key, floor)
      where m.stream_key = v.stream_key and m.history_serial < v.floor returning m.stream_key, m.message_serial`,
    [keys, messageFloors],
  );
  await removeAnnotations(session, table, messages.rows);
  const events = await session.query(
    `delete from ${table('presence_events')} c using unnest($1::bigint[], $2::bigint[]) as v(stream_key, floor)
      where c.stream_key = v.stream_key and c.serial < v.floor`,
    [keys, floors],
  );
  await session.query(
    `delete from ${table('presence_checkpoints')} p using unnest($1::bigint[], $2::bigint[]) as v(stream_key, floor)
      where p.stream_key = v.stream_key and p.serial < v.floor`,
    [keys, floors],
  );
  return messages.changed + events.changed;
}

/** Tables whose rows belong to one generation of a stream. */
const OF_A_GENERATION = ['presence_members', 'presence_checkpoints'] as const;

async function removeOldGenerations(
  { session, table, request }: PurgeScope,
  keys: readonly string[],
  generations: readonly number[],
): Promise<number> {
  const OLD = 'from unnest($1::bigint[], $2::int[]) as v(stream_key, generation) join';
  for (const { table: name, delivery } of Object.values(ROWS)) {
    const { changed } = await session.query(
      `delete from ${table(name)} c using
          (select c.stream_key, c.generation, c.${delivery} as serial ${OLD} ${table(name)} c
            on c.stream_key = v.stream_key and c.generation < v.generation limit $3) d
        where c.stream_key = d.stream_key and c.generation = d.generation and c.${delivery} = d.serial`,
      [keys, generations, request.batch],
    );
    if (changed > 0) return changed;
  }
  const messages = await session.query(
    `delete from ${table('messages')} c using unnest($1::bigint[], $2::int[]) as v(stream_key, generation)
      where c.stream_key = v.stream_key and c.generation < v.generation returning c.stream_key, c.message_serial`,
    [keys, generations],
  );
  await removeAnnotations(session, table, messages.rows);
  let removed = messages.changed;
  for (const name of OF_A_GENERATION) {
    const { changed } = await session.query(
      `delete from ${table(name)} c using unnest($1::bigint[], $2::int[]) as v(stream_key, generation)
        where c.stream_key = v.stream_key and c.generation < v.generation`,
      [keys, generations],
    );
    removed += changed;
  }
  return removed;
}

/** Removes messages that nobody can read any more, with what was annotated to them. */
export async function removeExpiredMessages({
  session,
  table,
  request,
}: PurgeScope): Promise<PartDone | null> {
  const { rows } = await session.query(
    `delete from ${table('messages')} m using
        (select m.stream_key, m.message_serial from ${table('messages')} m
          where not m.is_open and m.keep_until_ms < 9223372036854775807 and m.keep_until_ms <= $1 limit $2) d
      where m.stream_key = d.stream_key and m.message_serial = d.message_serial
      returning m.stream_key, m.message_serial`,
    [request.nowMs, request.batch],
  );
  if (rows.length === 0) return null;
  await removeAnnotations(session, table, rows);
  return { evicted: [], removed: rows.length };
}

/** What was annotated to messages goes with them. */
async function removeAnnotations(
  session: PurgeScope['session'],
  table: PurgeScope['table'],
  messages: readonly SqlRow[],
): Promise<void> {
  if (messages.length === 0) return;
  const keys = messages.map((row) => String(row['stream_key']));
  const serials = messages.map((row) => String(row['message_serial']));
  for (const name of ['annotations', 'annotation_summaries'])
    await session.query(
      `delete from ${table(name)} a using unnest($1::bigint[], $2::text[]) as v(stream_key, message_serial)
        where a.stream_key = v.stream_key and a.message_serial = v.message_serial`,
      [keys, serials],
    );
}
