import { queueNames } from '@carillon/contracts';
import type { Queue } from '@carillon/queue';
import { pause } from '@carillon/runtime';

const LOOK_MS = 10;

/**
 * Waits until nothing is left that could be delivered now: what only this process has would be lost with it. Deliveries
 * that found no turn come again in a moment and count; those that failed and wait for another attempt do not.
 */
export async function workedOff(
  queue: Queue,
  delivery: { readonly sentAway: number },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const { ready, active } = await queue.stats(queueNames.webhooks);
    if (ready === 0 && active === 0 && delivery.sentAway === 0) return;
    await pause(LOOK_MS, signal);
  }
}
