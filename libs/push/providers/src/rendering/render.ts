import { jsonBytes, type JsonObject } from '../json.js';
import { inBodies, type Provider } from '../provider.js';
import { apnsBody, headersOf, webPushBody, wnsBody } from './bodies.js';
import { GENERIC } from './generic.js';
import { InvalidPayload, type Notification } from './notification.js';
import { readOverride } from './override.js';

/** Rendered payload of a publish for one provider; the only input of dispatch and retries. */
export interface RenderedPayload {
  readonly provider: Provider;
  readonly payload: JsonObject;
  readonly usedOverride: boolean;
}

/** Longest override as it was given. */
export const MAX_OVERRIDE_BYTES = 4096;

/**
 * Renders the payload of a provider: the override if there is one, else the notification in the provider's form.
 * @throws InvalidPayload if the override is malformed or the result exceeds the provider's size limit.
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

/** Counted size and size limit of each provider. */
const SIZES: Readonly<Record<Provider, (payload: JsonObject) => readonly [number, number]>> = {
  fcm: (payload) => [jsonBytes(payload), 4096],
  apns: (payload) => [
    jsonBytes(apnsBody(payload)),
    headersOf(payload)['apns-push-type'] === 'voip' ? 5120 : 4096,
  ],
  // One record of 4096 bytes, minus the overhead of encryption.
  webpush: (payload) => [jsonBytes(webPushBody(payload)), 3993],
  hms: (payload) => [jsonBytes(payload), 4096],
  wns: (payload) => [Math.max(jsonBytes(payload), Buffer.byteLength(wnsBody(payload))), 5000],
  realtime: (payload) => [jsonBytes(payload), 65_536],
};
