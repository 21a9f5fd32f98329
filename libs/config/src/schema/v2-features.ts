import {
  bool,
  bound,
  enumeration,
  matches,
  notEmpty,
  optional,
  rows,
  string,
  table,
  u32,
  u64,
} from '../kernel/index.js';

const flag = (initial: boolean, env: string, meaning: string) => bool({ default: initial, env, meaning });
const positive = (initial: number, env: string, meaning: string, unit?: string) =>
  u64({ default: initial, min: 1, env, meaning, ...(unit === undefined ? {} : { unit }) });

/** The default prefix of V2 event names. */
const VENDOR_PREFIX = 'service';

export const protocol = table({
  vendor_prefix: string({
    default: VENDOR_PREFIX,
    bounds: [
      matches(/^[a-z][a-z0-9]{0,31}$/, 'a lowercase letter, then up to 31 letters and digits'),
      bound<string>('not `pusher`', (value) => (value === 'pusher' ? 'must not be pusher' : null)),
    ],
    env: 'PROTOCOL_VENDOR_PREFIX',
    meaning: 'The word that events, headers and claims of V2 carry, for clients of another vendor',
  }),
});

export const idempotency = table({
  enabled: flag(true, 'IDEMPOTENCY_ENABLED', 'Accept idempotency keys on publish'),
  ttl_seconds: positive(120, 'IDEMPOTENCY_TTL_SECONDS', 'How long a key is remembered', 's'),
  max_key_length: positive(128, 'IDEMPOTENCY_MAX_KEY_LENGTH', 'Longest key', 'bytes'),
});

export const ephemeral = table({
  enabled: flag(true, 'EPHEMERAL_ENABLED', 'Accept ephemeral messages'),
});

export const echoControl = table({
  enabled: flag(true, 'ECHO_CONTROL_ENABLED', 'Let a connection choose whether it receives its own messages'),
  default_echo_messages: flag(
    true,
    'ECHO_CONTROL_DEFAULT_ECHO_MESSAGES',
    'What happens when it does not choose',
  ),
});

export const eventNameFiltering = table({
  enabled: flag(true, 'EVENT_NAME_FILTERING_ENABLED', 'Let a subscription choose event names'),
  max_events_per_filter: positive(50, 'EVENT_NAME_FILTERING_MAX_EVENTS_PER_FILTER', 'Names in one filter'),
  max_event_name_length: positive(
    200,
    'EVENT_NAME_FILTERING_MAX_EVENT_NAME_LENGTH',
    'Longest name in a filter',
    'bytes',
  ),
});

export const tagFiltering = table({
  enabled: flag(false, 'TAG_FILTERING_ENABLED', 'Let a subscription choose by tags'),
  enable_tags: bool({
    default: true,
    meaning: 'Send the tags to subscribers; `false`: they are for filters alone',
  }),
  max_filters_per_channel: positive(
    1000,
    'TAG_FILTERING_MAX_FILTERS_PER_CHANNEL',
    'Distinct filters of the subscriptions of one channel or pattern in one process. Filters of a single `eq` or `in` node, or of event names alone, do not count: they are found by a hash lookup. Expressions of derived channels of Ably clients are counted apart, by the same limit',
  ),
  max_filters_per_app: positive(
    10_000,
    'TAG_FILTERING_MAX_FILTERS_PER_APP',
    'Distinct filters of one app in one process; the same ones do not count. Expressions of derived channels of Ably clients are counted apart, by the same limit',
  ),
});

export const connectionRecovery = table({
  enabled: flag(false, 'CONNECTION_RECOVERY_ENABLED', 'Replay missed messages after a reconnect'),
  buffer_ttl_seconds: positive(
    120,
    'CONNECTION_RECOVERY_BUFFER_TTL',
    'How long messages are kept for replay',
    's',
  ),
  max_buffer_size: positive(100, 'CONNECTION_RECOVERY_MAX_BUFFER_SIZE', 'Messages kept per channel'),
});

const size = (initial: number, meaning: string, unit?: string) =>
  u32({ default: initial, min: 1, meaning, ...(unit === undefined ? {} : { unit }) });

