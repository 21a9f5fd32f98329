import { createHash } from 'node:crypto';
import type { App } from '@carillon/app-registry';
import type { WebhookDeliveryJobBody, WebhookJob } from '@carillon/contract';
import { deliveryLines } from '../lines.js';
import { entryTakes, type NamespaceOf } from './entry-filter.js';
import { entryKeys } from './entry-key.js';

/** A delivery to be put into the queue. */
export interface NewDelivery {
  readonly job: WebhookDeliveryJobBody;
  /** What it stands in line for. */
  readonly lines: readonly string[];
}

/**
 * One delivery for each receiver that wants any of the events, with just those. The same job and app always give the
 * same deliveries, ids included.
 */
export function deliveriesOf(job: WebhookJob, app: App, namespaceOf: NamespaceOf): NewDelivery[] {
  const deliveries: NewDelivery[] = [];
  for (const [key, entry] of entryKeys(app)) {
    const events = job.events.filter((event) => entryTakes(entry, event, namespaceOf));
    if (events.length === 0) continue;
    deliveries.push({
      job: {
        delivery_id: deliveryId(job.batch_id, key),
        app_id: app.id,
        entry: key,
        attempt: 1,
        due_ms: 0,
        trace: job.trace,
        body: `{"time_ms":${job.time_ms},"events":[${events.map(({ body }) => body).join(',')}]}`,
      },
      lines: deliveryLines(
        app.id,
        key,
        events.map(({ channel }) => channel),
      ),
    });
  }
  return deliveries;
}

const deliveryId = (batchId: string, key: string): string =>
  createHash('sha256').update(`${batchId} ${key}`).digest('hex').slice(0, 32);
