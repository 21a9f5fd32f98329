import { createHash } from 'node:crypto';
import type { App } from '@carillon/app-registry';
import type { WebhookDeliveryJobBody, WebhookJob } from '@carillon/contracts';
import { entryTakes, type NamespaceOf } from './entry-filter.js';
import { entryKeys } from './entry-key.js';

/**
 * One delivery for each receiver that wants any of the events, with just those. The same job and app always give the
 * same deliveries, ids included.
 */
export function deliveriesOf(job: WebhookJob, app: App, namespaceOf: NamespaceOf): WebhookDeliveryJobBody[] {
  const deliveries: WebhookDeliveryJobBody[] = [];
  for (const [key, entry] of entryKeys(app)) {
    const events = job.events.filter((event) => entryTakes(entry, event, namespaceOf));
    if (events.length === 0) continue;
    deliveries.push({
      delivery_id: deliveryId(job.batch_id, key),
      app_id: app.id,
      entry: key,
      attempt: 1,
      due_ms: 0,
      trace: job.trace,
      body: `{"time_ms":${job.time_ms},"events":[${events.map(({ body }) => body).join(',')}]}`,
    });
  }
  return deliveries;
}

const deliveryId = (batchId: string, key: string): string =>
  createHash('sha256').update(`${batchId} ${key}`).digest('hex').slice(0, 32);
