import type { ErrorCode } from '@carillon/errors';
import { CLOSING_STEP_MS, closingSchedule, pause, shuffled } from '@carillon/runtime';
import type { Outlet } from '../delivery/outlet.js';
import type { Hubs } from '../apps/hubs.js';

/** Settings of closing all connections. */
export interface Closing {
  /** Available time, in milliseconds. */
  readonly closingMs: number;
  /** Close reason. Absent: server shutdown. */
  readonly reason?: ErrorCode;
  /** Skips the pauses when aborted. */
  readonly signal: AbortSignal;
  /** Whether to stop and leave the remaining connections open. Absent: all are closed. */
  readonly isOver?: () => boolean;
}

/**
 * Closes all subscribers with a code that asks them to reconnect, in random order and spread over the available time.
 */
export async function closeAll(
  hubs: Hubs,
  outlet: Outlet,
  { closingMs, signal, reason = 'server_shutting_down', isOver = () => false }: Closing,
): Promise<void> {
  const subscribers = shuffled([...hubs].flatMap((hub) => [...hub.subscribers]));
  let first = 0;
  for (const batch of closingSchedule(subscribers.length, closingMs)) {
    if (first > 0) await pause(CLOSING_STEP_MS, signal);
    if (isOver()) return;
    // Held appends still belong to these connections.
    for (const hub of hubs) hub.pacings.flush();
    for (const subscriber of subscribers.slice(first, first + batch)) outlet.close(subscriber, reason);
    first += batch;
  }
}

/** Time over which an isolated process closes its connections, so that other nodes receive them gradually. */
const SENDING_AWAY_MS = 10_000;

/** Closes the connections of an isolated process until the isolation ends. */
export function sendAway(hubs: Hubs, outlet: Outlet, signal: AbortSignal): Promise<void> {
  const isOver = (): boolean => signal.aborted;
  return closeAll(hubs, outlet, { closingMs: SENDING_AWAY_MS, reason: 'cut_off', signal, isOver });
}
