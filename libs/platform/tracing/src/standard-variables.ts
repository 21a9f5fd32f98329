import type { Config } from '@carillon/config';

type Options = Config['opentelemetry'];

/** The configuration as standard variables (OTEL_*), which the SDK reads. */
const fromConfiguration = (config: Options): Readonly<Record<string, string>> => ({
  OTEL_TRACES_EXPORTER: 'otlp',
  OTEL_METRICS_EXPORTER: 'otlp',
  OTEL_LOGS_EXPORTER: 'otlp',
  ...(config.endpoint === null ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: config.endpoint.replace(/\/+$/, '') }),
  OTEL_EXPORTER_OTLP_TIMEOUT: String(config.export_timeout_ms),
  ...batchVariables('OTEL_BSP', config),
  ...batchVariables('OTEL_BLRP', config),
  OTEL_METRIC_EXPORT_INTERVAL: String(config.metric_export_interval_ms),
  OTEL_METRIC_EXPORT_TIMEOUT: String(config.export_timeout_ms),
  ...attributeLimits('OTEL_SPAN'),
  ...attributeLimits('OTEL_LOGRECORD'),
});

/** The limits of all attributes are the defaults of those of spans and of log records. */
const attributeLimits = (prefix: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ['ATTRIBUTE_COUNT_LIMIT', 'ATTRIBUTE_VALUE_LENGTH_LIMIT'].flatMap((name) => {
      const general = process.env[`OTEL_${name}`] ?? '';
      return general === '' ? [] : [[`${prefix}_${name}`, general]];
    }),
  );

const batchVariables = (prefix: string, config: Options): Readonly<Record<string, string>> => ({
  [`${prefix}_SCHEDULE_DELAY`]: String(config.batch_scheduled_delay_ms),
  [`${prefix}_EXPORT_TIMEOUT`]: String(config.export_timeout_ms),
  [`${prefix}_MAX_QUEUE_SIZE`]: String(config.batch_max_queue_size),
  [`${prefix}_MAX_EXPORT_BATCH_SIZE`]: String(config.batch_max_export_batch_size),
});

/**
 * Runs the work while every standard variable that the environment leaves unset or empty has the value of the
 * configuration: so the SDK and its exporters read their own variables, and those of the environment win.
 */
export async function withStandardVariables<Result>(
  config: Options,
  work: () => Promise<Result>,
): Promise<Result> {
  const missing = Object.entries(fromConfiguration(config)).filter(([name]) => !process.env[name]);
  const before = missing.map(([name]) => [name, process.env[name]] as const);
  for (const [name, value] of missing) process.env[name] = value;
  try {
    return await work();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
