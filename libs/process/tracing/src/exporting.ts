import { diag, DiagLogLevel } from '@opentelemetry/api';
import { SeverityNumber } from '@opentelemetry/api-logs';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { exporters } from './exporters.js';
import { metricData } from './metric-data.js';
import { OpenTelemetryTracer } from './open-telemetry.js';
import type { ExportedLine, Telemetry, TelemetryParts } from './telemetry-parts.js';
import { useTracer } from './tracing.js';

/** Trouble with a collector is told at most once in this time. */
const WARN_EVERY_MS = 60_000;
/** How long the last exports may take at a stop, whose phase has 2 s. */
const CLOSE_MS = 1500;

const SEVERITY = {
  trace: SeverityNumber.TRACE,
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
} as const;

const silent = (): void => undefined;

interface Provider {
  shutdown(): Promise<void>;
}

function resourceOf({ config, nodeId, version }: TelemetryParts): Resource {
  return resourceFromAttributes({
    'service.name': config.service_name,
    'service.namespace': config.service_namespace ?? undefined,
    'deployment.environment': config.deployment_environment ?? undefined,
    'service.instance.id': nodeId,
    'service.version': version,
    ...config.resource_attributes,
  });
}

/** The libraries tell of failed exports by their own log, which never says what was exported. */
function tellTrouble(warn: (text: string) => void): void {
  let toldAt = Number.NEGATIVE_INFINITY;
  const tell = (text: string): void => {
    if (Date.now() - toldAt < WARN_EVERY_MS) return;
    toldAt = Date.now();
    warn(text.slice(0, 200));
  };
  diag.setLogger(
    { error: tell, warn: tell, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

/** Exports what is switched on, in batches whose queues are bounded. */
export async function exportTelemetry(parts: TelemetryParts): Promise<Telemetry> {
  const { config, samples } = parts;
  tellTrouble(parts.warn);
  const resource = resourceOf(parts);
  const make = exporters(config.endpoint, config.export_timeout_ms, parts.env);
  const batches = {
    maxQueueSize: config.batch_max_queue_size,
    maxExportBatchSize: config.batch_max_export_batch_size,
    scheduledDelayMillis: config.batch_scheduled_delay_ms,
    exportTimeoutMillis: config.export_timeout_ms,
  };
  const providers: Provider[] = [];
  if (config.traces_enabled) {
    const exporter = await make.traces();
    const provider = new TracerProvider({
      resource,
      spanProcessors: [new BatchSpanProcessor({ exporter, ...batches })],
    });
    const honoured = { parents: config.propagation_trace_context, baggage: config.propagation_baggage };
    useTracer(new OpenTelemetryTracer(provider.getTracer('carillon'), honoured), parts.messagesToo);
    providers.push(provider);
  }
  if (config.metrics_enabled) providers.push(await exportMetrics());
  const line = config.logs_enabled ? await exportLines() : null;

  async function exportMetrics(): Promise<Provider> {
    const startMs = Date.now() - process.uptime() * 1000;
    const scope = { name: 'carillon' };
    const collect = async () => {
      const metrics = metricData(await samples(), startMs, Date.now());
      return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] };
    };
    const reader = new PeriodicExportingMetricReader({
      exporter: await make.metrics(),
      exportIntervalMillis: config.metric_export_interval_ms,
      exportTimeoutMillis: Math.min(config.export_timeout_ms, config.metric_export_interval_ms),
      metricProducers: [{ collect }],
    });
    return new MeterProvider({ resource, readers: [reader] });
  }

  async function exportLines(): Promise<(line: ExportedLine) => void> {
    const exporter = await make.logs();
    const provider = new LoggerProvider({
      resource,
      processors: [new BatchLogRecordProcessor({ exporter, ...batches })],
    });
    providers.push(provider);
    const logger = provider.getLogger('carillon');
    return ({ level, target, fields: { message, ...rest } }) =>
      logger.emit({
        severityNumber: SEVERITY[level],
        severityText: level.toUpperCase(),
        body: message,
        attributes: {
          target,
          ...Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, String(value)])),
        },
      });
  }

  return {
    line,
    async close() {
      useTracer(null);
      const ends = Promise.allSettled(providers.map((one) => one.shutdown()));
      await Promise.race([ends, new Promise((late) => void setTimeout(late, CLOSE_MS).unref())]);
      diag.disable();
    },
  };
}
