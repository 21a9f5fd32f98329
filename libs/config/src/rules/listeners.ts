import { isProduction } from '../mode.js';
import { rule, type Rule } from './rule.js';

const ADMISSION = 'http_api.accept_traffic';

/** Rules of the main listener, its admission and its sockets. */
export const listenerRules: readonly Rule[] = [
  rule(
    'port',
    'port',
    'must be between 1 and 65535',
    (config) => config.port === 0 && isProduction(config) && !config.unix_socket.enabled,
  ),
  rule(
    'metrics-port',
    'metrics.port',
    'must be between 1 and 65535',
    (config) => config.metrics.port === 0 && isProduction(config) && config.metrics.enabled,
  ),
  rule(
    'drain-delay',
    'drain.delay_ms',
    'must be less than shutdown_grace_period',
    ({ drain, shutdown_grace_period: grace }) => drain.delay_ms > 0 && drain.delay_ms >= grace * 1000,
  ),
  rule(
    'memory-threshold',
    ADMISSION,
    'memory_threshold must be greater than 0 and at most 1',
    ({ http_api: { accept_traffic: admission } }) =>
      !(admission.memory_threshold > 0 && admission.memory_threshold <= 1),
  ),
  rule(
    'memory-limit',
    ADMISSION,
    'memory_limit_bytes must be greater than 0',
    ({ http_api: { accept_traffic: admission } }) => admission.memory_limit_bytes === 0,
  ),
  rule(
    'sample-interval',
    ADMISSION,
    'sample_interval_ms must be greater than 0',
    ({ http_api: { accept_traffic: admission } }) => admission.sample_interval_ms === 0,
  ),
  rule(
    'frame-size',
    'websocket.max_frame_size',
    'must be at most max_message_size',
    ({ websocket }) => websocket.max_frame_size > websocket.max_message_size,
  ),
  rule(
    'backpressure',
    'websocket.max_backpressure',
    'must be greater than write_buffer_size',
    ({ websocket }) => websocket.max_backpressure <= websocket.write_buffer_size,
  ),
  rule(
    'stream-retry',
    'http_streams.retry_min_ms',
    'must be at most retry_max_ms',
    ({ http_streams: streams }) => streams.retry_min_ms > streams.retry_max_ms,
  ),
  rule(
    'stream-post',
    'http_streams.session_post_max_kb',
    'must be at least websocket_max_payload_kb',
    ({ http_streams: streams, websocket_max_payload_kb: frame }) =>
      streams.enabled && streams.session_post_max_kb < frame,
  ),
  rule(
    'socket-mode',
    'unix_socket.permission_mode',
    'grants write to other',
    ({ unix_socket: socket }) =>
      socket.enabled &&
      /^[0-7]+$/.test(socket.permission_mode) &&
      (Number.parseInt(socket.permission_mode, 8) & 2) !== 0,
    'warning',
  ),
  rule(
    'socket-tmp',
    'unix_socket.path',
    'is under /tmp in production',
    (config) =>
      config.unix_socket.enabled && isProduction(config) && /^\/tmp(\/|$)/.test(config.unix_socket.path),
    'warning',
  ),
  rule(
    'socket-tls',
    'ssl.enabled',
    'has no effect worth having on a Unix socket',
    ({ ssl, unix_socket: socket }) => ssl.enabled && socket.enabled,
    'warning',
  ),
  rule(
    'otel-name',
    'opentelemetry',
    'service_name must not be empty when enabled',
    ({ opentelemetry: otel }) => otel.enabled && otel.service_name === '',
  ),
  rule(
    'otel-batch',
    'opentelemetry',
    'batch_max_export_batch_size must not exceed batch_max_queue_size',
    ({ opentelemetry: otel }) => otel.batch_max_export_batch_size > otel.batch_max_queue_size,
  ),
];
