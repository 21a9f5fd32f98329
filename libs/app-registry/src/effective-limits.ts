import type { AppRecord } from '@carillon/config';

/** The global values under the app's own, named as in the configuration; null is not set, 0 unlimited. */
export interface GlobalLimits {
  readonly channel_limits: { readonly max_name_length: number };
  readonly event_limits: {
    readonly max_name_length: number;
    readonly max_channels_at_once: number | null;
    readonly max_payload_in_kb: number | null;
    readonly max_batch_size: number | null;
  };
  readonly presence: {
    readonly max_members_per_channel: number | null;
    readonly max_member_size_in_kb: number | null;
  };
}

/** The effective limits of an app. Unlimited is `Infinity`, so that `value > limit` is sufficient as a check. */
export interface EffectiveLimits {
  readonly maxConnections: number;
  /** Per `decay_seconds` of the record. */
  readonly maxClientEvents: number;
  readonly maxBackendEventsPerSecond: number;
  readonly maxReadRequestsPerSecond: number;
  readonly maxPresenceMembersPerChannel: number;
  readonly maxPresenceMemberBytes: number;
  /** A namespace may replace it. */
  readonly maxChannelNameBytes: number;
  readonly maxEventChannelsAtOnce: number;
  readonly maxEventNameBytes: number;
  readonly maxEventPayloadBytes: number;
  readonly maxEventBatchSize: number;
}

/** The app's value if set, else the global one if set, else none; 0 at the level that decides means unlimited. */
export function effectiveLimits(record: AppRecord, globals: GlobalLimits): EffectiveLimits {
  const { limits: app } = record.policy;
  const { channel_limits: channel, event_limits: event, presence } = globals;
  return Object.freeze({
    maxConnections: limit(app.max_connections),
    maxClientEvents: limit(app.max_client_events_per_second),
    maxBackendEventsPerSecond: limit(app.max_backend_events_per_second),
    maxReadRequestsPerSecond: limit(app.max_read_requests_per_second),
    maxPresenceMembersPerChannel: limit(
      app.max_presence_members_per_channel,
      presence.max_members_per_channel,
    ),
    maxPresenceMemberBytes: limit(app.max_presence_member_size_in_kb, presence.max_member_size_in_kb) * 1024,
    maxChannelNameBytes: limit(app.max_channel_name_length, channel.max_name_length),
    maxEventChannelsAtOnce: limit(app.max_event_channels_at_once, event.max_channels_at_once),
    maxEventNameBytes: limit(app.max_event_name_length, event.max_name_length),
    maxEventPayloadBytes: limit(app.max_event_payload_in_kb, event.max_payload_in_kb) * 1024,
    maxEventBatchSize: limit(app.max_event_batch_size, event.max_batch_size),
  });
}

function limit(app: number | null, global: number | null = null): number {
  const value = app ?? global ?? 0;
  return value === 0 ? Infinity : value;
}
