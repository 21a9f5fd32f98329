import { APP, counter, gauge, histogram, MILLISECONDS } from '../metric-row.js';

const CHANNEL = [...APP, 'channel_type'] as const;
const LIMITER = [...APP, 'limiter_type', 'request_context'] as const;
const DELTA = [...APP, 'channel_name'] as const;

const NO_SHARED_DELTAS = 'Never shown: every node makes the differences for its own subscribers';

/** Sockets, HTTP calls, channels, admission (spec 50 §5.1). */
export const CONNECTION_METRICS = {
  connected: gauge(APP, 'Open WebSocket connections'),
  new_connections_total: counter(APP, 'Connections accepted'),
  new_disconnections_total: counter(APP, 'Connections ended'),
  connection_errors_total: counter([...APP, 'error_type'], 'Connections refused or failed, by reason'),
  socket_received_bytes: counter(APP, 'WebSocket payload bytes received'),
  socket_transmitted_bytes: counter(APP, 'WebSocket payload bytes sent'),
  ws_messages_received_total: counter(APP, 'WebSocket frames received'),
  ws_messages_sent_total: counter(APP, 'WebSocket frames sent'),
  ws_slow_consumer_disconnects_total: counter(APP, 'Sockets closed because their buffer was full'),
  ws_messages_dropped_total: counter(APP, 'Frames dropped because a buffer was full'),
  http_received_bytes: counter(APP, 'Request body bytes of the signed API'),
  http_transmitted_bytes: counter(APP, 'Answer body bytes of the signed API'),
  http_calls_received_total: counter(APP, 'Calls of the signed API'),
  rate_limit_checks_total: counter(LIMITER, 'Rate limit decisions; app_id is global for limits by address'),
  rate_limit_triggered_total: counter(LIMITER, 'Rate limit refusals; app_id is global for limits by address'),
  channel_subscriptions_total: counter(CHANNEL, 'Subscriptions made'),
  channel_unsubscriptions_total: counter(CHANNEL, 'Subscriptions ended'),
  active_channels: gauge(CHANNEL, 'Channels with a subscriber on this node'),
  broadcast_latency_ms: histogram(
    MILLISECONDS,
    [...CHANNEL, 'recipient_count_bucket'],
    'Publish accepted to last local write; recipients xs 1–10, sm 11–100, md 101–1000, lg 1001–10000, xl more',
  ),
  memory_pressure_shedding: gauge([], '1 while new connections are refused for memory, else 0'),
  memory_pressure_rejections_total: counter(['port'], 'Upgrades refused or closed for memory pressure'),
  idempotency_publish_total: counter(APP, 'Publishes that carried an idempotency key'),
  idempotency_duplicates_total: counter(APP, 'Publishes answered from a stored receipt'),
  messages_published_total: counter(APP, 'Messages handed to publishing, durable or not'),
  ephemeral_messages_total: counter(APP, 'Messages published without being stored'),
  event_filter_suppressed_total: counter(APP, 'Deliveries withheld by a subscription filter'),
  echo_suppressed_total: counter(APP, 'Deliveries withheld from their own sender'),
  horizontal_delta_compression_enabled_total: counter(DELTA, 'Delta compression enabled; by namespace or _'),
  delta_compression_bandwidth_saved_bytes: counter(DELTA, 'Bytes not sent thanks to deltas'),
  delta_compression_bandwidth_original_bytes: counter(DELTA, 'Bytes the messages had before compression'),
  delta_compression_full_messages_total: counter(DELTA, 'Messages sent whole'),
  delta_compression_delta_messages_total: counter(DELTA, 'Messages sent as a delta'),
  delta_cluster_coordination_ops_total: counter(['backend', 'op', 'result'], NO_SHARED_DELTAS),
  delta_cluster_coordination_failures_total: counter(['backend', 'op', 'code'], NO_SHARED_DELTAS),
  delta_cluster_coordination_latency_ms: histogram(MILLISECONDS, ['backend', 'op'], NO_SHARED_DELTAS),
  delta_cluster_coordination_decisions_total: counter(['backend', 'decision'], NO_SHARED_DELTAS),
  delta_cluster_coordination_backend_up: gauge(['backend'], NO_SHARED_DELTAS),
  http_streams_open: gauge(
    [...APP, 'form'],
    'Open HTTP streams; forms events, session, ably_sse, ably_comet',
  ),
  http_streams_opened_total: counter([...APP, 'form'], 'HTTP streams opened'),
  http_streams_refused_total: counter([...APP, 'reason', 'soft'], 'HTTP streams refused, by reason'),
  http_streams_resumes_total: counter(
    [...APP, 'outcome'],
    'Channels of event streams that resumed, or the code of the failure',
  ),
  http_streams_blocks_total: counter(['port'], 'Blocks and lines written to HTTP streams'),
  http_streams_sent_bytes_total: counter(['port'], 'Body bytes written to HTTP streams'),
  http_streams_frames_received_total: counter([...APP, 'outcome'], 'Frames of clients of sessions'),
  http_streams_forwarded_total: counter(
    [...APP, 'outcome'],
    'Requests forwarded to the node of their session',
  ),
  mcp_requests_total: counter(['port', 'outcome'], 'Requests of the tool protocol'),
  mcp_tool_calls_total: counter(['port', 'tool', 'outcome'], 'Tool calls'),
  mcp_tool_latency_ms: histogram(MILLISECONDS, ['port', 'tool'], 'Time of tool calls'),
  mcp_sessions: gauge(['port'], 'Sessions of the tool protocol begun here that are not known to be over'),
  mcp_streams: gauge(['port'], 'Open event streams of the tool protocol'),
  mcp_auth_failures_total: counter(['port', 'reason'], 'Requests of the tool protocol without a valid token'),
  mcp_rate_limited_total: counter(['port', 'principal'], 'Requests of the tool protocol over a limit'),
} as const;