export const deltaCompression = table({
  enabled: bool({ default: true, meaning: 'Let a subscription receive differences' }),
  algorithm: enumeration({
    values: ['fossil', 'xdelta3'],
    default: 'fossil',
    meaning: 'How differences are written',
  }),
  full_message_interval: size(10, 'Messages after which a full one is sent'),
  min_message_size: size(100, 'Smaller messages are sent in full', 'bytes'),
  max_state_age_secs: size(300, 'Age after which the last message is forgotten', 's'),
  max_channel_states_per_socket: size(
    100,
    'Channels of which one socket has a base; beyond, the one not used for longest begins again',
  ),
  max_conflation_states_per_channel: size(100, 'Conflation groups of one channel'),
  conflation_key_path: optional(
    string({ default: null, meaning: 'Where in the data the conflation key is' }),
  ),
  cluster_coordination: bool({
    default: false,
    meaning: 'All nodes send full messages at the same position',
  }),
  coordination_backend: enumeration({
    values: ['auto', 'none', 'redis', 'redis_cluster', 'nats'],
    spellings: { 'redis-cluster': 'redis_cluster' },
    default: 'auto',
    meaning: 'Store of the common position; `auto` follows the adapter',
  }),
  omit_delta_algorithm: bool({ default: false, meaning: 'Leave the name of the algorithm out of frames' }),
});

const AI = 'AI_TRANSPORT';
const whenEnabled = (text: string) => [bound<number>(text, () => null)];

const rollup = table({
  enabled: flag(true, `${AI}_ROLLUP_ENABLED`, 'Join appends of a stream before they are delivered'),
  default_window_ms: u64({
    default: 40,
    unit: 'ms',
    env: `${AI}_ROLLUP_DEFAULT_WINDOW_MS`,
    bounds: whenEnabled('one of 0, 20, 40, 100, 500; within min and max'),
    meaning: 'How long appends are gathered',
  }),
  min_window_ms: u64({
    default: 0,
    unit: 'ms',
    env: `${AI}_ROLLUP_MIN_WINDOW_MS`,
    bounds: whenEnabled('≤ max_window_ms'),
    meaning: 'Shortest window',
  }),
  max_window_ms: u64({
    default: 500,
    unit: 'ms',
    env: `${AI}_ROLLUP_MAX_WINDOW_MS`,
    meaning: 'Longest window',
  }),
  orphan_ttl_ms: positive(
    60_000,
    `${AI}_ROLLUP_ORPHAN_TTL_MS`,
    'Silence after which a stream is closed',
    'ms',
  ),
  wheel_tick_ms: positive(5, `${AI}_ROLLUP_WHEEL_TICK_MS`, 'Precision of the windows', 'ms'),
  shards: positive(64, `${AI}_ROLLUP_SHARDS`, 'Parts the streams are divided into'),
});

export const aiTransport = table({
  enabled: flag(false, `${AI}_ENABLED`, 'Streams of AI answers as appended messages'),
  max_accumulated_message_bytes: positive(
    1_048_576,
    `${AI}_MAX_ACCUMULATED_MESSAGE_BYTES`,
    'Size of one answer',
    'bytes',
  ),
  max_appends_per_message: positive(4096, `${AI}_MAX_APPENDS_PER_MESSAGE`, 'Appends to one answer'),
  max_transport_value_bytes: u64({
    default: 256,
    unit: 'bytes',
    bounds: whenEnabled('≥ 256'),
    meaning: 'Longest value of a transport header',
  }),
  max_steer_codec_message_ids_bytes: u64({
    default: 2048,
    unit: 'bytes',
    bounds: whenEnabled('≥ 2048'),
    meaning: 'Longest list of message ids',
  }),
  max_open_streaming_messages_per_channel: positive(
    1024,
    `${AI}_MAX_OPEN_STREAMING_MESSAGES_PER_CHANNEL`,
    'Open streams of one channel',
  ),
  rollup,
  channels: rows({
    row: table({
      prefix: string({ default: '', bounds: [notEmpty], meaning: 'Start of the channel names' }),
    }),
    meaning: 'Channels with AI transport',
  }),
});
