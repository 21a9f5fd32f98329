import type { RowKey } from '@carillon/records';
import { behind, bucketOf, keyOf } from './keys.js';
import type { Span } from './rows.js';

/** Partitions that hold the devices of an app with their subscriptions. A page of all devices reads each of them. */
export const DEVICE_BUCKETS = 64;
/** Partitions of the subscribers of one channel. */
export const CHANNEL_BUCKETS = 4;
/** Partitions of the channels of one app. */
export const LIST_BUCKETS = 4;
/** Partitions of the idempotency keys of one app. */
const KEY_BUCKETS = 256;
const DEFERRED_BUCKETS = 64;
/** Rows that count the claims of one publish, so that planners of several processes rarely change the same one. */
export const COUNT_ROWS = 8;

/** Rows of a publish: everything that one of its steps changes. */
export const PUBLISH = {
  partition: (appId: string, publishId: string): string => keyOf('publish', appId, publishId),
  /** The publish itself. */
  head: keyOf('a'),
  /** Forbids an admission that began before (`admission.ts`). */
  fence: keyOf('f'),
  job: keyOf('j'),
  claim: (deliveryKey: string): string => keyOf('c', deliveryKey),
  claims: under('c'),
  deadLetter: (id: string): string => keyOf('d', id),
  event: (id: string): string => keyOf('e', id),
  events: under('e'),
  logPart: (index: number): string => keyOf('l', index),
  logParts: under('l'),
  count: (index: number): string => keyOf('n', index),
  shard: (id: string): string => keyOf('s', id),
  shards: under('s'),
} as const;

/** Devices of one bucket, their subscriptions and their numbers by state. */
export const DEVICES = {
  partition: (appId: string, deviceId: string): string =>
    keyOf('devices', appId, bucketOf(deviceId, DEVICE_BUCKETS)),
  partitions: (appId: string): string[] =>
    buckets(DEVICE_BUCKETS, (bucket) => keyOf('devices', appId, bucket)),
  device: (deviceId: string): string => keyOf('d', deviceId),
  devices: under('d'),
  counts: keyOf('n'),
  operatorEvent: (eventId: string): string => keyOf('o', eventId),
  subscription: (deviceId: string, channel: string): string => keyOf('s', deviceId, channel),
  subscriptions: (deviceId: string): Span => under('s', deviceId),
} as const;

/** Credentials of an app and the events about them. */
export const CREDENTIALS = {
  partition: (appId: string): string => keyOf('credentials', appId),
  credential: (id: string): string => keyOf('c', id),
  credentials: under('c'),
  operatorEvent: (eventId: string): string => keyOf('o', eventId),
} as const;

export const TEMPLATES = {
  partition: (appId: string): string => keyOf('templates', appId),
  template: (id: string): string => keyOf('t', id),
} as const;

export const deviceKey = (appId: string, deviceId: string): RowKey => ({
  partition: DEVICES.partition(appId, deviceId),
  sort: DEVICES.device(deviceId),
});

export const subscriptionKey = (appId: string, deviceId: string, channel: string): RowKey => ({
  partition: DEVICES.partition(appId, deviceId),
  sort: DEVICES.subscription(deviceId, channel),
});

export const headKey = (appId: string, publishId: string): RowKey => ({
  partition: PUBLISH.partition(appId, publishId),
  sort: PUBLISH.head,
});

export const idempotencyKey = (appId: string, key: string): RowKey => ({
  partition: keyOf('keys', appId, bucketOf(key, KEY_BUCKETS)),
  sort: keyOf(key),
});

export const deferredKey = (id: string): RowKey => ({
  partition: keyOf('deferred', bucketOf(id, DEFERRED_BUCKETS)),
  sort: keyOf(id),
});

/** A small record with a partition of its own. */
export const ownKey = (kind: 'installation' | 'lock' | 'quota', ...id: readonly string[]): RowKey => ({
  partition: keyOf(kind, ...id),
  sort: keyOf('v'),
});

/** Index partitions, which `put` and `remove` alone change. */
export const INDEX = {
  /** Apps that have devices. */
  apps: keyOf('index', 'apps'),
  /** Credentials of all apps, by app and id. */
  credentials: keyOf('index', 'credentials'),
  workers: keyOf('index', 'workers'),
  client: (appId: string, clientId: string): string => keyOf('index', 'client', appId, clientId),
  channel: (appId: string, channel: string, deviceId: string): string =>
    keyOf('index', 'channel', appId, channel, bucketOf(deviceId, CHANNEL_BUCKETS)),
  ofChannel: (appId: string, channel: string): string[] =>
    buckets(CHANNEL_BUCKETS, (bucket) => keyOf('index', 'channel', appId, channel, bucket)),
  channels: (appId: string, channel: string): string =>
    keyOf('index', 'channels', appId, bucketOf(channel, LIST_BUCKETS)),
  allChannels: (appId: string): string[] =>
    buckets(LIST_BUCKETS, (bucket) => keyOf('index', 'channels', appId, bucket)),
  /** The publish of a dead letter. */
  deadLetter: (appId: string, id: string): string => keyOf('index', 'dead', appId, id),
} as const;

function buckets(count: number, name: (bucket: number) => string): string[] {
  return Array.from({ length: count }, (_, bucket) => name(bucket));
}

function under(...parts: readonly string[]): Span {
  const key = keyOf(...parts);
  return { from: key, to: behind(key) };
}
