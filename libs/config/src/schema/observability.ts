import {
  bool,
  bound,
  derived,
  enumeration,
  isUrl,
  map,
  matches,
  optional,
  portBound,
  string,
  table,
  u16,
  u64,
} from '../kernel/index.js';
import { logFormat } from './log-format.js';

export const logging = table({
  colors_enabled: bool({
    default: true,
    env: 'LOG_COLORS_ENABLED',
    meaning: 'Coloured text logs; off when the output is not a terminal',
  }),
  include_target: bool({ default: true, env: 'LOG_INCLUDE_TARGET', meaning: 'Name the part that logs' }),
  format: logFormat,
  filter: derived(
    string({
      default: null,
      env: 'RUST_LOG',
      meaning: 'What is logged: comma list of `level` or `target=level`. Meant for the environment',
    }),
    '`logging.filter_debug` in debug mode, else `logging.filter_production`',
  ),
  filter_debug: string({
    default: 'info,service=debug',
    env: 'SERVICE_LOG_DEBUG',
    meaning: 'The filter of debug mode. Meant for the environment',
  }),
  filter_production: string({
    default: 'info',
    env: 'SERVICE_LOG_PROD',
    meaning: 'The filter outside debug mode. Meant for the environment',
  }),
});

const TCP_ENV = 'METRICS_TCP_EXPORTER';

export const metrics = table({
  enabled: bool({ default: true, env: 'METRICS_ENABLED', meaning: 'Open the metrics listener' }),
  driver: enumeration({
    values: ['prometheus'],
    default: 'prometheus',
    env: 'METRICS_DRIVER',
    meaning: 'Format of the scrape endpoint',
  }),
  host: string({
    default: '0.0.0.0',
    notEmpty: true,
    env: 'METRICS_HOST',
    meaning: 'Bind address of the metrics listener',
  }),
  port: u16({
    default: 9601,
    bounds: [portBound('not the main port; 0 = any free port, only outside production')],
    env: 'METRICS_PORT',
    meaning: 'Port of the metrics listener',
  }),
  prometheus: table({
    prefix: string({
      default: 'service_',
      bounds: [matches(/^[a-zA-Z_][a-zA-Z0-9_]*$/, 'a metric name prefix of [a-zA-Z_][a-zA-Z0-9_]*')],
      env: 'METRICS_PROMETHEUS_PREFIX',
      meaning: 'In front of every metric name',
    }),
  }),
  tcp_exporter: table({
    enabled: bool({
      default: false,
      env: `${TCP_ENV}_ENABLED`,
      meaning: 'Stream samples to connected clients; drops when full',
    }),
    host: string({ default: '127.0.0.1', notEmpty: true, env: `${TCP_ENV}_HOST`, meaning: 'Bind address' }),
    port: u16({ default: 5000, min: 1, max: 65_535, env: `${TCP_ENV}_PORT`, meaning: 'Port' }),
    buffer_size: u64({
      default: 1024,
      min: 1,
      env: `${TCP_ENV}_BUFFER_SIZE`,
      meaning: 'Samples kept for slow clients',
    }),
  }),
});

const OTEL = 'SERVICE_OTEL';
const otelFlag = (key: string, initial: boolean, meaning: string) =>
  bool({ default: initial, env: `${OTEL}_${key}`, meaning });
const otelNumber = (key: string, initial: number, unit: string, meaning: string) =>
  u64({ default: initial, min: 1, unit, env: `${OTEL}_${key}`, meaning });
const otelText = (key: string, meaning: string) =>
  optional(string({ default: null, emptyClears: true, env: `${OTEL}_${key}`, meaning }));

export const opentelemetry = table({
  enabled: otelFlag('ENABLED', false, 'Export telemetry, besides the scrape endpoint and local logs'),
  traces_enabled: otelFlag('TRACES_ENABLED', true, 'Export traces'),
  metrics_enabled: otelFlag('METRICS_ENABLED', true, 'Export metrics'),
  logs_enabled: otelFlag('LOGS_ENABLED', true, 'Export logs'),
  service_name: string({
    default: 'service',
    env: `${OTEL}_SERVICE_NAME`,
    bounds: [bound('not empty when enabled', () => null)],
    meaning: 'Resource attribute `service.name`; `OTEL_SERVICE_NAME` is not read',
  }),
  service_namespace: otelText('SERVICE_NAMESPACE', 'Resource attribute `service.namespace`'),
  deployment_environment: otelText('DEPLOYMENT_ENVIRONMENT', 'Resource attribute `deployment.environment`'),
  resource_attributes: map({
    default: {},
    env: `${OTEL}_RESOURCE_ATTRIBUTES`,
    meaning: 'Further resource attributes; no secrets',
  }),
  endpoint: optional(
    string({
      default: null,
      emptyClears: true,
      env: `${OTEL}_ENDPOINT`,
      bounds: [isUrl],
      meaning: 'Collector; the standard endpoint variables win over it',
    }),
  ),
  export_timeout_ms: otelNumber('EXPORT_TIMEOUT_MS', 10_000, 'ms', 'Time one export may take'),
  batch_scheduled_delay_ms: otelNumber('BATCH_SCHEDULED_DELAY_MS', 5000, 'ms', 'Longest wait of a batch'),
  batch_max_queue_size: otelNumber('BATCH_MAX_QUEUE_SIZE', 2048, 'items', 'Items waiting; more are dropped'),
  batch_max_export_batch_size: u64({
    default: 512,
    min: 1,
    unit: 'items',
    env: `${OTEL}_BATCH_MAX_EXPORT_BATCH_SIZE`,
    bounds: [bound('≤ batch_max_queue_size', () => null)],
    meaning: 'Items in one export',
  }),
  metric_export_interval_ms: otelNumber(
    'METRIC_EXPORT_INTERVAL_MS',
    60_000,
    'ms',
    'Time between two metric exports',
  ),
  propagation_trace_context: otelFlag(
    'PROPAGATION_TRACE_CONTEXT',
    true,
    'Honour and send `traceparent`, `tracestate`',
  ),
  propagation_baggage: otelFlag('PROPAGATION_BAGGAGE', true, 'Honour and send `baggage`'),
});
