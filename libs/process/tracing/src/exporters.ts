import type { LogRecordExporter } from '@opentelemetry/sdk-logs';
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { configuredUrl, overGrpc, type Signal } from './endpoint.js';

/** Makes the exporter of each signal, for the protocol that is asked for. */
export interface Exporters {
  traces(): Promise<SpanExporter>;
  metrics(): Promise<PushMetricExporter>;
  logs(): Promise<LogRecordExporter>;
}

export function exporters(
  endpoint: string | null,
  timeoutMillis: number,
  env: Readonly<Record<string, string | undefined>>,
): Exporters {
  const options = (signal: Signal): { url?: string; timeoutMillis: number } => {
    const url = configuredUrl(signal, endpoint, env);
    return url === undefined ? { timeoutMillis } : { url, timeoutMillis };
  };
  return {
    async traces() {
      const { OTLPTraceExporter } = overGrpc('TRACES', env)
        ? await import('@opentelemetry/exporter-trace-otlp-grpc')
        : await import('@opentelemetry/exporter-trace-otlp-proto');
      return new OTLPTraceExporter(options('TRACES'));
    },
    async metrics() {
      const { OTLPMetricExporter } = overGrpc('METRICS', env)
        ? await import('@opentelemetry/exporter-metrics-otlp-grpc')
        : await import('@opentelemetry/exporter-metrics-otlp-proto');
      return new OTLPMetricExporter(options('METRICS'));
    },
    async logs() {
      const { OTLPLogExporter } = overGrpc('LOGS', env)
        ? await import('@opentelemetry/exporter-logs-otlp-grpc')
        : await import('@opentelemetry/exporter-logs-otlp-proto');
      return new OTLPLogExporter(options('LOGS'));
    },
  };
}
