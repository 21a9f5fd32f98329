import type { Settlement } from '@carillon/queue';
import type { PushParts } from '../parts.js';

/** Counts work that this process returns to its queue unprocessed. */
export function putBack(
  { metrics }: Pick<PushParts, 'metrics'>,
  stage: string,
  reason: string,
  settlement: Settlement,
): Settlement {
  metrics.counter('push_queue_local_requeued_total').for({ stage, reason }).add();
  return settlement;
}
