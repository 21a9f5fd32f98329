import type { SqlSession } from '@carillon/database';
import { keepDay, slotsBetween } from '../model/calendar.js';
import type { Found, Wanted } from '../model/changes.js';
import type { PresenceMember } from '../model/presence.js';
import type { FoundReceipt } from '../model/receipt.js';
import { type Stream, type StreamAddress, streamName } from '../model/stream.js';
import { findBeside, type Held } from '../sql/find-beside.js';
import { KINDS, memberOf, receiptOf, STREAM_COLUMNS, streamOf } from '../sql/rows.js';
import { MESSAGE_DIALECT } from './message-dialect.js';
import { NumberedSession } from './numbered.js';
import { type Names, tuples } from './statements.js';

/** Returns rows of streams by name; runs no statement without addresses. */
export async function selectStreams(
  session: SqlSession,
  table: Names,
  addresses: readonly StreamAddress[],
  ending = '',
): Promise<Map<string, Stream>> {
  if (addresses.length === 0) return new Map();
  const { rows } = await new NumberedSession(session).query(
    `select ${STREAM_COLUMNS} from ${table('streams')} s where (s.app_id, s.channel, s.kind) in
      (${placeholders(addresses.length)}) order by s.app_id, s.channel, s.kind ${ending}`,
    addresses.flatMap(({ appId, channel, kind }) => [appId, channel, KINDS[kind]]),
  );
  return new Map(rows.map(streamOf).map((stream) => [streamName(stream.address), stream]));
}

const placeholders = (count: number): string =>
  Array.from(
    { length: count },
    (_, index) => `($${index * 3 + 1}, $${index * 3 + 2}, $${index * 3 + 3})`,
  ).join(', ');

/** Locks the streams in the order of their names; those that another transaction holds are left out. */
export async function lockStreams(session: SqlSession, table: Names, wanted: Wanted): Promise<Held> {
  const addresses = wanted.streams.map(({ address }) => address);
  const streams = await selectStreams(session, table, addresses, 'for update skip locked');
  if (streams.size === addresses.length) return { streams, absent: [] };
  const there = await selectStreams(session, table, addresses);
  return { streams, absent: addresses.filter((address) => !there.has(streamName(address))) };
}

/** Reads the data that a batch requires, in statements that see every commit before the locks. */
export async function findWanted(
  session: SqlSession,
  table: Names,
  wanted: Wanted,
  held: Held,
): Promise<Found> {
  return {
    receipts: await findReceipts(session, table, wanted),
    members: await findMembers(session, table, wanted, held),
    ...(await findBeside(new NumberedSession(session), table, wanted, held, MESSAGE_DIALECT)),
  };
}

async function findReceipts(
  session: SqlSession,
  table: Names,
  { nowMs, receipts: { scopes, sinceMs } }: Wanted,
): Promise<Map<string, FoundReceipt>> {
  if (scopes.length === 0) return new Map();
  const { rows } = await session.query(
    `select r.scope, r.pub_id, r.at_ms, r.until_ms, r.stream_key, r.generation, r.delivery_serial, r.fingerprint,
        r.extra, coalesce(c.history_serial, c.root_history_serial) as history_serial, c.published_at_ms, c.message_serial, c.version_serial
      from ${table('receipts')} r left join ${table('records')} c on c.stream_key = r.stream_key
        and c.generation = r.generation and c.delivery_serial = r.delivery_serial and c.keep_day >= ?
      where r.scope in (?) and r.slot in (?) and r.at_ms >= ? order by r.at_ms`,
    [keepDay(sinceMs), scopes, slotsBetween(sinceMs, nowMs), sinceMs],
  );
  return new Map(rows.map(receiptOf).map((receipt) => [receipt.scope, receipt]));
}

async function findMembers(
  session: SqlSession,
  table: Names,
  { members }: Wanted,
  { streams }: Held,
): Promise<PresenceMember[]> {
  const asked = members.flatMap(({ address, userId }) => {
    const stream = streams.get(streamName(address));
    return stream === undefined ? [] : [[stream.streamKey, stream.generation, userId]];
  });
  if (asked.length === 0) return [];
  const { rows } = await session.query(
    `select m.stream_key, m.generation, m.user_id, m.present, m.last_no, m.last_serial
      from ${table('presence_members')} m where (m.stream_key, m.generation, m.user_id) in
        (${tuples(asked.length, 3)})`,
    asked.flat(),
  );
  return rows.map(memberOf);
}
