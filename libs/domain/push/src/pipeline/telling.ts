import { PushStoreUnavailable } from '@carillon/push-store';
import type { Job } from '@carillon/queue';
import { pause } from '@carillon/runtime';
import type { PushParts } from '../parts.js';
import { feedbackItems, type Told } from './feedback-items.js';
import type { Outbox } from './outbox.js';
import type { DeliveryBatch } from './payloads.js';

const TOLD_AGAIN_MS = 500;

/** Gives what became of deliveries to whoever applies it, for as long as nobody else may send them: what is lost is sent again. */
export async function tell(
  parts: PushParts,
  outbox: Outbox,
  batch: DeliveryBatch,
  results: Told,
  { signal, leaseMs }: Pick<Job, 'signal'> & { readonly leaseMs: number },
): Promise<void> {
  const items = feedbackItems(parts, batch, results);
  for (const untilMs = parts.now() + leaseMs; ;) {
    try {
      return await outbox.hand(items);
    } catch (error) {
      const isOver = signal.aborted || parts.now() >= untilMs;
      if (isOver || !(error instanceof PushStoreUnavailable)) throw error;
    }
    await pause(TOLD_AGAIN_MS, signal);
  }
}
