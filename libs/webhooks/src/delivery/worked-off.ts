import { queueNames } from '@carillon/contracts';
import type { Queue } from '@carillon/queue';
import { pause } from '@carillon/runtime';

const LOOK_MS = 10;

/**
 * Waits until no delivery is ready: jobs of a non-durable queue would be lost with this process. Deferred deliveries
 * count; failed ones that wait for another attempt do not.
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
