import {
  bool,
  bound,
  enumeration,
  identifier,
  optional,
  secret,
  secretList,
  string,
  table,
  u32,
  u64,
} from '../kernel/index.js';
import { apns, fcm, hms, webpush, wns } from './push-providers.js';
import { QUEUES_OF_THIS_BUILD, SHARED_BROKERS } from './driver-names.js';

const number = (initial: number, key: string | null, meaning: string, unit?: string) =>
  u64({
    default: initial,
    meaning,
    ...(key === null ? {} : { env: `PUSH_${key}` }),
    ...(unit === undefined ? {} : { unit }),
  });
const positive = (initial: number, key: string | null, meaning: string, unit?: string) =>
  u64({
    default: initial,
    min: 1,
    meaning,
    ...(key === null ? {} : { env: `PUSH_${key}` }),
    ...(unit === undefined ? {} : { unit }),
  });
const flag = (initial: boolean, key: string | null, meaning: string) =>
  bool({ default: initial, meaning, ...(key === null ? {} : { env: `PUSH_${key}` }) });
const workers = (meaning: string, key: string | null = null) =>
  u32({
    default: 1,
    meaning: `${meaning}; 0 = none in this process`,
    ...(key === null ? {} : { env: `PUSH_${key}` }),
  });
const reference = (meaning: string) => optional(string({ default: null, meaning }));

const retry = table({
  max_attempts: u32({
    default: 5,
    min: 1,
    max: 100,
    env: 'PUSH_RETRY_MAX_ATTEMPTS',
    meaning: 'Attempts of one delivery',
  }),
  initial_backoff_ms: u64({
    default: 1000,
    min: 1,
    max: 86_400_000,
    unit: 'ms',
    env: 'PUSH_RETRY_INITIAL_BACKOFF_MS',
    bounds: [bound('≤ max_backoff_ms', () => null)],
    meaning: 'Wait after the first failure; doubles',
  }),
  max_backoff_ms: u64({
    default: 60_000,
    min: 1,
    max: 86_400_000,
    unit: 'ms',
    env: 'PUSH_RETRY_MAX_BACKOFF_MS',
    meaning: 'Longest wait between two attempts',
  }),
  max_elapsed_secs: u64({
    default: 86_400,
    min: 1,
    max: 2_592_000,
    unit: 's',
    env: 'PUSH_RETRY_MAX_ELAPSED_SECS',
    meaning: 'Time after which a delivery is given up',
  }),
  jitter: flag(true, 'RETRY_JITTER', 'Spread the waits'),
  jitter_ratio_percent: u32({
    default: 20,
    min: 0,
    max: 100,
    unit: '%',
    env: 'PUSH_RETRY_JITTER_RATIO_PERCENT',
    meaning: 'How far waits are spread',
  }),
  respect_retry_after: flag(true, 'RETRY_RESPECT_RETRY_AFTER', 'Wait as long as the provider asks'),
});

const circuitBreaker = table({
  failure_threshold: u32({
    default: 5,
    min: 1,
    env: 'PUSH_FAILURE_THRESHOLD',
    meaning: 'Failed batches in a row that open the breaker',
  }),
  cooldown_secs: positive(60, null, 'How long it stays open', 's'),
  half_open_max_inflight: positive(10, null, 'Requests that try whether the provider is back'),
});

const quota = (initial: number, env: readonly string[], meaning: string) =>
  u64({ default: initial, env, meaning: `${meaning}; 0 = no limit` });

const defaultQuotas = table({
  acceptance_rps: quota(
    100,
    ['PUSH_DEFAULT_ACCEPTANCE_RPS', 'PUSH_ACCEPTANCE_RATE_LIMIT'],
    'Publishes an app may make per second',
  ),
  delivery_quota_daily: quota(
    0,
    ['PUSH_DEFAULT_DELIVERY_QUOTA_DAILY', 'PUSH_DELIVERY_QUOTA_DAILY'],
    'Deliveries of an app per day',
  ),
  fanout_max: quota(0, ['PUSH_DEFAULT_FANOUT_MAX', 'PUSH_FANOUT_MAX'], 'Recipients of one publish'),
  inflight_max: quota(1000, ['PUSH_DEFAULT_INFLIGHT_MAX'], 'Unfinished publishes of an app'),
});

const payloadRedaction = table({
  redact_payload: flag(true, null, 'Keep payloads out of answers and logs'),
  redact_template_data: flag(true, null, 'Keep template data out of answers and logs'),
  redact_provider_overrides: flag(true, null, 'Keep overrides out of answers and logs'),
  allow_debug_payload_logging: flag(false, null, 'Log payloads in debug mode; warns at start'),
});

const credentials = {
  fcm_credential_ref: reference('Stored credential of FCM'),
  apns_credential_ref: reference('Stored credential of APNs'),
  webpush_credential_ref: reference('Stored credential of Web Push'),
  hms_credential_ref: reference('Stored credential of HMS'),
  wns_credential_ref: reference('Stored credential of WNS'),
  credential_encryption_key: optional(
    secret({
      default: null,
      env: 'PUSH_CREDENTIAL_ENCRYPTION_KEY',
      meaning: 'Master key of stored credentials',
    }),
  ),
  credential_encryption_key_previous: secretList({
    default: [],
    env: 'PUSH_CREDENTIAL_ENCRYPTION_KEY_PREVIOUS',
    meaning: 'Earlier master keys, only to decrypt. Meant for the environment',
  }),
  kms_key_ref: reference('Key of a key management service'),
  vault_secret_ref: reference('Secret of a vault'),
};

