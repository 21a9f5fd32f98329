import type {
  Admission,
  Claim,
  StoredDevice,
  StoredPublish,
  StoredShard,
  StoredSubscription,
} from '../src/index.js';

export const NOW = 1_790_000_000_000;

export const device = (deviceId: string, more: Partial<StoredDevice> = {}): StoredDevice => ({
  appId: 'shop',
  deviceId,
  clientId: null,
  formFactor: 'phone',
  platform: 'android',
  metadata: null,
  identityHash: 'hash',
  timezone: 'UTC',
  locale: 'en',
  lastActiveMs: NOW,
  state: 'ACTIVE',
  failureCount: 0,
  errorReason: null,
  transport: 'gcm',
  provider: 'fcm',
  tokenHash: `hash of ${deviceId}`,
  recipient: '{}',
  rateCapacity: null,
  rateRefill: null,
  createdMs: NOW,
  updatedMs: NOW,
  ...more,
});

export const subscription = (
  channel: string,
  deviceId: string,
  more: Partial<StoredSubscription> = {},
): StoredSubscription => ({
  appId: 'shop',
  channel,
  deviceId,
  clientId: null,
  provider: 'fcm',
  tokenHash: `hash of ${deviceId}`,
  credentialVersion: null,
  updatedMs: NOW,
  ...more,
});

export const publish = (publishId: string, more: Partial<StoredPublish> = {}): StoredPublish => ({
  appId: 'shop',
  publishId,
  state: 'queued',
  counters: {
    planned: 0,
    dispatched: 0,
    succeeded: 0,
    failed: 0,
    expired: 0,
    retryScheduled: 0,
    retryAttempted: 0,
    deadLettered: 0,
  },
  planningComplete: false,
  fanoutRegime: 'fastPath',
  retryAfterMs: null,
  errorReason: null,
  createdMs: NOW,
  updatedMs: NOW,
  ...more,
});

export const admission = (publishId: string, more: Partial<Admission> = {}): Admission => ({
  publish: publish(publishId),
  log: {
    appId: 'shop',
    publishId,
    eventId: 'event',
    occurredMs: NOW,
    targets: '[]',
    rendered: '{"fcm":{"message":{}}}',
    notBeforeMs: null,
    expiresAtMs: null,
    expected: 1,
    fastThreshold: 10,
    shardSize: 10,
  },
  idempotency: [{ key: `publish-id:shop:${publishId}`, publishId, bodyHash: null, expiresMs: NOW + 1000 }],
  dueMs: null,
  ...more,
});

export const claim = (publishId: string, deliveryKey: string, more: Partial<Claim> = {}): Claim => ({
  appId: 'shop',
  publishId,
  deliveryKey,
  provider: 'fcm',
  deviceId: `device of ${deliveryKey}`,
  batchId: 'b',
  state: 'planned',
  attempt: 1,
  leaseUntilMs: null,
  outcome: null,
  firstAttemptMs: null,
  updatedMs: NOW,
  ...more,
});

export const shard = (publishId: string, shardId: string): StoredShard => ({
  appId: 'shop',
  publishId,
  shardId,
  chain: 0,
  body: '{}',
  status: 'pending',
  emitted: 0,
  updatedMs: NOW,
});
