import { describe, expect, it } from 'vitest';
import { configuredUrl, overGrpc } from '../src/endpoint.js';

describe('where telemetry goes', () => {
  it('is what the standard variables say, else the configuration, else the default of the protocol', () => {
    const own = 'http://collector:4318/';
    expect(configuredUrl('TRACES', own, {})).toBe('http://collector:4318/v1/traces');
    expect(configuredUrl('LOGS', null, {})).toBeUndefined();
    expect(configuredUrl('TRACES', own, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://other' })).toBeUndefined();
    expect(
      configuredUrl('METRICS', own, { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://other' }),
    ).toBeUndefined();
    expect(
      configuredUrl('TRACES', own, { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://other' }),
    ).toBeDefined();
    expect(configuredUrl('TRACES', own, { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toBe(own);
  });

  it('goes over gRPC when the variables say so, one signal before all', () => {
    expect(overGrpc('TRACES', {})).toBe(false);
    expect(overGrpc('TRACES', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toBe(true);
    const env = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'http/protobuf' };
    expect(overGrpc('LOGS', env)).toBe(false);
  });
});
