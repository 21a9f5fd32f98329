import {
  bool,
  bound,
  clusterNodes,
  derived,
  each,
  enumeration,
  f64,
  isUrl,
  notEmpty,
  optional,
  string,
  table,
  u32,
  u64,
} from '../kernel/index.js';
import { googlePubsub, iggy, kafka, nats, pulsar, rabbitmq } from './brokers/index.js';
import { QUEUES_OF_THIS_BUILD, SHARED_BROKERS } from './driver-names.js';

const positive = (initial: number, key: string, meaning: string, unit?: string) =>
  u64({ default: initial, min: 1, env: `QUEUE_${key}`, meaning, ...(unit === undefined ? {} : { unit }) });
const count = (initial: number, key: string, meaning: string, unit?: string) =>
  u64({ default: initial, env: `QUEUE_${key}`, meaning, ...(unit === undefined ? {} : { unit }) });

const reliability = table({
  max_attempts: positive(5, 'MAX_ATTEMPTS', 'Attempts of one job before it is dead'),
  retry_base_delay_ms: u64({
    default: 1000,
    unit: 'ms',
    env: 'QUEUE_RETRY_BASE_DELAY_MS',
    bounds: [bound('≤ retry_max_delay_ms', () => null)],
    meaning: 'Wait after the first failure; doubles',
  }),
  retry_max_delay_ms: count(60_000, 'RETRY_MAX_DELAY_MS', 'Longest wait between two attempts', 'ms'),
  retry_jitter: f64({
    default: 0.2,
    min: 0,
    max: 1,
    env: 'QUEUE_RETRY_JITTER',
    meaning: 'Random part of a wait, in both directions',
  }),
  lease_duration_ms: positive(
    30_000,
    'LEASE_DURATION_MS',
    'How long a worker owns a job without a sign of life',
    'ms',
  ),
  lease_renew_interval_ms: u64({
    default: 10_000,
    min: 1,
    unit: 'ms',
    env: 'QUEUE_LEASE_RENEW_INTERVAL_MS',
    bounds: [bound('< lease_duration_ms', () => null)],
    meaning: 'Time between two signs of life',
  }),
  stalled_batch_size: positive(100, 'STALLED_BATCH_SIZE', 'Abandoned jobs taken back at once'),
  worker_poll_interval_ms: positive(500, 'WORKER_POLL_INTERVAL_MS', 'Wait of an idle worker', 'ms'),
  worker_prefetch: positive(
    16,
    'WORKER_PREFETCH',
    'Jobs a worker takes ahead; FIFO cloud queues stay serial',
  ),
  shutdown_timeout_ms: count(
    30_000,
    'SHUTDOWN_TIMEOUT_MS',
    'Time running jobs have to finish at shutdown',
    'ms',
  ),
  completed_retention: count(1000, 'COMPLETED_RETENTION', 'Finished jobs kept; 0 = removed at once'),
  failed_retention: count(10_000, 'FAILED_RETENTION', 'Failed jobs kept'),
  event_retention: count(10_000, 'EVENT_RETENTION', 'Lifecycle events kept'),
  deduplication_ttl_ms: count(300_000, 'DEDUPLICATION_TTL_MS', 'How long a deduplication key holds', 'ms'),
  memory_capacity: positive(100_000, 'MEMORY_CAPACITY', 'Jobs of the memory driver; more are refused'),
  memory_capacity_bytes: u64({
    default: 100_663_296,
    min: 16_777_216,
    unit: 'bytes',
    env: 'QUEUE_MEMORY_CAPACITY_BYTES',
    meaning:
      'Bytes of jobs of the memory driver; more are refused. An app may have a quarter of jobs and bytes',
  }),
  max_batch_size: positive(
    1000,
    'MAX_BATCH_SIZE',
    'Jobs enqueued at once; a smaller limit of the provider applies',
  ),
});

const concurrency = (env: string) =>
  u32({ default: 5, min: 1, env, meaning: 'Jobs worked on at the same time' });
const prefix = (env: string) =>
  string({ default: 'service_queue:', notEmpty: true, env, meaning: 'In front of every key' });

const redis = table({
  concurrency: concurrency('QUEUE_REDIS_CONCURRENCY'),
  prefix: prefix('QUEUE_REDIS_PREFIX'),
  url_override: optional(
    string({
      default: null,
      bounds: [isUrl],
      env: 'REDIS_URL',
      meaning: 'Standalone connection instead of `database.redis`',
    }),
  ),
  cluster_mode: bool({ default: false, meaning: 'Use the cluster nodes of `database.redis`' }),
  response_timeout_ms: u64({
    default: 5000,
    unit: 'ms',
    env: 'QUEUE_REDIS_RESPONSE_TIMEOUT_MS',
    meaning: 'Time one command may take; 0 = no limit',
  }),
});

