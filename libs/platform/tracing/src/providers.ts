import type {
  BatchLogRecordProcessorConfigModel,
  BatchSpanProcessorConfigModel,
  ConfigurationModel,
} from '@opentelemetry/configuration';
import type { Resource } from '@opentelemetry/resources';
import {
  BatchLogRecordProcessor,
  LoggerProvider,
  type LogRecordProcessor,
  SimpleLogRecordProcessor,
} from '@opentelemetry/sdk-logs';
import {
  MeterProvider,
  type MetricProducer,
  type MetricReader,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BatchSpanProcessor,
  SimpleSpanProcessor,
  type SpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { logExporter, metricExporter, spanExporter } from './exporters.js';
import { samplerOf } from './sampler.js';

// The providers of the model that the SDK makes of its environment variables. Null: OTEL_*_EXPORTER is `none`.

const batch = (model: BatchLogRecordProcessorConfigModel | BatchSpanProcessorConfigModel) => ({
  ...defined('maxQueueSize', model.max_queue_size),
  ...defined('maxExportBatchSize', model.max_export_batch_size),
  ...defined('scheduledDelayMillis', model.schedule_delay),
  ...defined('exportTimeoutMillis', model.export_timeout),
});

/** A property, unless its value is absent. */
const defined = <Name extends string>(
  name: Name,
  value: number | null | undefined,
): { readonly [name in Name]?: number } =>
  value === null || value === undefined ? {} : ({ [name]: value } as { readonly [name in Name]: number });

export async function tracerProvider(
  { tracer_provider: model }: ConfigurationModel,
  resource: Resource,
): Promise<TracerProvider | null> {
  if (!model) return null;
  const spanProcessors: SpanProcessor[] = [];
  for (const { batch: batched, simple } of model.processors) {
    if (batched)
      spanProcessors.push(
        new BatchSpanProcessor({ exporter: await spanExporter(batched.exporter), ...batch(batched) }),
      );
    else if (simple)
      spanProcessors.push(new SimpleSpanProcessor({ exporter: await spanExporter(simple.exporter) }));
  }
  const { limits } = model;
  return new TracerProvider({
    resource,
    spanProcessors,
    sampler: samplerOf(model.sampler),
    spanLimits: {
      ...defined('attributeCountLimit', limits?.attribute_count_limit),
      ...defined('attributeValueLengthLimit', limits?.attribute_value_length_limit),
      ...defined('eventCountLimit', limits?.event_count_limit),
      ...defined('linkCountLimit', limits?.link_count_limit),
      ...defined('attributePerEventCountLimit', limits?.event_attribute_count_limit),
      ...defined('attributePerLinkCountLimit', limits?.link_attribute_count_limit),
    },
  });
}

/** Readers that are scraped are left out: the service has its own endpoint for that. */
export async function meterProvider(
  { meter_provider: model }: ConfigurationModel,
  resource: Resource,
  producer: MetricProducer,
): Promise<MeterProvider | null> {
  const readers: MetricReader[] = [];
  for (const { periodic } of model?.readers ?? []) {
    if (!periodic) continue;
    const exportIntervalMillis = periodic.interval ?? 60_000;
    readers.push(
      new PeriodicExportingMetricReader({
        exporter: await metricExporter(periodic.exporter),
        exportIntervalMillis,
        // The reader refuses a longer one.
        exportTimeoutMillis: Math.min(periodic.timeout ?? 30_000, exportIntervalMillis),
        metricProducers: [producer],
      }),
    );
  }
  return readers.length === 0 ? null : new MeterProvider({ resource, readers });
}

export async function loggerProvider(
  { logger_provider: model }: ConfigurationModel,
  resource: Resource,
): Promise<LoggerProvider | null> {
  if (!model) return null;
  const processors: LogRecordProcessor[] = [];
  for (const { batch: batched, simple } of model.processors) {
    if (batched)
      processors.push(
        new BatchLogRecordProcessor({ exporter: await logExporter(batched.exporter), ...batch(batched) }),
      );
    else if (simple)
      processors.push(new SimpleLogRecordProcessor({ exporter: await logExporter(simple.exporter) }));
  }
  const { limits } = model;
  return new LoggerProvider({
    resource,
    processors,
    logRecordLimits: {
      ...defined('attributeCountLimit', limits?.attribute_count_limit),
      ...defined('attributeValueLengthLimit', limits?.attribute_value_length_limit),
    },
  });
}
