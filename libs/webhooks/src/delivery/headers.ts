import type { App } from '@carillon/app-registry';
import { RESERVED_WEBHOOK_HEADERS } from '@carillon/config';
import { prepareSigningKey, previousKey, signWebhook, type SigningKey } from '@carillon/auth';

const keys = new WeakMap<App, SigningKey>();

/** The headers of one request, signed with the app's secret of now. The same on every attempt but for a new secret. */
export function webhookHeaders(
  app: App,
  deliveryId: string,
  body: Uint8Array,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const added = Object.entries(own).filter(([name]) => !RESERVED_WEBHOOK_HEADERS.has(name.toLowerCase()));
  const key = signingKey(app);
  const previous = previousKey(key);
  return {
    'Content-Type': 'application/json',
    'Content-Length': String(body.byteLength),
    'X-Pusher-Key': app.key,
    // A receiver that knows one secret continues to verify until the previous one expires.
    'X-Pusher-Signature': signWebhook(previous ?? key, body),
    ...(previous === null ? {} : { 'X-Service-Signature-Next': signWebhook(key, body) }),
    'X-Service-Webhook-Id': deliveryId,
    ...Object.fromEntries(added),
  };
}

function signingKey(app: App): SigningKey {
  let key = keys.get(app);
  if (key === undefined) {
    key = prepareSigningKey(app.credentials);
    keys.set(app, key);
  }
  return key;
}
