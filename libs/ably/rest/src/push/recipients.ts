import { CompatError, isObject, type JsonObject, readOwnChannelName } from '@carillon/ably-core';

/** Converts a recipient; push reports missing and unknown members. */
type Convert = (recipient: JsonObject) => JsonObject;

/** Transport type of devices whose address is a channel; the server and key in the recipient are ignored. */
export const CHANNEL_TRANSPORT = 'ablyChannel';

const asIs: Convert = (recipient) => recipient;

/** Conversions to native recipients by transport type of Ably. */
const TO_NATIVE: ReadonlyMap<unknown, Convert> = new Map<unknown, Convert>([
  ['gcm', asIs],
  ['fcm', (recipient) => ({ ...recipient, transportType: 'gcm', writtenAs: 'fcm' })],
  ['apns', asIs],
  ['hms', asIs],
  ['wns', asIs],
  [
    CHANNEL_TRANSPORT,
    ({ channel }) => {
      // Push reports a missing channel.
      if (typeof channel === 'string') readOwnChannelName(channel);
      return { transportType: 'realtime', channel };
    },
  ],
  ['web', ({ targetUrl, encryptionKey, ...rest }) => ({ ...rest, ...addressOf(targetUrl, encryptionKey) })],
]);

/** Libraries in browsers give the address in one piece, in base64, and the keys in another. */
function addressOf(targetUrl: unknown, keys: unknown): JsonObject {
  if (typeof targetUrl !== 'string') return {};
  const { p256dh, auth } = isObject(keys) ? keys : {};
  return { endpoint: Buffer.from(targetUrl, 'base64').toString(), p256dh, auth, writtenAs: 'targetUrl' };
}

/** @throws CompatError 40000 for a way to devices that is not known. */
export function toNativeRecipient(recipient: unknown): JsonObject {
  const convert = isObject(recipient) ? TO_NATIVE.get(recipient['transportType']) : undefined;
  if (convert === undefined || !isObject(recipient))
    throw new CompatError(40_000, 'the transportType of the recipient is not known');
  return convert(recipient);
}

/** The transport type as the client wrote it. */
export function fromNativeRecipient({ writtenAs, ...recipient }: JsonObject): JsonObject {
  if (writtenAs === 'fcm') return { ...recipient, transportType: 'fcm' };
  if (recipient['transportType'] === 'realtime') return { ...recipient, transportType: CHANNEL_TRANSPORT };
  if (writtenAs !== 'targetUrl') return recipient;
  const { endpoint, p256dh, auth, ...rest } = recipient;
  const targetUrl = Buffer.from(String(endpoint)).toString('base64');
  return { ...rest, targetUrl, encryptionKey: { p256dh, auth } };
}
