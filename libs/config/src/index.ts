export { parseAppRecord, serializeAppRecord, type ParsedAppRecord } from './apps/app-record.js';
export { bootstrapAppRecord, type BootstrapValues } from './apps/bootstrap.js';
export {
  type ChannelNamespace,
  type ChannelPolicy,
  type DeltaAlgorithm,
  type DeltaCompression,
  type DeltaMode,
  type DeltaSettings,
} from './apps/channel-policy.js';
export { duplicateProblems } from './apps/duplicate-problems.js';
export { keepUnknownMembers } from './apps/keep-unknown.js';
export { LinearPattern } from './apps/linear-pattern.js';
export { originPatternProblem } from './apps/origin-pattern.js';
export {
  type AppFeatures,
  type AppLimits,
  type AppPolicy,
  type AppRecord,
  type ConnectionRecoveryOverride,
  type IdempotencyOverride,
  type MessageRateLimit,
} from './apps/record.js';
export {
  type HistoryOverride,
  type NamespaceHistory,
  type PresenceHistoryOverride,
} from './apps/history-overrides.js';
export { NO_EXTRA, type Extra } from './apps/extra.js';
export { redactedAppRecord } from './apps/redacted.js';
export { type UnknownKey } from './apps/report.js';
export {
  WEBHOOK_EVENT_NAMES,
  type LambdaTarget,
  type WebhookEntry,
  type WebhookEventName,
  type WebhookFilter,
  type WebhookRetry,
} from './apps/webhook-entry.js';
export { RESERVED_WEBHOOK_HEADERS } from './apps/webhook-fields.js';
export { configure, type Configured, type ConfigureInput } from './configure.js';
export { type Env } from './load/environment.js';
export { type Files, nodeFiles } from './load/files.js';
export { load, type Loaded } from './load/load.js';
export {
  matchesOrigin,
  parseOriginPattern,
  type OriginPattern,
  type ParsedOriginPattern,
} from './origin-pattern.js';
export { isProduction } from './mode.js';
export { type Problem } from './problem.js';
export { type ProcessKind } from './process-kind.js';
export { printable } from './redact.js';
export { exampleToml } from './pages/example-toml.js';
export { jsonSchema } from './pages/json-schema.js';
export { type AvailableDrivers } from './rules/rule.js';
export { DRIVER_FACTS, QUEUE_FACTS, type QueueFacts } from './pages/driver-facts.js';
export { type Config } from './schema/index.js';
export { ALL_TOOLSETS, MCP_TOOLSETS, type McpToolset } from './schema/mcp-tools.js';
export { COMPRESSION_NAMES } from './schema/websocket.js';
export { REDACTED, Secret } from './secret.js';
export { workerEnvironment } from './workers.js';
