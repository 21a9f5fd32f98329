import { CLOSING_STEP_MS, closingSchedule, pause, shuffled, type ShutdownContext } from '@carillon/runtime';
import type { Outlet } from '../delivery/outlet.js';
import type { Hubs } from '../hub/hubs.js';

/** Closes every connection so that it comes back, in random order and spread over the time there is. */
export async function closeAll(
  hubs: Hubs,
  outlet: Outlet,
  { closingMs, signal }: Pick<ShutdownContext, 'closingMs' | 'signal'>,
): Promise<void> {
  const connections = shuffled([...hubs].flatMap((hub) => [...hub.connections]));
  let first = 0;
  for (const batch of closingSchedule(connections.length, closingMs)) {
    if (first > 0) await pause(CLOSING_STEP_MS, signal);
    for (const connection of connections.slice(first, first + batch))
      outlet.close(connection, 'server_shutting_down');
    first += batch;
  }
}
