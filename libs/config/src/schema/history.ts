import { bool, bound, enumeration, optional, string, table, u32, u64 } from '../kernel/index.js';

const STORES = ['postgres', 'mysql', 'dynamodb', 'surrealdb', 'scylladb', 'memory'] as const;

const flag = (initial: boolean, env: string, meaning: string) => bool({ default: initial, env, meaning });
const whenEnabled = [bound<number>('> 0 when enabled', () => null)];
const sized = (initial: number, env: string, meaning: string, unit?: string) =>
  u64({ default: initial, env, bounds: whenEnabled, meaning, ...(unit === undefined ? {} : { unit }) });
const count = (initial: number, env: string, meaning: string, unit?: string) =>
  u64({ default: initial, env, meaning, ...(unit === undefined ? {} : { unit }) });
const cap = (env: string, meaning: string) => optional(u64({ default: null, min: 1, env, meaning }));
const positive = (initial: number, env: string, meaning: string) =>
  u64({ default: initial, min: 1, env, meaning });

function store(env: string | null) {
  const name = (key: string) => (env === null ? {} : { env: `${env}_${key}` });
  return table({
    table_prefix: string({
      default: 'service_history',
      ...name('TABLE_PREFIX'),
      bounds: [bound('an identifier of at most 41 characters when in use', () => null)],
      meaning: 'In front of every table name',
    }),
    write_timeout_ms: u64({
      default: 5000,
      unit: 'ms',
      ...name('WRITE_TIMEOUT_MS'),
      bounds: whenEnabled,
      meaning: 'Time one commit may take',
    }),
  });
}

export const history = table({
  enabled: flag(false, 'HISTORY_ENABLED', 'Keep the events of channels'),
  rewind_enabled: flag(true, 'HISTORY_REWIND_ENABLED', 'Let a subscription start in the past'),
  backend: enumeration({
    values: STORES,
    default: 'postgres',
    env: 'HISTORY_BACKEND',
    meaning: 'Where durable records live',
  }),
  retention_window_seconds: sized(
    86_400,
    'HISTORY_RETENTION_WINDOW_SECONDS',
    'How long events are kept',
    's',
  ),
  max_page_size: sized(100, 'HISTORY_MAX_PAGE_SIZE', 'Records of one page'),
  max_concurrent_reads: positive(
    8,
    'HISTORY_MAX_CONCURRENT_READS',
    'Reads of histories for clients that one process runs at one time; further ones wait',
  ),
  max_concurrent_reads_per_app: positive(
    2,
    'HISTORY_MAX_CONCURRENT_READS_PER_APP',
    'The same, of one app: what is left is for other apps',
  ),
  writer_shards: u32({
    default: 16,
    env: 'HISTORY_WRITER_SHARDS',
    bounds: [bound('1–1024 when enabled', () => null)],
    meaning: 'Commit lanes; equal to the stored value',
  }),
  writer_queue_capacity: sized(4096, 'HISTORY_WRITER_QUEUE_CAPACITY', 'Records waiting to be committed'),
  purge_interval_seconds: count(
    300,
    'HISTORY_PURGE_INTERVAL_SECONDS',
    'Time between two removals of expired records; below 10 is raised to 10',
    's',
  ),
  purge_batch_size: positive(1000, 'HISTORY_PURGE_BATCH_SIZE', 'Records removed at once'),
  max_purge_per_tick: positive(100_000, 'HISTORY_MAX_PURGE_PER_TICK', 'Records removed in one run'),
  max_messages_per_channel: cap('HISTORY_MAX_MESSAGES_PER_CHANNEL', 'Messages kept per channel'),
  max_bytes_per_channel: cap('HISTORY_MAX_BYTES_PER_CHANNEL', 'Bytes kept per channel'),
  max_events_per_channel: optional(
    u64({ default: null, min: 1, meaning: 'Events kept per channel, whatever an app or a namespace allows' }),
  ),
  postgres: store('HISTORY_POSTGRES'),
  mysql: store(null),
  dynamodb: store(null),
  surrealdb: store(null),
  scylladb: store(null),
});

export const presenceHistory = table({
  enabled: flag(false, 'PRESENCE_HISTORY_ENABLED', 'Keep joins and leaves of presence channels'),
  retention_window_seconds: sized(
    86_400,
    'PRESENCE_HISTORY_RETENTION_WINDOW_SECONDS',
    'How long they are kept',
    's',
  ),
  max_page_size: sized(100, 'PRESENCE_HISTORY_MAX_PAGE_SIZE', 'Records of one page'),
  max_events_per_channel: cap('PRESENCE_HISTORY_MAX_EVENTS_PER_CHANNEL', 'Records kept per channel'),
  max_bytes_per_channel: cap('PRESENCE_HISTORY_MAX_BYTES_PER_CHANNEL', 'Bytes kept per channel'),
});

export const versionedMessages = table({
  enabled: flag(false, 'VERSIONED_MESSAGES_ENABLED', 'Let messages be updated, deleted and appended to'),
  driver: enumeration({
    values: STORES,
    default: 'memory',
    env: 'VERSIONED_MESSAGES_DRIVER',
    meaning: 'Where versions live: the history backend. On a single node `memory` is taken as that backend',
  }),
  max_page_size: sized(100, 'VERSIONED_MESSAGES_MAX_PAGE_SIZE', 'Versions of one page'),
  retention_window_seconds: count(
    0,
    'VERSIONED_MESSAGES_RETENTION_WINDOW_SECONDS',
    'How long versions are kept; 0 = as long as the message',
    's',
  ),
  purge_interval_seconds: count(
    300,
    'VERSIONED_MESSAGES_PURGE_INTERVAL_SECONDS',
    'Time between two removals of expired versions',
    's',
  ),
  purge_batch_size: positive(1000, 'VERSIONED_MESSAGES_PURGE_BATCH_SIZE', 'Versions removed at once'),
  max_purge_per_tick: positive(
    100_000,
    'VERSIONED_MESSAGES_MAX_PURGE_PER_TICK',
    'Versions removed in one run',
  ),
});

export const annotations = table({
  enabled: flag(false, 'ANNOTATIONS_ENABLED', 'Let messages be annotated; needs versioned messages'),
  max_names_per_type: u64({
    default: 200,
    env: 'ANNOTATIONS_MAX_NAMES_PER_TYPE',
    meaning: 'Distinct names in the annotations of one type of a message; 0 = no limit',
  }),
  max_types_per_message: u64({
    default: 100,
    env: 'ANNOTATIONS_MAX_TYPES_PER_MESSAGE',
    meaning: 'Annotation types of a message; 0 = no limit',
  }),
});
