import { engine } from '@carillon/test-backends';
import { configuration } from '@carillon/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { currentSpan, isTracing, openTelemetry, traced } from '../src/index.js';

async function open(
  env: Record<string, string>,
  samples: readonly { name: string; type: string; labels: Record<string, string>; value: number }[] = [],
) {
  const warn = vi.fn<(text: string) => void>();
  if (env['OTEL_EXPORTER_OTLP_PROTOCOL'] !== undefined)
    vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', env['OTEL_EXPORTER_OTLP_PROTOCOL']);
  const telemetry = await openTelemetry({
    config: configuration(env).opentelemetry,
    nodeId: 'node-1',
    version: '1.2.3',
    messagesToo: false,
    samples: () => Promise.resolve(samples),
    warn,
  });
  onTestFinished(() => telemetry?.close());
  return { telemetry, warn };
}

async function heard<Value>(signal: string): Promise<Value[]> {
  const { url } = await engine('otlp-receiver');
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ do: 'heard', signal }) });
  return (await answer.json()) as Value[];
}

async function ports(): Promise<{ http: number; grpc: number }> {
  const { url } = await engine('otlp-receiver');
  const answer = await fetch(url, { method: 'POST', body: '{"do":"ports"}' });
  return (await answer.json()) as { http: number; grpc: number };
}

describe('telemetry', { timeout: 120_000 }, () => {
  it.each(['http', 'grpc'] as const)('arrives over %s: spans as a tree, values, lines', async (over) => {
    const port = (await ports())[over];
    const { telemetry, warn } = await open(
      {
        SERVICE_OTEL_ENABLED: 'true',
        SERVICE_OTEL_SERVICE_NAME: `over-${over}`,
        SERVICE_OTEL_ENDPOINT: `http://127.0.0.1:${port}`,
        ...(over === 'grpc' ? { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' } : {}),
      },
      [
        { name: 'a_total', type: 'counter', labels: { app_id: '1' }, value: 3 },
        { name: 'b_ms_bucket', type: 'histogram', labels: { le: '1' }, value: 2 },
        { name: 'b_ms_bucket', type: 'histogram', labels: { le: '+Inf' }, value: 5 },
        { name: 'b_ms_sum', type: 'histogram', labels: {}, value: 40 },
        { name: 'b_ms_count', type: 'histogram', labels: {}, value: 5 },
      ],
    );
    await traced(
      () => ({ name: `outer-${over}`, kind: 'server' }),
      async () => {
        await Promise.resolve();
        traced(
          () => ({ name: `inner-${over}`, kind: 'client' }),
          () => expect(currentSpan()?.name).toBe(`inner-${over}`),
        );
      },
    );
    telemetry?.line?.({
      level: 'warn',
      target: 'service::a',
      fields: { message: `hello over ${over}`, n: 1 },
    });
    await telemetry?.close();
    expect(warn).not.toHaveBeenCalled();

    // A stop waits for a bounded time only; data in flight arrives later on a busy system.
    const arrived = async (signal: string, ...texts: readonly string[]): Promise<void> =>
      vi.waitFor(async () => {
        const found = (await heard<{ over: string }>(signal)).filter((one) => one.over === over);
        for (const text of texts) expect(JSON.stringify(found)).toContain(text);
      }, 60_000);
    await arrived('traces', `inner-${over}`, '"stringValue":"node-1"');
    await arrived('metrics', '"bucketCounts":["2","3"]', '"explicitBounds":[1]');
    await arrived('logs', `hello over ${over}`);
  });

  it('that nobody takes is told of once, and holds nobody up', async () => {
    const { telemetry, warn } = await open({
      SERVICE_OTEL_ENABLED: 'true',
      SERVICE_OTEL_ENDPOINT: 'http://127.0.0.1:1',
      SERVICE_OTEL_EXPORT_TIMEOUT_MS: '200',
      SERVICE_OTEL_BATCH_SCHEDULED_DELAY_MS: '10',
    });
    for (let index = 0; index < 5; index += 1)
      traced(
        () => ({ name: 'a', kind: 'client' }),
        () => undefined,
      );
    await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(1), 10_000);
    await telemetry?.close();
    expect(warn).toHaveBeenCalledTimes(1);
    expect(isTracing()).toBe(false);
  });
});
