import type { SqlRow, SqlSession } from '@carillon/database';
import { keepDay, slotsBetween } from '../model/calendar.js';
import type { Found, Wanted } from '../model/changes.js';
import type { FoundReceipt } from '../model/receipt.js';
import type { PresenceMember } from '../model/presence.js';
import { type StreamAddress, streamName } from '../model/stream.js';
import { KINDS, memberOf, receiptOf, STREAM_COLUMNS, streamOf } from '../sql/rows.js';
import { findBeside, type Held as HeldStreams } from '../sql/find-beside.js';
import { TRANSACTION_NUMBER } from './single-statement-commit.js';
import { arrayOf, binaryArray, INT, SMALLINT, TEXT, UUID } from './binary-arrays.js';
import { MESSAGE_DIALECT } from './message-dialect.js';

type Names = (name: string) => string;

export interface Held extends HeldStreams {
  /** Number of the transaction that holds them; empty if none are held. */
  readonly transactionNumber: string;
}

export const addressArrays = (addresses: readonly StreamAddress[]) =>
  [
    binaryArray(TEXT, addresses, ({ appId }) => appId),
    binaryArray(TEXT, addresses, ({ channel }) => channel),
    binaryArray(SMALLINT, addresses, ({ kind }) => KINDS[kind]),
  ] as const;

const AMONG = `(s.app_id, s.channel, s.kind) in (select * from unnest($1::text[], $2::text[], $3::smallint[]))`;

/** Locks the streams in the order of their names; those that another transaction holds are left out. */
export async function lockStreams(session: SqlSession, table: Names, wanted: Wanted): Promise<Held> {
  const addresses = wanted.streams.map(({ address }) => address);
  const arrays = addressArrays(addresses);
  const { rows } = await session.query(
    `select ${STREAM_COLUMNS}, ${TRANSACTION_NUMBER} as transaction_number from ${table('streams')} s where ${AMONG}
      order by s.app_id, s.channel, s.kind for no key update of s skip locked`,
    arrays,
    { again: true },
  );
  const streams = new Map(rows.map(streamOf).map((stream) => [streamName(stream.address), stream]));
  const transactionNumber = rows[0] === undefined ? '' : String(rows[0]['transaction_number']);
  if (streams.size === addresses.length) return { streams, absent: [], transactionNumber };
  const there = await session.query(
    `select s.app_id, s.channel, s.kind from ${table('streams')} s where ${AMONG}`,
    arrays,
  );
  const existing = new Set(
    there.rows.map((row) => [row['app_id'], row['channel'], row['kind']].map(String).join('\0')),
  );
  const absent = addresses.filter(
    ({ appId, channel, kind }) => !existing.has(`${appId}\0${channel}\0${KINDS[kind]}`),
  );
  return { streams, absent, transactionNumber };
}

/** Reads the data that a batch requires besides receipts, in statements after the lock. */
export async function findWanted(
  session: SqlSession,
  table: Names,
  wanted: Wanted,
  held: Held,
): Promise<Omit<Found, 'receipts'>> {
  return {
    members: await findMembers(session, table, wanted, held),
    ...(await findBeside(session, table, wanted, held, MESSAGE_DIALECT)),
  };
}

/** Returns the newest receipts of the batch with the fields of their records. */
export async function findReceipts(
  session: SqlSession,
  table: Names,
  { nowMs, receipts: { scopes, sinceMs } }: Wanted,
): Promise<Map<string, FoundReceipt>> {
  if (scopes.length === 0) return new Map();
  const { rows } = await session.query(
    `select r.scope, r.pub_id, r.at_ms, r.until_ms, r.stream_key, r.generation, r.delivery_serial,
        encode(r.fingerprint, 'hex') as fingerprint, r.extra
      from ${table('receipts')} r
      where r.scope = any($1::uuid[]) and r.slot = any($2::int[]) and r.at_ms >= $3 order by r.at_ms`,
    [arrayOf(UUID, scopes), arrayOf(INT, slotsBetween(sinceMs, nowMs)), sinceMs],
    { again: true },
  );
  const records = await findAcknowledged(session, table, rows, keepDay(sinceMs));
  return new Map(
    rows
      .map((row) => receiptOf({ ...row, ...records.get(placeOf(row)) }))
      .map((receipt) => [receipt.scope, receipt]),
  );
}

const placeOf = (row: SqlRow): string =>
  [row['stream_key'], row['generation'], row['delivery_serial']].map(String).join();

/**
 * Returns the record fields of receipts. A separate statement: hardly any batch has a receipt, and planning a lookup
 * in every partition of the records takes longer than the rest of a small batch.
 */
async function findAcknowledged(
  session: SqlSession,
  table: Names,
  receipts: readonly SqlRow[],
  sinceDay: string,
): Promise<ReadonlyMap<string, SqlRow>> {
  const placed = receipts.filter((row) => row['delivery_serial'] !== null);
  if (placed.length === 0) return new Map();
  const { rows } = await session.query(
    `select c.stream_key, c.generation, c.delivery_serial, coalesce(c.history_serial, c.root_history_serial) as history_serial,
        c.published_at_ms, c.message_serial, c.version_serial
      from unnest($1::bigint[], $2::int[], $3::bigint[]) as v(stream_key, generation, delivery_serial)
        join ${table('records')} c on c.stream_key = v.stream_key and c.generation = v.generation
          and c.delivery_serial = v.delivery_serial and c.keep_day >= $4::date`,
    [
      ...['stream_key', 'generation', 'delivery_serial'].map((name) =>
        placed.map((row) => String(row[name])),
      ),
      sinceDay,
    ],
  );
  return new Map(rows.map((row) => [placeOf(row), row]));
}

async function findMembers(
  session: SqlSession,
  table: Names,
  { members }: Wanted,
  { streams }: Held,
): Promise<PresenceMember[]> {
  const asked = members.flatMap(({ address, userId }) => {
    const stream = streams.get(streamName(address));
    return stream === undefined ? [] : [{ stream, userId }];
  });
  if (asked.length === 0) return [];
  const { rows } = await session.query(
    `select m.stream_key, m.generation, m.user_id, m.present, m.last_no, m.last_serial
      from ${table('presence_members')} m where (m.stream_key, m.generation, m.user_id) in
        (select * from unnest($1::bigint[], $2::int[], $3::text[]))`,
    [
      asked.map(({ stream }) => stream.streamKey),
      asked.map(({ stream }) => stream.generation),
      asked.map(({ userId }) => userId),
    ],
  );
  return rows.map(memberOf);
}
