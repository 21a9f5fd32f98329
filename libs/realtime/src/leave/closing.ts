import type { ErrorCode } from '@carillon/errors';
import { CLOSING_STEP_MS, closingSchedule, pause, shuffled } from '@carillon/runtime';
import type { Outlet } from '../delivery/outlet.js';
import type { Hubs } from '../apps/hubs.js';

/** Settings of closing all connections. */
export interface Closing {
  /** The time there is. */
  readonly closingMs: number;
  /** Why. Absent: the server stops. */
  readonly reason?: ErrorCode;
  /** Ends the pauses. */
  readonly signal: AbortSignal;
  /** Whether those that are left are to stay. Absent: none is. */
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

/** Connections of a process that is cut off are closed over this time, so that other nodes take them one by one. */
const SENDING_AWAY_MS = 10_000;

/** The same where the process is cut off from all others, until it is so no more. */
export function sendAway(hubs: Hubs, outlet: Outlet, signal: AbortSignal): Promise<void> {
  const isOver = (): boolean => signal.aborted;
  return closeAll(hubs, outlet, { closingMs: SENDING_AWAY_MS, reason: 'cut_off', signal, isOver });
}
