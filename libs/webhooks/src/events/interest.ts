import type { App } from '@carillon/app-registry';
import type { WebhookEventName } from '@carillon/config';

const known = new WeakMap<App, ReadonlySet<string>>();

/** Whether any receiver of the app lists the event. An app without receivers costs one comparison. */
export function wantsEvent(app: App, name: WebhookEventName): boolean {
  const { webhooks } = app.record.policy;
  if (webhooks.length === 0) return false;
  let names = known.get(app);
  if (names === undefined) {
    names = new Set(webhooks.flatMap((entry) => entry.event_types));
    known.set(app, names);
  }
  return names.has(name);
}
