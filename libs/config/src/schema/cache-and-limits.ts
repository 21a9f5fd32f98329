import { bool, countOrAuto, enumeration, isUrl, optional, string, table, u32, u64 } from '../kernel/index.js';

const storeDrivers = ['memory', 'redis', 'redis-cluster', 'none'] as const;

const redisUrl = () =>
  optional(
    string({
      default: null,
      bounds: [isUrl],
      env: 'REDIS_URL',
      meaning: 'Standalone connection instead of `database.redis`',
    }),
  );
const clusterMode = () => bool({ default: false, meaning: 'Use the cluster nodes of `database.redis`' });

export const cache = table({
  driver: enumeration({
    values: storeDrivers,
    default: 'memory',
    env: 'CACHE_DRIVER',
    meaning: 'Where shared short-lived state lives',
  }),
  redis: table({
    prefix: string({
      default: 'service_cache:',
      meaning: 'Behind `database.redis.key_prefix`, in front of every key',
    }),
    url_override: redisUrl(),
    cluster_mode: clusterMode(),
  }),
  memory: table({
    ttl: u64({
      default: 300,
      unit: 's',
      env: 'CACHE_TTL_SECONDS',
      meaning: 'For entries that bring no time of their own',
    }),
    cleanup_interval: u64({
      default: 60,
      min: 1,
      unit: 's',
      env: 'CACHE_CLEANUP_INTERVAL',
      meaning: 'Time between two removals of expired entries',
    }),
    max_capacity: u64({
      default: 10_000,
      min: 1,
      env: 'CACHE_MAX_CAPACITY',
      meaning:
        'Entries kept that may be evicted; those that may not have a part of the memory, an app a quarter of it',
    }),
  }),
});

const rateLimit = (env: string, initial: number, identifier: string) =>
  table({
    max_requests: u64({
      default: initial,
      min: 1,
      env: `${env}_MAX_REQUESTS`,
      meaning: 'Requests of one client in a window',
    }),
    window_seconds: u64({
      default: 60,
      min: 1,
      unit: 's',
      env: `${env}_WINDOW_SECONDS`,
      meaning: 'Length of the window',
    }),
    identifier: string({ default: identifier, notEmpty: true, meaning: 'Part of the key of the limiter' }),
    trust_hops: u32({
      default: 0,
      env: `${env}_TRUST_HOPS`,
      meaning: 'Proxies in front whose `X-Forwarded-For` is believed',
    }),
  });

export const rateLimiter = table({
  enabled: bool({
    default: false,
    env: 'RATE_LIMITER_ENABLED',
    meaning: 'Limit requests per client address',
  }),
  driver: enumeration({
    values: storeDrivers,
    default: 'memory',
    env: 'RATE_LIMITER_DRIVER',
    meaning: 'Where requests are counted',
  }),
  api_rate_limit: rateLimit('RATE_LIMITER_API', 100, 'api'),
  websocket_rate_limit: rateLimit('RATE_LIMITER_WS', 20, 'websocket_connect'),
  redis: table({
    prefix: string({
      default: 'service_rl:',
      env: 'RATE_LIMITER_REDIS_PREFIX',
      meaning: 'In front of every key',
    }),
    url_override: redisUrl(),
    cluster_mode: clusterMode(),
  }),
});

export const channelLimits = table({
  max_name_length: u32({ default: 200, min: 1, max: 1000, unit: 'bytes', meaning: 'Longest channel name' }),
  cache_ttl: u64({
    default: 3600,
    min: 1,
    unit: 's',
    env: 'CACHE_TTL_SECONDS',
    meaning: 'How long a cache channel keeps its last event',
  }),
});

const limit = (meaning: string) =>
  optional(u32({ default: null, meaning: `${meaning}; unset or 0 = no limit` }));

export const eventLimits = table({
  max_name_length: u32({ default: 200, unit: 'bytes', meaning: 'Longest event name; 0 = no limit' }),
  max_channels_at_once: limit('Channels of one publish'),
  max_payload_in_kb: limit('KiB of one event'),
  max_batch_size: limit('Events of one batch'),
});

const lease = (initial: number, env: string, meaning: string) =>
  u64({ default: initial, min: 0, max: 3600, unit: 's', env, meaning });

export const presence = table({
  max_members_per_channel: limit('Members of one channel'),
  max_member_size_in_kb: limit('KiB of one member'),
  update_rate_limit_per_member_per_second: u32({
    default: 10,
    min: 1,
    env: 'PRESENCE_UPDATE_RATE_LIMIT_PER_MEMBER_PER_SECOND',
    meaning: 'Presence updates of one member',
  }),
  ungraceful_timeout_seconds: lease(
    0,
    'PRESENCE_UNGRACEFUL_TIMEOUT_SECONDS',
    'How long a V1 member outlives an abrupt disconnect; 0 = not at all, as V1 clients know it. With a few seconds, members whose network breaks for a moment come back unseen',
  ),
  node_stop_timeout_seconds: lease(
    5,
    'PRESENCE_NODE_STOP_TIMEOUT_SECONDS',
    'How long a V1 member at least outlives the orderly stop of its node, so that a rollout is not seen: it comes back on another node meanwhile; 0 = as an abrupt disconnect. Without other nodes it is gone at once',
  ),
  v2_ungraceful_timeout_seconds: lease(
    15,
    'PRESENCE_V2_UNGRACEFUL_TIMEOUT_SECONDS',
    'How long a V2 member outlives an abrupt disconnect; so does a member of an Ably client that does not ask for another time',
  ),
});

const size = (initial: number, env: string, meaning: string, unit?: string) =>
  u64({ default: initial, min: 1, env, meaning, ...(unit === undefined ? {} : { unit }) });

export const cleanup = table({
  async_enabled: bool({
    default: true,
    env: 'CLEANUP_ASYNC_ENABLED',
    meaning: 'Clean up after a disconnect in the background',
  }),
  fallback_to_sync: bool({
    default: true,
    env: 'CLEANUP_FALLBACK_TO_SYNC',
    meaning: 'Clean up at once when the background queue is full',
  }),
  queue_buffer_size: size(1024, 'CLEANUP_QUEUE_BUFFER_SIZE', 'Disconnects waiting'),
  batch_size: size(64, 'CLEANUP_BATCH_SIZE', 'Disconnects cleaned up together'),
  batch_timeout_ms: size(100, 'CLEANUP_BATCH_TIMEOUT_MS', 'Longest wait of a batch', 'ms'),
  worker_threads: countOrAuto({
    default: 'auto',
    env: 'CLEANUP_WORKER_THREADS',
    meaning: 'Batches cleaned up at the same time',
  }),
  max_retry_attempts: u32({
    default: 3,
    env: 'CLEANUP_MAX_RETRY_ATTEMPTS',
    meaning: 'Further attempts after a failure',
  }),
});
