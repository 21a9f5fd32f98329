import type {
  LogRecordExporterConfigModel,
  PushMetricExporterConfigModel,
  SpanExporterConfigModel,
} from '@opentelemetry/configuration';
import { ConsoleLogRecordExporter, type LogRecordExporter } from '@opentelemetry/sdk-logs';
import { ConsoleMetricExporter, type PushMetricExporter } from '@opentelemetry/sdk-metrics';
import { ConsoleSpanExporter, type SpanExporter } from '@opentelemetry/sdk-trace';

/**
 * Encoding and transport of an exporter, selected by OTEL_*_EXPORTER and OTEL_EXPORTER_OTLP_*_PROTOCOL as in the SDK.
 */
type Form = 'console' | 'grpc' | 'json' | 'protobuf';

type Model = LogRecordExporterConfigModel | PushMetricExporterConfigModel | SpanExporterConfigModel;

function formOf({ console, otlp_grpc: grpc, otlp_http: http }: Model): Form {
  if (console !== undefined) return 'console';
  if (grpc !== undefined) return 'grpc';
  return http?.encoding === 'json' ? 'json' : 'protobuf';
}

// Exporters read the other OTEL_EXPORTER_OTLP_* variables themselves: endpoint, headers, compression, timeout, TLS. Only
// the libraries of the form in use are loaded.

export async function spanExporter(model: Model): Promise<SpanExporter> {
  const form = formOf(model);
  if (form === 'console') return new ConsoleSpanExporter();
  if (form === 'grpc')
    return new (await import('@opentelemetry/exporter-trace-otlp-grpc')).OTLPTraceExporter();
  if (form === 'json')
    return new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter();
  return new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter();
}

export async function metricExporter(model: Model): Promise<PushMetricExporter> {
  const form = formOf(model);
  if (form === 'console') return new ConsoleMetricExporter();
  if (form === 'grpc')
    return new (await import('@opentelemetry/exporter-metrics-otlp-grpc')).OTLPMetricExporter();
  if (form === 'json')
    return new (await import('@opentelemetry/exporter-metrics-otlp-http')).OTLPMetricExporter();
  return new (await import('@opentelemetry/exporter-metrics-otlp-proto')).OTLPMetricExporter();
}

export async function logExporter(model: Model): Promise<LogRecordExporter> {
  const form = formOf(model);
  if (form === 'console') return new ConsoleLogRecordExporter();
  if (form === 'grpc') return new (await import('@opentelemetry/exporter-logs-otlp-grpc')).OTLPLogExporter();
  if (form === 'json') return new (await import('@opentelemetry/exporter-logs-otlp-http')).OTLPLogExporter();
  return new (await import('@opentelemetry/exporter-logs-otlp-proto')).OTLPLogExporter();
}
