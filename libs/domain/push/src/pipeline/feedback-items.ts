import type { PushParts } from '../parts.js';
import type { NewItem } from './items.js';
import type { DeliveryBatch, DeliveryJob, Feedback } from './payloads.js';
import type { Result } from './results.js';

/** Deliveries of a batch and what each came to. */
export type Told = readonly (readonly [DeliveryJob, Result])[];

/** What whoever takes in results is told of a batch. */
export function feedbackItems(
  { metrics, config, now }: PushParts,
  batch: DeliveryBatch,
  results: Told,
): NewItem[] {
  const { appId, publishId, provider, batchId, rendered, expiresAtMs } = batch;
  return results.map(([job, one]): NewItem => {
    metrics.counter('push_dispatched_total').for({ provider, status: one.outcome, app: appId }).add();
    const feedback: Feedback = {
      ...one,
      appId,
      publishId,
      provider,
      batchId,
      // Only where it may be sent again.
      rendered: one.outcome === 'accepted' ? {} : rendered,
      expiresAtMs,
      dryRun: config.push.dry_run,
      told: false,
      job: { ...job, firstAttemptAtMs: job.firstAttemptAtMs ?? now() },
    };
    return {
      stage: 'results',
      key: `${appId}:${publishId}:${provider}:${batchId}:${job.deliveryKey}:${job.attempt}`,
      partitionKey: appId,
      payload: { kind: 'deliveryFeedback', ...feedback },
    };
  });
}
