import type { JsonObject } from '@carillon/push-providers';
import type { PushParts } from '../parts.js';
import type { NewItem } from './items.js';
import type { Outbox } from './outbox.js';
import type { DeliveryBatch, DeliveryJob, Feedback } from './payloads.js';
import type { Result } from './results.js';

/** Gives what became of deliveries to whoever applies it. */
export async function tell(
  { metrics, config, now }: PushParts,
  outbox: Outbox,
  batch: DeliveryBatch,
  results: readonly (readonly [DeliveryJob, Result])[],
): Promise<void> {
  const { appId, publishId, provider, batchId, rendered, expiresAtMs } = batch;
  const dryRun = config.push.dry_run;
  const items = results.map(([job, one]): NewItem => {
    const status = one.outcome;
    metrics.counter('push_dispatched_total').for({ provider, status, app: appId }).add();
    const begun: DeliveryJob = { ...job, firstAttemptAtMs: job.firstAttemptAtMs ?? now() };
    const common = { appId, publishId, provider, batchId, rendered, expiresAtMs };
    const feedback: Feedback = { ...one, ...common, dryRun, told: false, job: begun };
    return {
      stage: 'results',
      key: `${appId}:${publishId}:${provider}:${batchId}:${job.deliveryKey}:${job.attempt}`,
      partitionKey: appId,
      payload: { kind: 'deliveryFeedback', ...slim(feedback) },
    };
  });
  await outbox.put(items);
}

/** The payload only where it may be sent again. */
function slim(feedback: Feedback): JsonObject {
  return feedback.outcome === 'accepted' ? { ...feedback, rendered: {} } : { ...feedback };
}
