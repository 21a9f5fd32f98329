import type { ErrorCode } from '@carillon/errors';
import { CLOSING_STEP_MS, closingSchedule, pause, shuffled } from '@carillon/runtime';
import type { Outlet } from '../delivery/outlet.js';
import type { Hubs } from '../hub/hubs.js';

/** How connections are closed. */
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

/** Closes every connection so that it comes back, in random order and spread over the time there is. */
export async function closeAll(
  hubs: Hubs,
  outlet: Outlet,
  { closingMs, signal, reason = 'server_shutting_down', isOver = () => false }: Closing,
): Promise<void> {
  const connections = shuffled([...hubs].flatMap((hub) => [...hub.connections]));
  let first = 0;
  for (const batch of closingSchedule(connections.length, closingMs)) {
    if (first > 0) await pause(CLOSING_STEP_MS, signal);
    if (isOver()) return;
    for (const connection of connections.slice(first, first + batch)) outlet.close(connection, reason);
    first += batch;
  }
}
