import type {
  Claim,
  DeferredItem,
  DeliveryEvent,
  IdempotencyRow,
  PublishLog,
  PublishState,
  ScheduledJob,
  StoredDeadLetter,
  StoredShard,
} from '../model/publishes.js';
import type { OperatorEvent, StoredDevice, StoredSubscription, StoredTemplate } from '../model/resources.js';
import { Table } from './table.js';

/** Row with the column types; `openFields` and `sealedFields` are JSON. */
export interface CredentialRow {
  readonly appId: string;
  readonly credentialId: string;
  readonly provider: string;
  readonly version: number;
  readonly publicFields: string;
  readonly secretFields: string;
  readonly createdMs: number;
  readonly updatedMs: number;
}

export interface PublishRow {
  readonly appId: string;
  readonly publishId: string;
  readonly state: PublishState;
  readonly planned: number;
  readonly dispatched: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly expired: number;
  readonly retryScheduled: number;
  readonly retryAttempted: number;
  readonly deadLettered: number;
  readonly planningComplete: boolean;
  readonly fanoutRegime: 'fastPath' | 'shardPath' | null;
  readonly retryAfterMs: number | null;
  readonly errorReason: string | null;
  readonly createdMs: number;
  readonly updatedMs: number;
}

export const DEVICES = new Table<StoredDevice>({
  name: 'push_devices',
  columns: {
    app_id: 'id',
    device_id: 'id',
    client_id: 'id?',
    form_factor: 'id',
    platform: 'id',
    metadata: 'json?',
    identity_hash: 'text',
    timezone: 'id',
    locale: 'id',
    last_active_ms: 'int',
    state: 'id',
    failure_count: 'int',
    error_reason: 'text?',
    transport: 'id',
    provider: 'id',
    token_hash: 'id',
    recipient: 'text',
    rate_capacity: 'int?',
    rate_refill: 'int?',
    created_ms: 'int',
    updated_ms: 'int',
  },
  key: ['app_id', 'device_id'],
  indexes: [
    ['app_id', 'client_id', 'device_id'],
    ['app_id', 'provider', 'token_hash'],
    ['state', 'last_active_ms'],
  ],
});

export const SUBSCRIPTIONS = new Table<StoredSubscription>({
  name: 'push_subscriptions',
  columns: {
    app_id: 'id',
    channel: 'key',
    device_id: 'id',
    client_id: 'id?',
    provider: 'id?',
    token_hash: 'id?',
    credential_version: 'int?',
    updated_ms: 'int',
  },
  key: ['app_id', 'channel', 'device_id'],
  indexes: [
    ['app_id', 'device_id', 'channel'],
    ['app_id', 'client_id', 'channel'],
  ],
});

export const CREDENTIALS = new Table<CredentialRow>({
  name: 'push_credentials',
  columns: {
    app_id: 'id',
    credential_id: 'id',
    provider: 'id',
    version: 'int',
    public_fields: 'json',
    secret_fields: 'json',
    created_ms: 'int',
    updated_ms: 'int',
  },
  key: ['app_id', 'credential_id'],
  indexes: [['app_id', 'provider', 'updated_ms']],
});

export const TEMPLATES = new Table<StoredTemplate>({
  name: 'push_templates',
  columns: {
    app_id: 'id',
    template_id: 'id',
    default_locale: 'id',
    locales: 'json',
    overrides: 'json',
    created_ms: 'int',
    updated_ms: 'int',
  },
  key: ['app_id', 'template_id'],
});

export const PUBLISHES = new Table<PublishRow>({
  name: 'push_publishes',
  columns: {
    app_id: 'id',
    publish_id: 'id',
    state: 'id',
    planned: 'int',
    dispatched: 'int',
    succeeded: 'int',
    failed: 'int',
    expired: 'int',
    retry_scheduled: 'int',
    retry_attempted: 'int',
    dead_lettered: 'int',
    planning_complete: 'bool',
    fanout_regime: 'id?',
    retry_after_ms: 'int?',
    error_reason: 'text?',
    created_ms: 'int',
    updated_ms: 'int',
  },
  key: ['app_id', 'publish_id'],
  indexes: [
    ['state', 'updated_ms'],
    ['app_id', 'state'],
  ],
});