const admission = {
  backpressure: table({
    forced: flag(false, 'BACKPRESSURE', 'Answer every publish with backpressure. Meant for the environment'),
    retry_after_seconds: positive(
      5,
      'BACKPRESSURE_RETRY_AFTER_SECONDS',
      '`Retry-After` of such answers. Meant for the environment',
      's',
    ),
  }),
  publish_log_max_lag: positive(
    100_000,
    'PUBLISH_LOG_MAX_LAG',
    'Waiting publishes that cause backpressure. Meant for the environment',
  ),
  critical_queue_max_lag: positive(
    100_000,
    'CRITICAL_QUEUE_MAX_LAG',
    'Waiting jobs of a later stage that cause backpressure. Meant for the environment',
  ),
};

export const push = table({
  storage_driver: enumeration({
    values: ['memory', 'postgres', 'mysql', 'dynamodb', 'surrealdb', 'scylladb'],
    default: 'memory',
    env: 'PUSH_STORAGE_DRIVER',
    meaning: 'Where devices, subscriptions and publishes live',
  }),
  table_prefix: string({
    default: 'service_push',
    bounds: [identifier],
    env: 'PUSH_TABLE_PREFIX',
    meaning:
      'In front of the name of the table `…_records` in DynamoDB, ScyllaDB and SurrealDB; installations that share a server differ in it',
  }),
  queue_driver: enumeration({
    values: ['memory', ...SHARED_BROKERS, 'sqs', 'sns'],
    default: 'memory',
    env: 'PUSH_QUEUE_DRIVER',
    meaning: `Where push work waits. ${QUEUES_OF_THIS_BUILD}`,
  }),
  allow_memory_drivers: flag(false, 'ALLOW_MEMORY_DRIVERS', 'Allow the memory drivers in production'),
  fcm_enabled: flag(false, 'FCM_ENABLED', 'Deliver through FCM'),
  apns_enabled: flag(false, 'APNS_ENABLED', 'Deliver through APNs'),
  webpush_enabled: flag(false, 'WEBPUSH_ENABLED', 'Deliver through Web Push'),
  hms_enabled: flag(false, 'HMS_ENABLED', 'Deliver through HMS'),
  wns_enabled: flag(false, 'WNS_ENABLED', 'Deliver through WNS'),
  accept_worker_count: workers('Times 64: publishes admitted at the same time'),
  planner_worker_count: workers('Planners'),
  shard_worker_count: workers('Shard workers'),
  dispatch_worker_count: workers('Dispatchers of each provider'),
  dispatch_max_outbound_requests: positive(
    32,
    'DISPATCH_MAX_OUTBOUND_REQUESTS',
    'Requests to a provider at the same time of each batch; a dispatcher sends eight batches at a time. A killed dispatcher has those of all its batches sent again',
  ),
  feedback_worker_count: workers('Feedback workers'),
  retry_worker_count: workers('Retry workers', 'RETRY_WORKER_COUNT'),
  queue_partition_count: positive(1, null, 'Physical queues of one stage'),
  channel_shard_count: positive(1, null, 'Parts the subscriptions of a channel are divided into'),
  fanout_fast_threshold: positive(
    10_000,
    'FANOUT_FAST_THRESHOLD',
    'Recipients from which a publish is planned in shards',
  ),
  fanout_shard_size: positive(100_000, 'FANOUT_SHARD_SIZE', 'Recipients of one shard'),
  fanout_sync_threshold: number(
    0,
    'FANOUT_SYNC_THRESHOLD',
    'Recipients up to which a publish is planned at once; 0 = never',
  ),
  backpressure_lag_threshold_secs: number(
    60,
    'BACKPRESSURE_LAG_THRESHOLD_SECS',
    'Age of the oldest job that causes backpressure; 0 = only depth counts',
    's',
  ),
  publish_status_ttl_days: positive(
    30,
    'PUBLISH_STATUS_TTL_DAYS',
    'How long finished publishes are kept',
    'days',
  ),
  stale_device_max_age_days: number(
    90,
    'STALE_DEVICE_MAX_AGE_DAYS',
    'Silence after which a device is removed',
    'days',
  ),
  dry_run: flag(false, null, 'Do everything but call the providers'),
  analytics_enabled: flag(false, 'ANALYTICS_ENABLED', 'Keep delivery events'),
  analytics_retention_days: positive(30, null, 'How long delivery events are kept', 'days'),
  scheduler_interval_secs: positive(
    5,
    'SCHEDULER_INTERVAL_SECS',
    'Time between two looks for due publishes',
    's',
  ),
  repair_interval_secs: number(30, 'REPAIR_INTERVAL_SECS', 'Time between two repairs; 0 = off', 's'),
  repair_min_age_secs: number(30, 'REPAIR_MIN_AGE_SECS', 'Age from which a publish is repaired', 's'),
  repair_batch_size: positive(100, 'REPAIR_BATCH_SIZE', 'Publishes repaired at once'),
  cleanup_interval_secs: number(300, 'CLEANUP_INTERVAL_SECS', 'Time between two cleanups; 0 = off', 's'),
  cleanup_batch_size: positive(1000, 'CLEANUP_BATCH_SIZE', 'Rows removed at once'),
  cleanup_max_deleted_per_tick: positive(
    100_000,
    'CLEANUP_MAX_DELETED_PER_TICK',
    'Rows removed in one cleanup',
  ),
  retry,
  circuit_breaker: circuitBreaker,
  default_quotas: defaultQuotas,
  payload_redaction: payloadRedaction,
  ...credentials,
  ...admission,
  fcm,
  apns,
  webpush,
  hms,
  wns,
});
