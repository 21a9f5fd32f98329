import { createHash } from 'node:crypto';
import type { App } from '@carillon/app-registry';
import { serializeAppRecord, type WebhookEntry } from '@carillon/config';
import { entryKeys } from '@carillon/webhooks';

/** A webhook of an app, as the API names it. */
export interface NamedWebhook {
  /** Stable while target, event types and filter are. */
  readonly id: string;
  /** Key in jobs and recorded answers. */
  readonly key: string;
  readonly entry: WebhookEntry;
  /** Its filter in the stored form; null lets every channel through. */
  readonly filter: unknown;
}

type Json = Record<string, unknown>;

/** The webhooks of an app, in their order; equal ones are numbered. */
export function webhooksOf(app: App): readonly NamedWebhook[] {
  const policy = serializeAppRecord(app.record)['policy'] as Json;
  const stored = (policy['webhooks'] ?? []) as readonly Json[];
  const seen = new Map<string, number>();
  return [...entryKeys(app)].map(([key, entry], index) => {
    const filter = stored[index]?.['filter'] ?? null;
    const identity = JSON.stringify([
      entry.url,
      stored[index]?.['lambda'] ?? null,
      entry.event_types,
      filter,
    ]);
    const nth = seen.get(identity) ?? 0;
    seen.set(identity, nth + 1);
    const hash = createHash('sha256').update(`${identity} ${nth}`).digest('hex').slice(0, 16);
    return { id: `w_${hash}`, key, entry, filter };
  });
}

/** The webhook that a job names; null if it was removed or has another target now. */
export const webhookOfEntry = (app: App, key: string): NamedWebhook | null =>
  webhooksOf(app).find((one) => one.key === key) ?? null;
