import { jsonBytes, type JsonObject } from '../json.js';
import { inBodies, type Provider } from '../provider.js';
import { apnsBody, headersOf, webPushBody, wnsBody } from './bodies.js';
import { GENERIC } from './generic.js';
import { InvalidPayload, type Notification } from './notification.js';
import { readOverride } from './override.js';

/** What a publish becomes for one provider; all that dispatch and retries look at. */
export interface RenderedPayload {
  readonly provider: Provider;
  readonly payload: JsonObject;
  readonly usedOverride: boolean;
}

/** Longest override as it was given. */
export const MOST_OVERRIDE_BYTES = 4096;

/**
 * The payload of a provider: the override where there is one, else what the notification says in the provider's form.
 *
 * @throws InvalidPayload when the override is malformed or the result is larger than the provider takes.
 */
export function renderPayload(
  provider: Provider,
  notification: Notification,
  override?: unknown,
): RenderedPayload {
  const usedOverride = override !== undefined;
  const payload = usedOverride ? readOverride(provider, override) : GENERIC[provider](notification);
  const [bytes, most] = SIZES[provider](payload);
  if (bytes > most) throw new InvalidPayload(provider, `${inBodies(provider)} payload exceeds ${most} bytes`);
  return { provider, payload, usedOverride };
}

/** What counts and how much of it there may be. */
const SIZES: Readonly<Record<Provider, (payload: JsonObject) => readonly [number, number]>> = {
  fcm: (payload) => [jsonBytes(payload), 4096],
  apns: (payload) => [
    jsonBytes(apnsBody(payload)),
    headersOf(payload)['apns-push-type'] === 'voip' ? 5120 : 4096,
  ],
  // One record of 4096 bytes, less what encryption adds.
  webpush: (payload) => [jsonBytes(webPushBody(payload)), 3993],
  hms: (payload) => [jsonBytes(payload), 4096],
  wns: (payload) => [Math.max(jsonBytes(payload), Buffer.byteLength(wnsBody(payload))), 5000],
  realtime: (payload) => [jsonBytes(payload), 65_536],
};
