import { createHash } from 'node:crypto';
import type { App } from '@carillon/app-registry';
import type { WebhookEntry } from '@carillon/config';

/**
 * Keys of receivers in jobs: address, and index among receivers with the same address. Other changes of a receiver
 * apply to waiting jobs; a receiver with a new address is another one.
 */
export function entryKeys(app: App): ReadonlyMap<string, WebhookEntry> {
  let keys = known.get(app);
  if (keys === undefined) {
    keys = new Map(keyed(app.record.policy.webhooks));
    known.set(app, keys);
  }
  return keys;
}

const known = new WeakMap<App, ReadonlyMap<string, WebhookEntry>>();

function* keyed(entries: readonly WebhookEntry[]): Generator<[string, WebhookEntry]> {
  const seen = new Map<string, number>();
  for (const entry of entries) {
    const place = placeOf(entry);
    const nth = seen.get(place) ?? 0;
    seen.set(place, nth + 1);
    yield [`${place}.${nth}`, entry];
  }
}

/** A digest: keys are logged and stored, and URLs may hold credentials. */
function placeOf({ url, lambda }: WebhookEntry): string {
  const place = url ?? `${lambda?.region ?? ''} ${lambda?.function_name ?? ''}`;
  return createHash('sha256').update(place).digest('hex').slice(0, 32);
}
