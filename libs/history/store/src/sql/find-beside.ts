import type { SqlSession } from '@carillon/database';
import type { Found, Wanted } from '../model/changes.js';
import { type Stream, type StreamAddress, streamName } from '../model/stream.js';
import { findCrowds } from './checkpoints.js';
import { findMessages } from './find-messages.js';
import { findMessageId, findPurgeable, inspectAll } from './look.js';
import type { MessageDialect } from './message-dialect.js';

/** The streams of a batch: those that are held now, and those that are not there at all. */
export interface Held {
  readonly streams: ReadonlyMap<string, Stream>;
  readonly absent: readonly StreamAddress[];
}

/** Reads the data that a batch requires besides receipts and members, in statements after the lock. */
export async function findBeside(
  session: SqlSession,
  table: (name: string) => string,
  wanted: Wanted,
  held: Held,
  dialect: MessageDialect,
): Promise<Omit<Found, 'members' | 'receipts'>> {
  const streams = new Map<string, Stream | null>(held.streams);
  for (const address of held.absent) streams.set(streamName(address), null);
  const [first] = held.streams.values();
  const { below, inspect, messages, nowMs } = wanted;
  return {
    streams,
    crowds: await findCrowds(session, table, wanted, held.streams),
    purgeable:
      below === null || first === undefined ? null : await findPurgeable(session, table, first, below, nowMs),
    inspections: inspect ? await inspectAll(session, table, held.streams, nowMs) : new Map(),
    ...(await findMessageId(session, table, first, wanted)),
    ...(messages === undefined
      ? {}
      : {
          messages: await findMessages(session, table, messages, { streams: held.streams, nowMs }, dialect),
        }),
  };
}
