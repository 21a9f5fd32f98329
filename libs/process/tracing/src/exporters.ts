import type {
  LogRecordExporterConfigModel,
  PushMetricExporterConfigModel,
  SpanExporterConfigModel,
} from '@opentelemetry/configuration';
import { ConsoleLogRecordExporter, type LogRecordExporter } from '@opentelemetry/sdk-logs';
import { ConsoleMetricExporter, type PushMetricExporter } from '@opentelemetry/sdk-metrics';
import { ConsoleSpanExporter, type SpanExporter } from '@opentelemetry/sdk-trace';

/** How an exporter encodes and sends, as the SDK decides by OTEL_*_EXPORTER and OTEL_EXPORTER_OTLP_*_PROTOCOL. */
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
  switch (formOf(model)) {
    case 'console':
      return new ConsoleSpanExporter();
    case 'grpc':
      return new (await import('@opentelemetry/exporter-trace-otlp-grpc')).OTLPTraceExporter();
    case 'json':
      return new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter();
    case 'protobuf':
      return new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter();
  }
}

export async function metricExporter(model: Model): Promise<PushMetricExporter> {
  switch (formOf(model)) {
    case 'console':
      return new ConsoleMetricExporter();
    case 'grpc':
      return new (await import('@opentelemetry/exporter-metrics-otlp-grpc')).OTLPMetricExporter();
    case 'json':
      return new (await import('@opentelemetry/exporter-metrics-otlp-http')).OTLPMetricExporter();
    case 'protobuf':
      return new (await import('@opentelemetry/exporter-metrics-otlp-proto')).OTLPMetricExporter();
  }
}

export async function logExporter(model: Model): Promise<LogRecordExporter> {
  switch (formOf(model)) {
    case 'console':
      return new ConsoleLogRecordExporter();
    case 'grpc':
      return new (await import('@opentelemetry/exporter-logs-otlp-grpc')).OTLPLogExporter();
    case 'json':
      return new (await import('@opentelemetry/exporter-logs-otlp-http')).OTLPLogExporter();
    case 'protobuf':
      return new (await import('@opentelemetry/exporter-logs-otlp-proto')).OTLPLogExporter();
  }
}
