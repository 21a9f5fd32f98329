import { q } from './installation/names.js';

/** Numbers of the two-key advisory locks whose first key is `_key()`. */
const LOCK = { wake: 1000, ownership: 2000, membership: 4000, rotation: 5000 } as const;

/** Events behind the cursors, in the order of the partitions given, of each partition a prefix of its order. */
const events = (s: string): string => `
  SELECT partition, seq, n, id, at_ms, op, app, channel, name, data, json, options, bytes FROM (
    SELECT e.*, sum(e.bytes) OVER (ORDER BY e.turn, e.seq, e.n ROWS UNBOUNDED PRECEDING) - e.bytes AS before
    FROM (
      SELECT c.turn, x.*
      FROM unnest($1::int[], $2::bigint[], $3::bigint[]) WITH ORDINALITY c (partition, seq, n, turn)
      CROSS JOIN LATERAL (
        SELECT s.partition, s.seq, o.*
        FROM ${s}.outbox_seal s CROSS JOIN LATERAL (
          SELECT o.n, o.id, extract(epoch FROM o.at) * 1000 AS at_ms, o.op, o.app, o.channel, o.name, o.data, o.json,
            o.options::text AS options, coalesce(octet_length(o.data), 0) + 256 AS bytes
          FROM ${s}.outbox o
          WHERE o.slot = s.slot AND o.txn = s.txn AND o.partition = s.partition
            AND o.n BETWEEN s.first_n AND s.last_n AND (s.seq > c.seq OR o.n > c.n)
          ORDER BY o.n
        ) o
        WHERE s.partition = c.partition AND s.seq >= c.seq
        ORDER BY s.seq, o.n LIMIT $4
      ) x
      LIMIT $5
    ) e
  ) f WHERE before < $6`;

/** Texts of the reader, by schema. */
export function statements(schema: string) {
  const s = q(schema);
  return {
    meta: `SELECT version, partitions, ${s}._key() AS key FROM ${s}.outbox_meta`,
    join: `SELECT pg_advisory_lock_shared($1::int, ${LOCK.membership})`,
    listen: `LISTEN ${q(`${schema}_outbox`)}`,
    fetch: `${events(s)} ORDER BY partition, seq, n`,
    /** The same with the number of members and the free partitions that it claims. */
    beat: `
      WITH h AS MATERIALIZED (
        SELECT
          (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
            AND classid = (($7::int)::bigint & 4294967295)::oid AND objid = ${LOCK.membership}
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS members,
          (SELECT array_agg(p) FROM (
            SELECT p FROM unnest($8::int[]) p WHERE pg_try_advisory_lock($7::int, ${LOCK.ownership} + p) LIMIT $9
          ) x) AS claimed
      )
      SELECT h.members, h.claimed, f.* FROM h LEFT JOIN (${events(s)}) f ON true ORDER BY f.partition, f.seq, f.n`,
    cursors: `SELECT partition, seq, n FROM ${s}.outbox_cursor WHERE partition = ANY ($1::int[])`,
    sleep: `SELECT p FROM unnest($1::int[]) p WHERE pg_try_advisory_lock($2::int, ${LOCK.wake} + p)`,
    wake: `SELECT pg_advisory_unlock($2::int, ${LOCK.wake} + p) FROM unnest($1::int[]) p`,
    release: `SELECT pg_advisory_unlock($2::int, ${LOCK.ownership} + p) FROM unnest($1::int[]) p`,
    /** Ends of events, in one transaction. */
    store: `
      WITH dead AS (
        INSERT INTO ${s}.outbox_dead (id, code, status, reason, attempts, at, op, app, channel, name, data, json, options)
        SELECT id, code, status, reason, attempts, to_timestamp(at_ms / 1000), op, app, channel, name, data, json, options::jsonb
        FROM json_to_recordset($4::json) AS d (id uuid, code text, status int, reason text, attempts int,
          at_ms double precision, op text, app text, channel text, name text, data text, json boolean, options text)
        ON CONFLICT (id) DO NOTHING
      ), messages AS (
        INSERT INTO ${s}.outbox_messages (app, channel, message_id, message_serial)
        SELECT app, channel, message_id, message_serial
        FROM json_to_recordset($5::json) AS m (app text, channel text, message_id text, message_serial text)
        ON CONFLICT (app, channel, message_id) DO UPDATE SET message_serial = excluded.message_serial, at = now()
      )
      UPDATE ${s}.outbox_cursor c SET seq = x.seq, n = x.n
      FROM unnest($1::int[], $2::bigint[], $3::bigint[]) x (partition, seq, n)
      WHERE c.partition = x.partition AND (c.seq, c.n) < (x.seq, x.n)`,
    serial: `SELECT message_serial FROM ${s}.outbox_messages WHERE app = $1 AND channel = $2 AND message_id = $3`,
    lag: `
      SELECT count(*)::int AS rows FROM (
        SELECT FROM unnest($1::int[], $2::bigint[], $3::bigint[]) c (partition, seq, n)
        CROSS JOIN LATERAL (
          SELECT FROM ${s}.outbox_seal s JOIN ${s}.outbox o
            ON o.slot = s.slot AND o.txn = s.txn AND o.partition = s.partition AND o.n BETWEEN s.first_n AND s.last_n
          WHERE s.partition = c.partition AND s.seq >= c.seq AND (s.seq > c.seq OR o.n > c.n)
        ) x LIMIT 100000
      ) y`,
    upkeep: `SELECT pg_try_advisory_lock($1::int, ${LOCK.rotation}) AS mine`,
    rotate: `SELECT ${s}._rotate() AS truncated`,
    deadLetters: `SELECT count(*)::int AS dead FROM (SELECT FROM ${s}.outbox_dead LIMIT 100000) x`,
    purgeDead: `DELETE FROM ${s}.outbox_dead WHERE failed_at < now() - make_interval(days => $1::int)`,
    purgeMessages: `DELETE FROM ${s}.outbox_messages WHERE at < now() - make_interval(days => $1::int)`,
  } as const;
}

export type Statements = ReturnType<typeof statements>;