const redisCluster = table({
  concurrency: concurrency('REDIS_CLUSTER_QUEUE_CONCURRENCY'),
  prefix: prefix('REDIS_CLUSTER_QUEUE_PREFIX'),
  nodes: clusterNodes({
    default: ['redis://127.0.0.1:6379'],
    env: ['REDIS_CLUSTER_NODES', 'DATABASE_REDIS_CLUSTER_NODES'],
    bounds: [notEmpty, each(notEmpty)],
    meaning: 'Cluster nodes',
  }),
  request_timeout_ms: u64({
    default: 5000,
    unit: 'ms',
    env: 'REDIS_CLUSTER_QUEUE_REQUEST_TIMEOUT_MS',
    meaning: 'Time one command may take; 0 = no limit',
  }),
});

const endpoint = (env: string) =>
  optional(string({ default: null, env, bounds: [isUrl], meaning: 'Endpoint instead of the cloud' }));
const region = (env: string) => string({ default: 'us-east-1', notEmpty: true, env, meaning: 'Region' });

const sqs = table({
  region: region('QUEUE_SQS_REGION'),
  queue_url_prefix: optional(
    string({ default: null, bounds: [isUrl], meaning: 'In front of every queue name to make its address' }),
  ),
  visibility_timeout: u32({
    default: 30,
    unit: 's',
    env: 'QUEUE_SQS_VISIBILITY_TIMEOUT',
    meaning: 'How long a received message is hidden from others',
  }),
  endpoint_url: endpoint('QUEUE_SQS_ENDPOINT_URL'),
  max_messages: u32({
    default: 10,
    min: 1,
    max: 10,
    env: 'QUEUE_SQS_MAX_MESSAGES',
    meaning: 'Messages received at once',
  }),
  wait_time_seconds: u32({
    default: 5,
    min: 0,
    max: 20,
    unit: 's',
    env: 'QUEUE_SQS_WAIT_TIME_SECONDS',
    meaning: 'Longest wait for messages',
  }),
  concurrency: concurrency('QUEUE_SQS_CONCURRENCY'),
  fifo: bool({ default: false, env: 'QUEUE_SQS_FIFO', meaning: 'The queues keep order and deduplicate' }),
  message_group_id: string({
    default: 'default',
    notEmpty: true,
    meaning: 'Group of messages that keep their order',
  }),
});

const sns = table({
  region: region('QUEUE_SNS_REGION'),
  topic_arn: string({
    default: '',
    env: 'QUEUE_SNS_TOPIC_ARN',
    bounds: [bound('not empty when the driver is selected', () => null)],
    meaning: 'Topic; this driver only produces',
  }),
  endpoint_url: endpoint('QUEUE_SNS_ENDPOINT_URL'),
});

export const queue = table({
  driver: enumeration({
    values: ['memory', ...SHARED_BROKERS, 'sqs', 'sns', 'none'],
    default: 'memory',
    env: 'QUEUE_DRIVER',
    meaning: `Where background work waits; \`none\` turns webhooks off. ${QUEUES_OF_THIS_BUILD}`,
  }),
  reliability,
  redis,
  redis_cluster: redisCluster,
  nats: nats({ prefix: 'service_queue' }),
  pulsar: pulsar({ prefix: 'service-queue' }),
  rabbitmq: rabbitmq({ prefix: 'service_queue' }),
  google_pubsub: googlePubsub({ prefix: 'service-queue' }),
  kafka: kafka({ prefix: 'service_queue' }),
  iggy: iggy('QUEUE'),
  sqs,
  sns,
});

export const webhooks = table({
  batching: table({
    enabled: bool({
      default: false,
      env: 'WEBHOOK_BATCHING_ENABLED',
      meaning: 'Send several events in one request; off: a request per event, as Pusher does',
    }),
    duration: u64({
      default: 50,
      min: 1,
      unit: 'ms',
      env: 'WEBHOOK_BATCHING_DURATION',
      meaning: 'Longest wait of a batch',
    }),
    size: u32({ default: 100, min: 1, env: 'WEBHOOK_BATCHING_SIZE', meaning: 'Events of a full batch' }),
  }),
  retry: table({
    enabled: bool({ default: true, meaning: 'Repeat failed requests' }),
    max_attempts: optional(
      u32({ default: null, min: 1, meaning: 'Attempts of one request; unset = only the time counts' }),
    ),
    max_elapsed_time_ms: u64({
      default: 300_000,
      min: 1,
      unit: 'ms',
      meaning: 'Time after which a request is given up',
    }),
    initial_backoff_ms: u64({
      default: 1000,
      min: 1,
      unit: 'ms',
      bounds: [bound('≤ max_backoff_ms', () => null)],
      meaning: 'Wait after the first failure',
    }),
    max_backoff_ms: u64({
      default: 60_000,
      min: 1,
      unit: 'ms',
      meaning: 'Longest wait between two attempts',
    }),
  }),
  request_timeout_ms: u64({ default: 10_000, min: 1, unit: 'ms', meaning: 'Time one request may take' }),
  allow_private_targets: derived(
    bool({
      default: null,
      env: 'WEBHOOK_ALLOW_PRIVATE_TARGETS',
      meaning:
        'Whether webhooks may go to loopback, private, link-local and other addresses that are not public',
    }),
    'true outside production, else false',
  ),
});
