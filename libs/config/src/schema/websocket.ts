import { bool, bound, enumeration, table, u64, u64OrNone } from '../kernel/index.js';

/** The compression options of frames. */
export const COMPRESSION_NAMES = [
  'disabled',
  'dedicated',
  'shared',
  'window256b',
  'window1kb',
  'window2kb',
  'window4kb',
  'window8kb',
  'window16kb',
  'window32kb',
] as const;

export const websocket = table({
  max_messages: u64OrNone({
    default: 1000,
    env: 'WEBSOCKET_MAX_MESSAGES',
    meaning: 'Queued outbound frames of one socket; 0 or `none` = no limit',
  }),
  max_bytes: u64OrNone({
    default: 4_194_304,
    unit: 'bytes',
    env: 'WEBSOCKET_MAX_BYTES',
    meaning: 'Queued outbound bytes of one socket; 0 or `none` = no limit',
  }),
  disconnect_on_buffer_full: bool({
    default: true,
    env: 'WEBSOCKET_DISCONNECT_ON_BUFFER_FULL',
    meaning: 'Close a slow socket with 4100; false: drop the new frame and count it',
  }),
  max_message_size: u64({
    default: 67_108_864,
    min: 1,
    unit: 'bytes',
    env: 'WEBSOCKET_MAX_MESSAGE_SIZE',
    meaning: 'Largest inbound message; a larger one closes with 1009',
  }),
  max_frame_size: u64({
    default: 16_777_216,
    min: 1,
    unit: 'bytes',
    env: 'WEBSOCKET_MAX_FRAME_SIZE',
    bounds: [bound('≤ max_message_size', () => null)],
    meaning:
      'Largest inbound frame, and so largest message: the server does not tell frames of a message apart',
  }),
  write_buffer_size: u64({
    default: 16_384,
    min: 1,
    unit: 'bytes',
    env: 'WEBSOCKET_WRITE_BUFFER_SIZE',
    meaning: 'Bytes gathered before a write',
  }),
  max_backpressure: u64({
    default: 1_048_576,
    min: 1,
    unit: 'bytes',
    env: 'WEBSOCKET_MAX_BACKPRESSURE',
    bounds: [bound('> write_buffer_size', () => null)],
    meaning: 'Unsent bytes the transport holds for one socket',
  }),
  auto_ping: bool({ default: true, env: 'WEBSOCKET_AUTO_PING', meaning: 'Native ping frames, V2 only' }),
  ping_interval: u64({
    default: 30,
    unit: 's',
    env: 'WEBSOCKET_PING_INTERVAL',
    meaning:
      'Inbound silence before a native ping; 0 = off, else at least half of `activity_timeout` and 5 s',
  }),
  idle_timeout: u64({
    default: 120,
    unit: 's',
    env: 'WEBSOCKET_IDLE_TIMEOUT',
    meaning: 'Inbound silence after which a V2 socket is closed; 0 = off',
  }),
  max_subscriptions_per_connection: u64({
    default: 1000,
    env: 'WEBSOCKET_MAX_SUBSCRIPTIONS_PER_CONNECTION',
    meaning: 'Channels and patterns of one socket; the next one gets error 4301; 0 = no limit',
  }),
  compression: enumeration({
    values: COMPRESSION_NAMES,
    default: 'disabled',
    env: 'WEBSOCKET_COMPRESSION',
    meaning: 'Compression of frames and the memory it may use per socket',
  }),
});
