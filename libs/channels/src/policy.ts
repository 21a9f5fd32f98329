import type { App } from '@carillon/app-registry';
import type { ChannelNamespace } from '@carillon/config';

/** The global settings under those of the app, named as in the configuration; null is not set. */
export interface GlobalChannelSettings {
  readonly history: {
    readonly enabled: boolean;
    readonly rewind_enabled: boolean;
    readonly retention_window_seconds: number;
    readonly max_messages_per_channel: number | null;
    readonly max_bytes_per_channel: number | null;
    readonly max_events_per_channel: number | null;
  };
  readonly presence_history: {
    readonly enabled: boolean;
    readonly retention_window_seconds: number;
    readonly max_events_per_channel: number | null;
    readonly max_bytes_per_channel: number | null;
  };
  readonly annotations: { readonly enabled: boolean };
  readonly connection_recovery: {
    readonly enabled: boolean;
    readonly buffer_ttl_seconds: number;
    readonly max_buffer_size: number;
  };
}

/** Retention of a channel's history. Unlimited values are `Infinity`. */
export interface HistoryPolicy {
  /** Makes the channel durable. On whenever annotations are; a namespace cannot switch it. */
  readonly enabled: boolean;
  /** Only ever true together with `enabled`. */
  readonly rewindEnabled: boolean;
  readonly retentionWindowSeconds: number;
  readonly maxMessages: number;
  readonly maxBytes: number;
}

/** The same for joins and leaves. Meaningful for channels with members only. */
export interface PresenceHistoryPolicy {
  readonly enabled: boolean;
  readonly retentionWindowSeconds: number;
  readonly maxEvents: number;
  readonly maxBytes: number;
}

/** Whether clients of the app may recover, and the size of the replay buffer. */
export interface RecoveryPolicy {
  readonly enabled: boolean;
  /** Messages a channel. */
  readonly maxCount: number;
  readonly maxAgeMs: number;
}

/** Effective policy of the channels of a namespace of an app, or of those in none. */
export interface ChannelPolicy {
  /** Bytes of the whole name. */
  readonly maxNameBytes: number;
  /** Enabled globally, and for the namespace or, by default, the app. */
  readonly annotationsEnabled: boolean;
  readonly history: HistoryPolicy;
  readonly presenceHistory: PresenceHistoryPolicy;
  readonly recovery: RecoveryPolicy;
  readonly allowUserLimitedChannels: boolean;
  readonly allowSubscribeForClient: boolean;
  readonly allowPublishForClient: boolean;
  readonly allowPresenceForClient: boolean;
}

/** Resolves namespace → app → global. Null is the policy outside every namespace. */
export function channelPolicy(
  app: App,
  namespace: ChannelNamespace | null,
  globals: GlobalChannelSettings,
): ChannelPolicy {
  const annotationsEnabled =
    globals.annotations.enabled &&
    (namespace?.annotations_enabled ?? app.record.policy.channels.annotations_enabled ?? false);
  return Object.freeze({
    maxNameBytes: namespace?.max_channel_name_length ?? app.limits.maxChannelNameBytes,
    annotationsEnabled,
    history: historyPolicy(app, namespace, globals, annotationsEnabled),
    presenceHistory: presenceHistoryPolicy(app, namespace, globals),
    recovery: recoveryPolicy(app, globals),
    allowUserLimitedChannels: namespace?.allow_user_limited_channels ?? false,
    allowSubscribeForClient: namespace?.allow_subscribe_for_client ?? true,
    allowPublishForClient: namespace?.allow_publish_for_client ?? true,
    allowPresenceForClient: namespace?.allow_presence_for_client ?? true,
  });
}

function historyPolicy(
  { record }: App,
  namespace: ChannelNamespace | null,
  { history: global }: GlobalChannelSettings,
  forced: boolean,
): HistoryPolicy {
  const app = record.policy.history;
  const own = namespace?.history;
  const enabled = forced || (app?.enabled ?? global.enabled);
  return Object.freeze({
    enabled,
    rewindEnabled: enabled && (own?.rewind_enabled ?? app?.rewind_enabled ?? global.rewind_enabled),
    retentionWindowSeconds:
      own?.retention_window_seconds ?? app?.retention_window_seconds ?? global.retention_window_seconds,
    // Of a message history every event is a message: the lower of both bounds holds.
    maxMessages: Math.min(
      bound(own?.max_messages_per_channel, app?.max_messages_per_channel, global.max_messages_per_channel),
      global.max_events_per_channel ?? Infinity,
    ),
    maxBytes: bound(own?.max_bytes_per_channel, app?.max_bytes_per_channel, global.max_bytes_per_channel),
  });
}

function presenceHistoryPolicy(
  { record }: App,
  namespace: ChannelNamespace | null,
  { presence_history: global }: GlobalChannelSettings,
): PresenceHistoryPolicy {
  const app = record.policy.presence_history;
  const own = namespace?.presence_history;
  return Object.freeze({
    enabled: own?.enabled ?? app?.enabled ?? global.enabled,
    retentionWindowSeconds:
      own?.retention_window_seconds ?? app?.retention_window_seconds ?? global.retention_window_seconds,
    maxEvents: bound(own?.max_events_per_channel, app?.max_events_per_channel, global.max_events_per_channel),
    maxBytes: bound(own?.max_bytes_per_channel, app?.max_bytes_per_channel, global.max_bytes_per_channel),
  });
}

/** Resolves app → global. */
function recoveryPolicy(
  { record }: App,
  { connection_recovery: global }: Pick<GlobalChannelSettings, 'connection_recovery'>,
): RecoveryPolicy {
  const app = record.policy.connection_recovery;
  return Object.freeze({
    enabled: app?.enabled ?? global.enabled,
    maxCount: app?.max_buffer_size ?? global.max_buffer_size,
    maxAgeMs: (app?.buffer_ttl_seconds ?? global.buffer_ttl_seconds) * 1000,
  });
}

type Level = number | null | undefined;

function bound(namespace: Level, app: Level, global: Level): number {
  return namespace ?? app ?? global ?? Infinity;
}
