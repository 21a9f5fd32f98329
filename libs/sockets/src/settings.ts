import type { Config } from '@carillon/config';
import type { FilterLimits, FilterRules } from '@carillon/filter';
import type { ConnectRules } from '@carillon/protocol';
import type { SocketOptions } from '@carillon/uws';
import type { HeartbeatOptions } from './time/heartbeats.js';

/** Maps an unset or zero limit to Infinity. */
const unbounded = (value: number | null): number => (value === null || value === 0 ? Infinity : value);

/** 0 means without a bound to the native library. */
const native = (value: number): number => (Number.isFinite(value) ? value : 0);

/**
 * Options of the native library. Its limit is the sum of queued and unsent bytes. The outlet enforces the exact
 * limits; a client reaches the native limit only within one batch of large frames.
 */
export function socketOptions({ websocket, websocket_max_payload_kb }: Config): SocketOptions {
  const queued = unbounded(websocket.max_bytes);
  return {
    // The native library does not tell the frames of a message apart: the bound of one frame is one of the message.
    maxPayloadBytes: Math.min(
      websocket_max_payload_kb * 1024,
      websocket.max_message_size,
      websocket.max_frame_size,
    ),
    maxBackpressureBytes: native(queued + websocket.max_backpressure),
    compression: websocket.compression,
  };
}

export function heartbeatOptions(config: Config): HeartbeatOptions {
  return {
    activityTimeoutSeconds: config.activity_timeout,
    userAuthenticationTimeoutSeconds: config.user_authentication_timeout,
    pingIntervalSeconds: pingInterval(config),
    idleTimeoutSeconds: unbounded(config.websocket.idle_timeout),
  };
}

/** Clients of protocol 2 are pinged no more often than those of protocol 1 are asked. */
function pingInterval({ websocket, activity_timeout }: Config): number {
  if (!websocket.auto_ping || websocket.ping_interval === 0) return Infinity;
  return Math.max(websocket.ping_interval, activity_timeout / 2, 5);
}

/** Rules for the filters of protocol 2 subscriptions. */
export function filterRules({ event_name_filtering, tag_filtering }: Config): FilterRules {
  return {
    eventNamesEnabled: event_name_filtering.enabled,
    tagsEnabled: tag_filtering.enabled,
    maxEventNames: event_name_filtering.max_events_per_filter,
    maxEventNameBytes: event_name_filtering.max_event_name_length,
  };
}

export const filterLimits = ({ tag_filtering }: Config): FilterLimits => ({
  maxPerChannel: tag_filtering.max_filters_per_channel,
  maxPerApp: tag_filtering.max_filters_per_app,
});

export function connectRules({ echo_control, ai_transport }: Config): ConnectRules {
  return {
    echoControlEnabled: echo_control.enabled,
    defaultEchoMessages: echo_control.default_echo_messages,
    minRollupWindowMs: ai_transport.rollup.min_window_ms,
    maxRollupWindowMs: ai_transport.rollup.max_window_ms,
  };
}
