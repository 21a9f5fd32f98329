import type { SqlSession } from '@carillon/database';
import { keepDay } from '../model/calendar.js';
import {
  MAX_CHECKPOINT_MEMBERS,
  type PresenceCheckpoint,
  type PresenceStanding,
  reachesCheckpoint,
} from '../model/checkpoint.js';
import type { Wanted } from '../model/changes.js';
import { type Stream, streamName } from '../model/stream.js';
import type { CheckpointQuery } from '../port.js';
import { standingOf } from './rows.js';

type Names = (name: string) => string;

/** Reads the crowds of locked streams that a checkpoint may become due of; those that are too large are left out. */
export async function findCrowds(
  session: SqlSession,
  table: Names,
  { crowds, nowMs }: Wanted,
  streams: ReadonlyMap<string, Stream>,
): Promise<Map<string, readonly PresenceStanding[]>> {
  const found = new Map<string, readonly PresenceStanding[]>();
  for (const { address, events } of crowds) {
    const stream = streams.get(streamName(address));
    if (stream === undefined || !reachesCheckpoint(stream, events)) continue;
    const crowd = await readCrowd(session, table, stream, nowMs);
    if (crowd.length <= MAX_CHECKPOINT_MEMBERS) found.set(streamName(address), crowd);
  }
  return found;
}

/** Returns the current members according to stored events. */
async function readCrowd(
  session: SqlSession,
  table: Names,
  { streamKey, generation, floorHistorySerial, lastKeepDay }: Stream,
  nowMs: number,
): Promise<PresenceStanding[]> {
  const today = keepDay(nowMs);
  const { rows } = await session.query(
    `select m.user_id, c.event, c.serial, c.at_ms from ${table('presence_members')} m
        join ${table('presence_events')} c on c.stream_key = m.stream_key and c.generation = m.generation
          and c.serial = m.last_serial and c.keep_day between $4::date and $5::date
      where m.stream_key = $1 and m.generation = $2 and m.present = true and m.last_serial >= $3
      limit ${MAX_CHECKPOINT_MEMBERS + 1}`,
    [streamKey, generation, floorHistorySerial, today, lastKeepDay ?? today],
  );
  return rows.map(standingOf);
}

/** The members of a checkpoint as they are stored: JSON text of a tuple for each. */
export const storedMembers = (members: readonly PresenceStanding[]): string =>
  JSON.stringify(members.map(({ userId, event, serial, atMs }) => [userId, event, serial, atMs]));

export async function readCheckpoint(
  session: SqlSession,
  table: Names,
  { streamKey, generation, fromSerial, toSerial }: CheckpointQuery,
): Promise<PresenceCheckpoint | null> {
  const { rows } = await session.query(
    `select p.serial, p.members::text as members from ${table('presence_checkpoints')} p
      where p.stream_key = $1 and p.generation = $2 and p.serial between $3 and $4
      order by p.serial desc limit 1`,
    [streamKey, generation, fromSerial, toSerial],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const stored = JSON.parse(String(row['members'])) as [string, PresenceStanding['event'], number, number][];
  return {
    serial: Number(row['serial']),
    members: stored.map(([userId, event, serial, atMs]) => ({ userId, event, serial, atMs })),
  };
}
