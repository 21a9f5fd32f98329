import { bool, bound, derived, enumeration, table, u32, u64 } from '../kernel/index.js';
import {
  googlePubsub,
  iggy,
  kafka,
  nats,
  omq,
  pulsar,
  rabbitmq,
  redisAdapter,
  redisClusterAdapter,
} from './brokers/index.js';
import { SHARED_BROKERS } from './driver-names.js';

const interest = table({
  linger_ms: u64({
    default: 5000,
    unit: 'ms',
    env: 'ADAPTER_INTEREST_LINGER_MS',
    meaning: 'How long interest outlives its last subscriber',
  }),
  confirm_timeout_ms: u64({
    default: 2000,
    min: 1,
    unit: 'ms',
    env: 'ADAPTER_INTEREST_CONFIRM_TIMEOUT_MS',
    meaning:
      'Longest time without any confirmation of interest by the broker; a wait ends after ten of them. Time the store of presence has to take a member',
  }),
  coalesce_ms: u64({
    default: 5,
    min: 0,
    max: 100,
    unit: 'ms',
    meaning: 'How long changes of interest are gathered',
  }),
  coalesce_max: u64({ default: 512, min: 1, meaning: 'Changes of interest sent at once' }),
});

const clusterHealth = table(
  {
    enabled: bool({
      default: true,
      env: 'CLUSTER_HEALTH_ENABLED',
      meaning: 'Send heartbeats and watch those of others',
    }),
    heartbeat_interval_ms: u64({
      default: 10_000,
      min: 1,
      unit: 'ms',
      env: 'CLUSTER_HEALTH_HEARTBEAT_INTERVAL',
      bounds: [bound('≤ node_timeout_ms / 3', () => null)],
      meaning: 'Time between two heartbeats',
    }),
    node_timeout_ms: u64({
      default: 30_000,
      min: 1,
      unit: 'ms',
      env: 'CLUSTER_HEALTH_NODE_TIMEOUT',
      meaning: 'Silence after which a node counts as dead',
    }),
    cleanup_interval_ms: u64({
      default: 10_000,
      min: 1,
      unit: 'ms',
      env: 'CLUSTER_HEALTH_CLEANUP_INTERVAL',
      bounds: [bound('≤ node_timeout_ms', () => null)],
      meaning: 'Time between two searches for dead nodes',
    }),
  },
  ['cluster_health'],
);

export const adapter = table({
  driver: enumeration({
    values: ['local', ...SHARED_BROKERS, 'omq'],
    default: 'local',
    env: 'ADAPTER_DRIVER',
    meaning: 'How nodes reach each other; `local` is a single node',
  }),
  buffer_multiplier_per_cpu: u32({
    default: 64,
    min: 1,
    env: 'ADAPTER_BUFFER_MULTIPLIER_PER_CPU',
    meaning: 'Sockets written per CPU before the fan-out loop yields',
  }),
  enable_socket_counting: bool({
    default: true,
    env: 'ADAPTER_ENABLE_SOCKET_COUNTING',
    meaning: 'Connection quotas count the cluster; false: this node only',
  }),
  fallback_to_local: bool({
    default: false,
    env: 'ADAPTER_FALLBACK_TO_LOCAL',
    meaning: 'Continue as `local`, warning each minute, when the broker fails at start',
  }),
  aggregate_counts: bool({
    default: false,
    env: 'ADAPTER_AGGREGATE_COUNTS',
    meaning: 'Exchange counts regularly instead of asking per request',
  }),
  fast_presence_transitions: bool({
    default: false,
    env: 'ADAPTER_FAST_PRESENCE_TRANSITIONS',
    meaning: 'Faster, eventually consistent presence transitions',
  }),
  routing: derived(
    enumeration({
      values: ['interest', 'broadcast', 'dual'],
      default: null,
      env: 'ADAPTER_ROUTING',
      meaning: 'Whether a node receives only channels it has subscribers for',
    }),
    '`interest` for nats, redis and redis-cluster; else `broadcast`',
  ),
  interest,
  cluster_health: clusterHealth,
  redis: redisAdapter,
  cluster: redisClusterAdapter,
  nats: nats({ prefix: 'service_adapter:' }),
  pulsar: pulsar({ prefix: 'service-adapter' }),
  rabbitmq: rabbitmq({ prefix: 'service_adapter' }),
  google_pubsub: googlePubsub({ prefix: 'service-adapter' }),
  kafka: kafka({ prefix: 'service_adapter' }),
  iggy: iggy('ADAPTER'),
  omq,
});
