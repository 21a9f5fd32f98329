import { table, type Infer } from '../kernel/index.js';
import { adapter } from './adapter.js';
import { appManager } from './app-manager.js';
import { cache, channelLimits, cleanup, eventLimits, presence, rateLimiter } from './cache-and-limits.js';
import { compat } from './compat.js';
import { database, databasePooling } from './databases.js';
import { annotations, history, presenceHistory, versionedMessages } from './history.js';
import { cors, httpApi, ssl, unixSocket } from './http-api.js';
import { httpStreams } from './http-streams.js';
import { ingest } from './ingest.js';
import { topLevel } from './listener.js';
import { management } from './management.js';
import { mcp } from './mcp.js';
import { logging, metrics, opentelemetry } from './observability.js';
import { pushRules } from './push-rules.js';
import { push } from './push.js';
import { queue, webhooks } from './queue.js';
import { runtime } from './runtime.js';
import {
  aiTransport,
  connectionRecovery,
  deltaCompression,
  echoControl,
  ephemeral,
  eventNameFiltering,
  idempotency,
  protocol,
  tagFiltering,
} from './v2-features.js';
import { websocket } from './websocket.js';

/** The whole configuration: every key, its type, default, bounds, variables and meaning, in one place. */
export const schema = table({
  ...topLevel,
  http_api: httpApi,
  http_streams: httpStreams,
  cors,
  ssl,
  unix_socket: unixSocket,
  websocket,
  logging,
  metrics,
  opentelemetry,
  adapter,
  app_manager: appManager,
  cache,
  rate_limiter: rateLimiter,
  queue,
  webhooks,
  database,
  database_pooling: databasePooling,
  channel_limits: channelLimits,
  event_limits: eventLimits,
  presence,
  cleanup,
  protocol,
  idempotency,
  ephemeral,
  echo_control: echoControl,
  event_name_filtering: eventNameFiltering,
  tag_filtering: tagFiltering,
  connection_recovery: connectionRecovery,
  delta_compression: deltaCompression,
  history,
  presence_history: presenceHistory,
  versioned_messages: versionedMessages,
  annotations,
  ai_transport: aiTransport,
  push,
  push_rules: pushRules,
  mcp,
  management,
  compat,
  ingest,
  runtime,
});

/** The effective configuration: valid, complete, never changed after the start. Unset settings are null. */
export type Config = Infer<typeof schema>;
