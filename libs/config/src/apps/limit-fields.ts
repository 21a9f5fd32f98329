import { boolean, optional, positiveU32, u32, withDefault } from './field.js';
import type { AppFeatures, AppLimits, MessageRateLimit } from './record.js';
import { table, type Fields } from './table.js';

const messageRateLimit = table<MessageRateLimit>({
  enabled: withDefault(boolean, false),
  max_attempts: withDefault(u32, 60),
  decay_seconds: withDefault(positiveU32, 60),
  terminate_on_limit: withDefault(boolean, false),
});

export const limitFields: Fields<AppLimits> = {
  max_connections: withDefault(u32, 0),
  max_client_events_per_second: withDefault(u32, 0),
  max_backend_events_per_second: optional(u32),
  max_read_requests_per_second: optional(u32),
  max_presence_members_per_channel: optional(u32),
  max_presence_member_size_in_kb: optional(u32),
  max_channel_name_length: optional(u32),
  max_event_channels_at_once: optional(u32),
  max_event_name_length: optional(u32),
  max_event_payload_in_kb: optional(u32),
  max_event_batch_size: optional(u32),
  decay_seconds: withDefault(positiveU32, 1),
  terminate_on_limit: withDefault(boolean, false),
  message_rate_limit: optional(messageRateLimit),
};

export const featureFields: Fields<AppFeatures> = {
  enable_client_messages: withDefault(boolean, false),
  enable_user_authentication: optional(boolean),
  enable_watchlist_events: optional(boolean),
  enable_subscription_count_events: optional(boolean),
};
