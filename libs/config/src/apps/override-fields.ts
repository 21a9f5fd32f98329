import { boolean, optional, positive, positiveU32 } from './field.js';
import type { ConnectionRecoveryOverride, IdempotencyOverride } from './record.js';
import type { HistoryOverride, NamespaceHistory, PresenceHistoryOverride } from './history-overrides.js';
import { table, type Fields } from './table.js';

export const idempotency = table<IdempotencyOverride>({
  enabled: optional(boolean),
  ttl_seconds: optional(positiveU32),
});

export const connectionRecovery = table<ConnectionRecoveryOverride>({
  enabled: optional(boolean),
  buffer_ttl_seconds: optional(positiveU32),
  max_buffer_size: optional(positiveU32),
});

const namespaceHistoryFields: Fields<NamespaceHistory> = {
  rewind_enabled: optional(boolean),
  retention_window_seconds: optional(positive),
  max_messages_per_channel: optional(positive),
  max_bytes_per_channel: optional(positive),
};

export const namespaceHistory = table<NamespaceHistory>(namespaceHistoryFields);

export const history = table<HistoryOverride>({ enabled: optional(boolean), ...namespaceHistoryFields });

export const presenceHistory = table<PresenceHistoryOverride>({
  enabled: optional(boolean),
  retention_window_seconds: optional(positive),
  max_events_per_channel: optional(positive),
  max_bytes_per_channel: optional(positive),
});
