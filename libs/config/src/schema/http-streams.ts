import { bool, table, u32, u64 } from '../kernel/index.js';

/** Protocol 2 over HTTP: event streams and duplex sessions. */
export const httpStreams = table({
  enabled: bool({
    default: true,
    env: 'HTTP_STREAMS_ENABLED',
    meaning: 'Serve protocol 2 over HTTP: `/app/{appKey}/events` and `/app/{appKey}/stream`',
  }),
  max_channels: u32({
    default: 50,
    min: 1,
    max: 200,
    env: 'HTTP_STREAMS_MAX_CHANNELS',
    meaning: 'Channels of one event stream',
  }),
  heartbeat_seconds: u64({
    default: 25,
    min: 1,
    max: 300,
    unit: 's',
    env: 'HTTP_STREAMS_HEARTBEAT_SECONDS',
    meaning: 'Silence after which a heartbeat is written',
  }),
  retry_min_ms: u64({
    default: 1000,
    min: 100,
    max: 600_000,
    unit: 'ms',
    env: 'HTTP_STREAMS_RETRY_MIN_MS',
    meaning: 'Reconnect delay that an idle node tells; at most `retry_max_ms`',
  }),
  retry_max_ms: u64({
    default: 10_000,
    min: 100,
    max: 600_000,
    unit: 'ms',
    env: 'HTTP_STREAMS_RETRY_MAX_MS',
    meaning: 'Reconnect delay that a full node tells',
  }),
  max_duration_seconds: u64({
    default: 0,
    max: 604_800,
    unit: 's',
    env: 'HTTP_STREAMS_MAX_DURATION_SECONDS',
    meaning: 'Age at which a stream is closed with 4200, ±10 %; 0 = never',
  }),
  open_timeout_ms: u64({
    default: 5000,
    min: 100,
    max: 60_000,
    unit: 'ms',
    env: 'HTTP_STREAMS_OPEN_TIMEOUT_MS',
    meaning: 'Longest time until all channels of an event stream are subscribed',
  }),
  session_post_max_kb: u32({
    default: 256,
    max: 10_240,
    unit: 'KiB',
    env: 'HTTP_STREAMS_SESSION_POST_MAX_KB',
    meaning: 'Largest body of frames for a session; at least `websocket_max_payload_kb`',
  }),
  session_post_max_frames: u32({
    default: 100,
    min: 1,
    max: 1000,
    env: 'HTTP_STREAMS_SESSION_POST_MAX_FRAMES',
    meaning: 'Frames of one body for a session',
  }),
  forward_timeout_ms: u64({
    default: 2000,
    min: 100,
    max: 30_000,
    unit: 'ms',
    env: 'HTTP_STREAMS_FORWARD_TIMEOUT_MS',
    meaning: 'Longest wait for the node that holds a session',
  }),
});
