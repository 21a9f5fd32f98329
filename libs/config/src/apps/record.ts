import type { Secret } from '../secret.js';
import type { ChannelPolicy } from './channel-policy.js';
import type { WebhookEntry } from './webhook-entry.js';
import type { Table } from './extra.js';
import type { HistoryOverride, PresenceHistoryOverride } from './history-overrides.js';

/**
 * An app as stored and as configured, with every default filled in. Everywhere below, null means "not set": the
 * next level decides (app → global → built in). Frozen at every depth; a change makes a new record.
 */
export interface AppRecord extends Table {
  /** 1–64 characters `[A-Za-z0-9_-]`, unique, never changes. */
  readonly id: string;
  /** 1–255 characters, public, unique, case-sensitive. */
  readonly key: string;
  /** The HMAC key, 1–255 characters. */
  readonly secret: Secret;
  /** False refuses connections (4003) and requests (403). */
  readonly enabled: boolean;
  readonly policy: AppPolicy;
  /** The secret before the last rotation; null: none. Valid until `previous_secret_expires_at_ms`. */
  readonly previous_secret: Secret | null;
  /** Unix milliseconds, checked at use. */
  readonly previous_secret_expires_at_ms: number | null;
  /** Times of the management API, Unix milliseconds; null: the app was never written by it. */
  readonly created_at_ms: number | null;
  readonly updated_at_ms: number | null;
  /** Changes with every write of the management API; null: never written by it. */
  readonly revision: string | null;
}

/** Everything an app may have of its own, beside its credentials. */
export interface AppPolicy extends Table {
  readonly limits: AppLimits;
  readonly features: AppFeatures;
  readonly channels: ChannelPolicy;
  readonly webhooks: readonly WebhookEntry[];
  readonly idempotency: IdempotencyOverride | null;
  readonly connection_recovery: ConnectionRecoveryOverride | null;
  readonly history: HistoryOverride | null;
  readonly presence_history: PresenceHistoryOverride | null;
}

/**
 * Limits as written; `effectiveLimits` of the app registry resolves them. 0 means unlimited, except in `decay_seconds`.
 */
export interface AppLimits extends Table {
  /** Open connections across the cluster. */
  readonly max_connections: number;
  /** Per socket and `decay_seconds`. */
  readonly max_client_events_per_second: number;
  /** Across the cluster; null means unlimited, there is no global value. */
  readonly max_backend_events_per_second: number | null;
  /** Across the cluster; null means unlimited, there is no global value. */
  readonly max_read_requests_per_second: number | null;
  readonly max_presence_members_per_channel: number | null;
  readonly max_presence_member_size_in_kb: number | null;
  /** Bytes of the whole name. */
  readonly max_channel_name_length: number | null;
  readonly max_event_channels_at_once: number | null;
  /** Bytes in UTF-8. */
  readonly max_event_name_length: number | null;
  readonly max_event_payload_in_kb: number | null;
  readonly max_event_batch_size: number | null;
  /** Window of the client-event limiter, > 0. */
  readonly decay_seconds: number;
  /** True closes with 4301 on too many client events, false answers an error frame. */
  readonly terminate_on_limit: boolean;
  /** Null: inbound frames are not counted. */
  readonly message_rate_limit: MessageRateLimit | null;
}

/** Counts every inbound frame of a socket. */
export interface MessageRateLimit extends Table {
  readonly enabled: boolean;
  /** Frames per window; 0 means unlimited. */
  readonly max_attempts: number;
  /** > 0. */
  readonly decay_seconds: number;
  readonly terminate_on_limit: boolean;
}

/** The features enabled for clients of the app; null counts as false. */
export interface AppFeatures extends Table {
  readonly enable_client_messages: boolean;
  readonly enable_user_authentication: boolean | null;
  readonly enable_watchlist_events: boolean | null;
  readonly enable_subscription_count_events: boolean | null;
}

/** Overrides of the global `[idempotency]`. */
export interface IdempotencyOverride extends Table {
  readonly enabled: boolean | null;
  readonly ttl_seconds: number | null;
}

/** Overrides of the global `[connection_recovery]`. */
export interface ConnectionRecoveryOverride extends Table {
  readonly enabled: boolean | null;
  readonly buffer_ttl_seconds: number | null;
  readonly max_buffer_size: number | null;
}
