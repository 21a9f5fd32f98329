import type { Connection } from '../connection/connection.js';

/** What a request does: at once, or later. Must not reject. */
export type Work = () => Promise<void> | undefined;

/** A request that waits for another process, and those behind it. */
export interface Opening {
  readonly waiting: Work[];
}

/** Requests of one connection that may wait at the same time, and requests behind one of them. */
const MAX_OPENINGS = 1000;
const MAX_WAITING = 100;

/**
 * Runs requests about one thing (a channel, the sign-in) of one connection in the order they came, others side by
 * side. Most finish at once and leave no trace. False: too many wait already, and nothing was done.
 */
export function inTurn(connection: Connection, subject: string, work: Work): boolean {
  const before = connection.openings?.get(subject);
  if (before !== undefined) return before.waiting.length < MAX_WAITING && before.waiting.push(work) > 0;
  if ((connection.openings?.size ?? 0) >= MAX_OPENINGS) return false;
  const pending = work();
  if (pending !== undefined) void follow(connection, subject, pending);
  return true;
}

async function follow(connection: Connection, subject: string, first: Promise<void>): Promise<void> {
  const opening: Opening = { waiting: [] };
  connection.openings ??= new Map();
  connection.openings.set(subject, opening);
  await first;
  for (let work = opening.waiting.shift(); work !== undefined; work = opening.waiting.shift()) await work();
  connection.openings.delete(subject);
  if (connection.openings.size === 0) connection.openings = null;
}