export const LOGS = new Table<PublishLog>({
  name: 'push_publish_log',
  columns: {
    app_id: 'id',
    publish_id: 'id',
    event_id: 'id',
    occurred_ms: 'int',
    targets: 'text',
    rendered: 'json',
    not_before_ms: 'int?',
    expires_at_ms: 'int?',
    expected: 'int',
    fast_threshold: 'int',
    shard_size: 'int',
  },
  key: ['app_id', 'publish_id'],
  indexes: [['app_id', 'occurred_ms', 'publish_id']],
});

export const SHARDS = new Table<StoredShard>({
  name: 'push_shards',
  columns: {
    app_id: 'id',
    publish_id: 'id',
    shard_id: 'id',
    chain: 'int',
    body: 'json',
    status: 'id',
    emitted: 'int',
    updated_ms: 'int',
  },
  key: ['app_id', 'publish_id', 'shard_id'],
});

export const CLAIMS = new Table<Claim>({
  name: 'push_deliveries',
  columns: {
    app_id: 'id',
    publish_id: 'id',
    delivery_key: 'id',
    provider: 'id',
    device_id: 'id?',
    batch_id: 'id',
    state: 'id',
    attempt: 'int',
    lease_owner: 'id?',
    lease_until_ms: 'int?',
    outcome: 'id?',
    first_attempt_ms: 'int?',
    updated_ms: 'int',
  },
  key: ['app_id', 'publish_id', 'delivery_key'],
  indexes: [['state', 'updated_ms']],
});

export const EVENTS = new Table<DeliveryEvent>({
  name: 'push_delivery_events',
  columns: {
    app_id: 'id',
    publish_id: 'id',
    event_id: 'key',
    occurred_ms: 'int',
    provider: 'id',
    outcome: 'id',
    result: 'json',
  },
  key: ['app_id', 'publish_id', 'event_id'],
  indexes: [['occurred_ms']],
});

export const SCHEDULED = new Table<ScheduledJob>({
  name: 'push_scheduled_jobs',
  columns: { app_id: 'id', job_id: 'id', due_ms: 'int' },
  key: ['app_id', 'job_id'],
  indexes: [['due_ms']],
});

export const DEFERRED = new Table<DeferredItem>({
  name: 'push_deferred_items',
  columns: { id: 'id', queue: 'id', due_ms: 'int', envelope: 'text' },
  key: ['id'],
  indexes: [['due_ms']],
});

export const DEAD_LETTERS = new Table<StoredDeadLetter>({
  name: 'push_dead_letters',
  columns: {
    app_id: 'id',
    dead_letter_id: 'id',
    publish_id: 'id',
    provider: 'id?',
    stage: 'id',
    item_key: 'text',
    reason: 'text',
    occurred_ms: 'int',
    item: 'text?',
    replayed_ms: 'int?',
    replay_count: 'int',
  },
  key: ['app_id', 'dead_letter_id'],
  indexes: [['app_id', 'occurred_ms', 'dead_letter_id'], ['occurred_ms']],
});

export interface KeyRow extends Omit<IdempotencyRow, 'key'> {
  readonly appId: string;
  readonly itemKey: string;
}

export const IDEMPOTENCY = new Table<KeyRow>({
  name: 'push_idempotency',
  columns: { app_id: 'id', item_key: 'key', publish_id: 'id?', body_hash: 'id?', expires_ms: 'int' },
  key: ['app_id', 'item_key'],
  indexes: [['expires_ms']],
});

export const LOCKS = new Table<object>({
  name: 'push_locks',
  columns: { app_id: 'id', lock_id: 'key', owner_id: 'id', expires_ms: 'int' },
  key: ['app_id', 'lock_id'],
  indexes: [['expires_ms']],
});

export const OPERATOR_EVENTS = new Table<OperatorEvent>({
  name: 'push_operator_events',
  columns: { app_id: 'id', event_id: 'key', subject: 'key', occurred_ms: 'int' },
  key: ['app_id', 'event_id'],
  indexes: [['occurred_ms']],
});

export const QUOTAS = new Table<object>({
  name: 'push_quota_usage',
  columns: { app_id: 'id', day: 'id', provider: 'id', used: 'int' },
  key: ['app_id', 'day', 'provider'],
});

/** Values that are created once for all processes that share the database. */
const NAMED_VALUES = { name: 'id', content: 'text' } as const;
export const INSTALLATION = new Table({ name: 'push_installation', columns: NAMED_VALUES, key: ['name'] });

export const WORKERS = new Table<object>({
  name: 'push_workers',
  columns: { worker_id: 'id', stages: 'json', providers: 'json', credentials: 'json?', expires_ms: 'int' },
  key: ['worker_id'],
  indexes: [['expires_ms']],
});
