import type { ChannelNamespace, ChannelPolicy, DeltaSettings } from '../apps/channel-policy.js';
import type {
  AppFeatures,
  AppLimits,
  AppRecord,
  ConnectionRecoveryOverride,
  IdempotencyOverride,
  MessageRateLimit,
} from '../apps/record.js';
import type { HistoryOverride, PresenceHistoryOverride } from '../apps/history-overrides.js';
import type { WebhookEntry, WebhookFilter, WebhookRetry } from '../apps/webhook-entry.js';

/** Descriptions of the members of a table. The compiler rejects a missing and an obsolete one. */
export type Meanings<T> = { readonly [Name in Exclude<keyof T, 'extra'>]-?: string };

export const RECORD: Meanings<Omit<AppRecord, 'policy'>> = {
  id: '1 to 64 characters `[A-Za-z0-9_-]`, unique, never changes. Choose digits: see above',
  key: '1 to 255 characters, public, unique, case-sensitive. Clients connect with it',
  secret: '1 to 255 characters. Signs requests and subscriptions; never leaves your servers',
  enabled: '`false` refuses connections (4003) and requests (403)',
  previous_secret: 'Secret before the last rotation. Set by the management API',
  previous_secret_expires_at_ms: 'Unix milliseconds until which the previous secret is valid',
  created_at_ms: 'Set by the management API',
  updated_at_ms: 'Set by the management API',
  revision: 'Set by the management API; changes with every write',
};

export const LIMITS: Meanings<AppLimits> = {
  max_connections: 'Open connections, of all processes together',
  max_client_events_per_second: 'Client events of one socket in `decay_seconds`',
  max_backend_events_per_second: 'Published events, of all processes together',
  max_read_requests_per_second: 'Reading requests, of all processes together',
  max_presence_members_per_channel: 'Members of one presence channel',
  max_presence_member_size_in_kb: 'JSON of one `user_info`',
  max_channel_name_length: 'Bytes of a channel name',
  max_event_channels_at_once: 'Channels of one publish',
  max_event_name_length: 'Bytes of the name of an event',
  max_event_payload_in_kb: 'Data of one event',
  max_event_batch_size: 'Events of one batch',
  decay_seconds: 'Window of the client event limit',
  terminate_on_limit: '`true` closes a socket beyond that limit (4301), `false` answers an error frame',
  message_rate_limit: 'A table: a limit of all frames of one socket, see below',
};

export const MESSAGE_RATE_LIMIT: Meanings<MessageRateLimit> = {
  enabled: 'Whether frames are counted',
  max_attempts: 'Frames in a window',
  decay_seconds: 'The window',
  terminate_on_limit: 'Whether a socket beyond it is closed',
};

export const FEATURES: Meanings<AppFeatures> = {
  enable_client_messages: 'Client events',
  enable_user_authentication: 'Sign-in of users',
  enable_watchlist_events: 'Telling of watched users who come and go',
  enable_subscription_count_events: 'Telling subscribers how many they are',
};

export const CHANNELS: Meanings<ChannelPolicy> = {
  allowed_origins: 'List of origin patterns; unset or empty admits every origin, also none',
  annotations_enabled: 'Annotations; switches history on too',
  channel_delta_compression:
    'Table from a channel name, or a pattern with one `*`, to `inherit`, `disabled`, `fossil`, `xdelta3` or a table',
  channel_namespaces: 'List of tables, one for each namespace; names are unique',
};

export const DELTA: Meanings<DeltaSettings> = {
  enabled: 'Whether there are deltas',
  algorithm: '`fossil` or `xdelta3`',
  conflation_key: 'Dot-separated path into the frame',
  max_messages_per_key: 'Messages that are kept of a key',
  max_conflation_keys: 'Keys that are kept of a channel',
  enable_tags: 'Send the tags of events to subscribers; `false`: they are for filters alone',
};

export const NAMESPACE: Meanings<ChannelNamespace> = {
  name: 'Needed. Not empty, without `:`. Holds for channels whose name begins with `name:`, behind the type prefix',
  channel_name_pattern: 'Regular expression of what names may be, tested unanchored',
  max_channel_name_length: 'Bytes of a channel name; instead of the limit of the app',
  annotations_enabled: 'Annotations; instead of what the app says',
  allow_user_limited_channels: 'Whether `name:room#alice,bob` admits the named users alone',
  allow_subscribe_for_client: 'Whether clients may subscribe',
  allow_publish_for_client: 'Whether clients may send events',
  allow_presence_for_client: 'Whether clients may be members',
  history: 'A table like that of the app, without `enabled`',
  presence_history: 'A table like that of the app',
};

export const HISTORY: Meanings<HistoryOverride> = {
  enabled: 'Whether channels are durable',
  rewind_enabled: 'Whether a subscribe may ask for earlier messages',
  retention_window_seconds: 'How long messages are kept',
  max_messages_per_channel: 'Messages that are kept',
  max_bytes_per_channel: 'Bytes that are kept',
};

export const PRESENCE_HISTORY: Meanings<PresenceHistoryOverride> = {
  enabled: 'Whether comings and goings are kept',
  retention_window_seconds: 'How long they are kept',
  max_events_per_channel: 'Events that are kept',
  max_bytes_per_channel: 'Bytes that are kept',
};

export const IDEMPOTENCY: Meanings<IdempotencyOverride> = {
  enabled: 'Whether keys are honoured',
  ttl_seconds: 'How long a key is remembered',
};

export const RECOVERY: Meanings<ConnectionRecoveryOverride> = {
  enabled: 'Whether connections recover what they missed',
  buffer_ttl_seconds: 'How long that is kept',
  max_buffer_size: 'Messages that are kept of a channel',
};

export const WEBHOOK: Meanings<WebhookEntry> = {
  url: 'Where requests go, http or https. Exactly one of it and `lambda` is set',
  lambda: 'A table with `function_name` and `region`',
  event_types: 'Needed. Names of the events that are sent',
  filter: 'A table; what is set there must hold for the channel',
  headers: 'Table of headers that are added; not those the service sets',
  retry: 'A table; what is not set there is as in `[webhooks.retry]`',
  request_timeout_ms: 'Time of one attempt',
};

export const WEBHOOK_FILTER: Meanings<WebhookFilter> = {
  channel_prefix: 'Begin of the name',
  channel_suffix: 'End of the name',
  channel_pattern: 'Regular expression, unanchored; one that does not compile matches nothing',
  channel_namespace: 'The namespace',
  channel_namespaces: 'List of namespaces, one of which it is',
};

export const WEBHOOK_RETRY: Meanings<WebhookRetry> = {
  enabled: 'Whether there is more than one attempt',
  max_attempts: 'Attempts',
  max_elapsed_time_ms: 'Time in which they begin',
  initial_backoff_ms: 'First wait',
  max_backoff_ms: 'Longest wait',
};
