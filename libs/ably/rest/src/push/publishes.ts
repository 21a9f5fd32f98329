import { CompatError, isObject, type JsonObject, toNativePayload } from '@carillon/ably-core';
import { CHANNEL_TRANSPORT, toNativeRecipient } from './recipients.js';

const MAX_RECIPIENTS = 1024;
/** Blocks that win for one provider, with its name in bodies of push. */
const BLOCKS = { apns: 'apns', fcm: 'fcm', web: 'webPush' } as const;

/** A publish, split into its native part and its channels. */
export interface PushPublish {
  /** Body of the native publish; null: it is for channels alone. */
  readonly native: JsonObject | null;
  readonly channels: readonly string[];
  /** Payload in the form of push. */
  readonly payload: JsonObject;
  /** The only device recipient; null: other recipients, or several. */
  readonly onlyDevice: string | null;
  /** Number of recipients reported to statistics. */
  readonly recipients: number;
  /** Message sent to channels. */
  readonly text: string;
}

/** @throws CompatError 40000 for invalid recipients */
export function readPushPublish(body: unknown): PushPublish {
  if (!isObject(body)) throw new CompatError(40_000, 'the body must be an object');
  const { recipient, notification, data } = body;
  const recipients: readonly unknown[] = Array.isArray(recipient) ? recipient : [recipient];
  if (recipients.length === 0 || recipients.length > MAX_RECIPIENTS)
    throw new CompatError(40_000, `recipient must be one or up to ${MAX_RECIPIENTS}`);
  const channels = recipients.flatMap((one) => channelOf(one) ?? []);
  const targets = recipients.filter((one) => channelOf(one) === null).map(targetOf);
  const content = {
    ...(notification === undefined ? {} : { notification }),
    ...(data === undefined ? {} : { data }),
  };
  const payload = toNativePayload(content);
  const native = {
    recipients: targets,
    payload,
    providerOverrides: Object.entries(BLOCKS).flatMap(([block, provider]) =>
      body[block] === undefined || body[block] === null ? [] : [{ provider, payload: body[block] }],
    ),
  };
  return {
    native: targets.length === 0 ? null : native,
    channels,
    payload,
    onlyDevice:
      isObject(recipient) && typeof recipient['deviceId'] === 'string' ? recipient['deviceId'] : null,
    recipients: recipients.length,
    text: JSON.stringify(content),
  };
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Null: it is for devices. */
function channelOf(recipient: unknown): string | null {
  if (!isObject(recipient) || recipient['transportType'] !== CHANNEL_TRANSPORT) return null;
  const { channel } = recipient;
  if (typeof channel !== 'string') throw new CompatError(40_000, 'the recipient needs a channel');
  return channel;
}

function targetOf(recipient: unknown): JsonObject {
  if (!isObject(recipient)) throw new CompatError(40_000, 'a recipient must be an object');
  const { deviceId, clientId } = recipient;
  if (isGiven(deviceId)) return { type: 'device', deviceId };
  if (isGiven(clientId)) return { type: 'client', clientId };
  return { type: 'recipient', recipient: toNativeRecipient(recipient) };
}
