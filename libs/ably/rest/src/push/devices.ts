import { CompatError, isObject, type JsonObject } from '@carillon/ably-core';
import { deviceTokenText } from './device-token.js';
import { fromNativeRecipient, toNativeRecipient } from './recipients.js';

/** Converts a device to the form of push; members that the client omits keep their value or get the default. */
export function toNativeDevice(body: unknown, id: string | null, before: JsonObject = {}): JsonObject {
  if (!isObject(body)) throw new CompatError(40_000, 'a device must be an object');
  if (id !== null && typeof body['id'] === 'string' && body['id'] !== id)
    throw new CompatError(40_000, 'id is another device');
  const { push } = body;
  const { deviceSecret: _secret, deviceIdentityToken: _token, push: _push, ...said } = body;
  const recipient = isObject(push) ? push['recipient'] : undefined;
  return {
    timezone: 'UTC',
    locale: 'en',
    ...before,
    ...Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null && value !== undefined)),
    ...(id === null ? {} : { id }),
    push: { recipient: recipient === undefined ? before['recipient'] : toNativeRecipient(recipient) },
  };
}

/** Returns the members that a change without them leaves unchanged. */
export function unchanged(device: JsonObject): JsonObject {
  const { id, clientId, platform, formFactor, timezone, locale, metadata, recipient } = device;
  return {
    id,
    platform,
    formFactor,
    timezone,
    locale,
    recipient,
    ...(clientId === null ? {} : { clientId }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** Converts a device to the form of Ably clients. */
export function fromNativeDevice(device: JsonObject): JsonObject {
  const { id, clientId, platform, formFactor, metadata, recipient, pushState, pushErrorReason } = device;
  return {
    id,
    ...(clientId === null ? {} : { clientId }),
    platform,
    formFactor,
    metadata: metadata ?? {},
    push: {
      recipient: isObject(recipient) ? fromNativeRecipient(recipient) : {},
      state: pushState,
      ...(pushErrorReason === undefined
        ? {}
        : { error: { message: pushErrorReason, code: 40_000, statusCode: 400 } }),
    },
  };
}

/** Returns the credentials of a newly registered device; shown once. */
export const identityOf = (
  about: { readonly appId: string; readonly deviceId: string; readonly keyName: string },
  token: string,
  issued: number,
): JsonObject => ({
  token: deviceTokenText({ appId: about.appId, deviceId: about.deviceId, token }),
  keyName: about.keyName,
  issued,
  expires: null,
  capability: JSON.stringify({ '*': ['push-subscribe'] }),
});
