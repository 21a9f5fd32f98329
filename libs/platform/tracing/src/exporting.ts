import { diag, DiagLogLevel } from '@opentelemetry/api';
import { SeverityNumber } from '@opentelemetry/api-logs';
import { createConfigFactory } from '@opentelemetry/configuration';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import type { LoggerProvider } from '@opentelemetry/sdk-logs';
import type { MetricProducer } from '@opentelemetry/sdk-metrics';
import type { TracerProvider } from '@opentelemetry/sdk-trace';
import { metricData } from './metric-data.js';
import { OpenTelemetryTracer } from './open-telemetry.js';
import { loggerProvider, meterProvider, tracerProvider } from './providers.js';
import { withStandardVariables } from './standard-variables.js';
import type { ExportedLine, Telemetry, TelemetryParts } from './telemetry-parts.js';
import { useTracer } from './tracing.js';

/** Minimum interval of warnings about a collector. */
const WARN_EVERY_MS = 60_000;
/** Limit of the last exports at a stop, whose phase has 2 s. */
const CLOSE_MS = 1500;

const SEVERITY = {
  trace: SeverityNumber.TRACE,
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
} as const;

const silent = (): void => undefined;

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

/** Forwards failed exports from the libraries' own log, which never contains exported data. */
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

/** Starts the enabled exports in batches with bounded queues; null if the environment disables the SDK. */
export async function exportTelemetry(parts: TelemetryParts): Promise<Telemetry | null> {
  tellTrouble(parts.warn);
  const telemetry = await withStandardVariables(parts.config, () => start(parts));
  if (telemetry === null) diag.disable();
  return telemetry;
}

async function start(parts: TelemetryParts): Promise<Telemetry | null> {
  const { config } = parts;
  const model = createConfigFactory().getConfigModel();
  if (model.disabled === true) return null;
  const resource = resourceOf(parts);
  const traces = config.traces_enabled ? await tracerProvider(model, resource) : null;
  const metrics = config.metrics_enabled
    ? await meterProvider(model, resource, scrapeProducer(parts, resource))
    : null;
  const logs = config.logs_enabled ? await loggerProvider(model, resource) : null;
  const stopTracing = traces === null ? silent : traceWith(traces, parts);
  const providers = [traces, metrics, logs].filter((one) => one !== null);
  return {
    line: logs === null ? null : lineWriter(logs),
    async close() {
      stopTracing();
      const ends = Promise.allSettled(providers.map((one) => one.shutdown()));
      await Promise.race([ends, new Promise((late) => void setTimeout(late, CLOSE_MS).unref())]);
      diag.disable();
    },
  };
}

/** Sets the tracer of the process; returns how to restore the previous one. */
function traceWith(provider: TracerProvider, { config, messagesToo }: TelemetryParts): () => void {
  const honoured = { parents: config.propagation_trace_context, baggage: config.propagation_baggage };
  return useTracer(new OpenTelemetryTracer(provider.getTracer('carillon'), honoured), messagesToo);
}

/** The samples of a scrape as metrics of OpenTelemetry. */
function scrapeProducer({ samples }: TelemetryParts, resource: Resource): MetricProducer {
  const startMs = Date.now() - process.uptime() * 1000;
  const scope = { name: 'carillon' };
  return {
    collect: async () => {
      const metrics = metricData(await samples(), startMs, Date.now());
      return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] };
    },
  };
}

function lineWriter(provider: LoggerProvider): (line: ExportedLine) => void {
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
