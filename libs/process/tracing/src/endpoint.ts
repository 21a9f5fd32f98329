/** One of the three things that are exported. */
export type Signal = 'TRACES' | 'METRICS' | 'LOGS';

type Env = Readonly<Record<string, string | undefined>>;

const said = (env: Env, name: string): string | undefined => (env[name] === '' ? undefined : env[name]);

const PATHS: Readonly<Record<Signal, string>> = {
  TRACES: 'v1/traces',
  METRICS: 'v1/metrics',
  LOGS: 'v1/logs',
};

/** Whether a signal goes over gRPC; the standard variables say so, and HTTP with Protobuf is the default. */
export function overGrpc(signal: Signal, env: Env): boolean {
  const protocol =
    said(env, `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`) ?? said(env, 'OTEL_EXPORTER_OTLP_PROTOCOL');
  return protocol === 'grpc';
}

/**
 * Where a signal goes by the configuration; absent: the exporter finds it itself, in the standard variables, which win
 * over the configuration, or in the default of its protocol.
 */
export function configuredUrl(signal: Signal, endpoint: string | null, env: Env): string | undefined {
  const standard =
    said(env, `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`) ?? said(env, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  if (standard !== undefined || endpoint === null) return undefined;
  return overGrpc(signal, env) ? endpoint : `${endpoint.replace(/\/+$/, '')}/${PATHS[signal]}`;
}
