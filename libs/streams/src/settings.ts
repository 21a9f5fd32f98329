import type { Config } from '@carillon/config';

/** Settings of HTTP streams, in the units that the code uses. */
export interface StreamSettings {
  readonly maxChannels: number;
  readonly heartbeatMs: number;
  readonly retryMinMs: number;
  readonly retryMaxMs: number;
  /** Infinity: a stream has no age limit. */
  readonly maxDurationMs: number;
  readonly openTimeoutMs: number;
  readonly maxFrameBytes: number;
  readonly sessionPostMaxBytes: number;
  readonly sessionPostMaxFrames: number;
  readonly forwardTimeoutMs: number;
  readonly activityTimeoutSeconds: number;
  readonly authenticationTimeoutMs: number;
  /** Unread bytes of one client; more end it. Infinity: no limit. */
  readonly maxUnreadBytes: number;
}

export function streamSettings(config: Config): StreamSettings {
  const { http_streams: streams, websocket } = config;
  const queuedBytes = websocket.max_bytes ?? 0;
  return {
    maxChannels: streams.max_channels,
    heartbeatMs: streams.heartbeat_seconds * 1000,
    retryMinMs: streams.retry_min_ms,
    retryMaxMs: streams.retry_max_ms,
    maxDurationMs: streams.max_duration_seconds === 0 ? Infinity : streams.max_duration_seconds * 1000,
    openTimeoutMs: streams.open_timeout_ms,
    maxFrameBytes: config.websocket_max_payload_kb * 1024,
    sessionPostMaxBytes: streams.session_post_max_kb * 1024,
    sessionPostMaxFrames: streams.session_post_max_frames,
    forwardTimeoutMs: streams.forward_timeout_ms,
    activityTimeoutSeconds: config.activity_timeout,
    authenticationTimeoutMs: config.user_authentication_timeout * 1000,
    maxUnreadBytes: queuedBytes === 0 ? Infinity : queuedBytes + websocket.max_backpressure,
  };
}
