import { inBodies, type JsonObject, type Provider } from '@carillon/push-providers';
import type { StoredDevice, StoredSubscription } from '@carillon/push-store';
import { sha256 } from '../hash.js';

const SECRET_WORDS = /token|secret|endpoint|auth|https?:\/\//i;
const TOKEN_LIKE = /[A-Za-z0-9._=-]{24,}/;

/** A reason as it may be kept: nothing in it can be a token or an address. */
export function safeReason(reason: string | null): string | null {
  if (reason === null) return null;
  const isSafe = Buffer.byteLength(reason) <= 128 && !SECRET_WORDS.test(reason) && !TOKEN_LIKE.test(reason);
  return isSafe ? reason : `[REDACTED:${sha256(reason).slice(0, 12)}]`;
}

/** A device as answers show it. */
export const deviceShape = (device: StoredDevice): JsonObject => ({
  appId: device.appId,
  id: device.deviceId,
  clientId: device.clientId,
  formFactor: device.formFactor,
  platform: device.platform,
  timezone: device.timezone,
  locale: device.locale,
  lastActiveAtMs: device.lastActiveMs,
  pushState: device.state,
  pushFailureCount: device.failureCount,
  ...(device.errorReason === null ? {} : { pushErrorReason: device.errorReason }),
  recipient: {
    transportType: device.transport,
    provider: inBodies(device.provider as Provider),
    tokenHash: device.tokenHash,
  },
});

/** A subscription as answers show it; one of a client names no device. */
export const subscriptionShape = (row: StoredSubscription): JsonObject => ({
  appId: row.appId,
  channel: row.channel,
  ...(row.tokenHash === null ? {} : { deviceId: row.deviceId }),
  ...(row.clientId === null ? {} : { clientId: row.clientId }),
  ...(row.provider === null ? {} : { provider: inBodies(row.provider as Provider) }),
  ...(row.tokenHash === null ? {} : { tokenHash: row.tokenHash }),
  ...(row.credentialVersion === null ? {} : { credentialVersion: row.credentialVersion }),
});
