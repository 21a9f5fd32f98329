import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { configuration } from '@carillon/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isTracing, openTelemetry, type Telemetry, traced } from '../src/index.js';

interface Received {
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

/** An HTTP collector; its URL and received requests. */
async function collector() {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      received.push({ path, type: headers['content-type'] ?? '', body: Buffer.concat(chunks).toString() });
      response.setHeader('Content-Type', 'application/json').end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

/** Exports to the endpoint with these variables in the environment. */
async function open(
  endpoint: string,
  variables: Readonly<Record<string, string>>,
): Promise<Telemetry | null> {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const telemetry = await openTelemetry({
    config: configuration({ SERVICE_OTEL_ENABLED: 'true', SERVICE_OTEL_ENDPOINT: endpoint }).opentelemetry,
    nodeId: 'node-1',
    version: '1.2.3',
    messagesToo: false,
    samples: () => Promise.resolve([{ name: 'a_total', type: 'counter', labels: {}, value: 3 }]),
    warn: () => undefined,
  });
  onTestFinished(() => telemetry?.close());
  return telemetry;
}

const span = (attributes = {}): void =>
  traced(
    () => ({ name: 'work', kind: 'server', attributes }),
    () => undefined,
  );

const line = { level: 'info', target: 'service::a', fields: { message: 'hello', a: 1, b: 2 } } as const;

/** The paths that a collector received something on after a span and a line. */
async function paths(variables: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { url, received } = await collector();
  const telemetry = await open(url, variables);
  span();
  telemetry?.line?.(line);
  await telemetry?.close();
  return received.map(({ path }) => path).toSorted();
}

const JSON_PROTOCOL = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
const ALL = ['/v1/logs', '/v1/metrics', '/v1/traces'];

describe('the standard variables of OpenTelemetry', () => {
  it('select JSON over HTTP when the protocol is http/json', async () => {
    const { url, received } = await collector();
    const telemetry = await open(url, JSON_PROTOCOL);
    span();
    telemetry?.line?.(line);
    await telemetry?.close();
    expect(received.map(({ path, type }) => `${path} ${type}`).toSorted()).toEqual(
      ALL.map((path) => `${path} application/json`),
    );
    expect(received.flatMap(({ body }) => Object.keys(JSON.parse(body) as object))).toHaveLength(3);
  });

  it('export Protobuf to the configured endpoint when they are unset', async () => {
    const { url, received } = await collector();
    const telemetry = await open(`${url}/`, {});
    span();
    await telemetry?.close();
    expect(received.find(({ path }) => path === '/v1/traces')?.type).toBe('application/x-protobuf');
    expect(Object.keys(process.env).filter((name) => name.startsWith('OTEL_'))).toEqual([]);
  });

  it('win over the configured endpoint, that of one signal over that of all', async () => {
    const [configured, all, one] = [await collector(), await collector(), await collector()];
    const telemetry = await open(configured.url, {
      OTEL_EXPORTER_OTLP_ENDPOINT: all.url,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${one.url}/own`,
    });
    span();
    telemetry?.line?.(line);
    await telemetry?.close();
    expect(configured.received).toEqual([]);
    expect(all.received.map(({ path }) => path).toSorted()).toEqual(['/v1/logs', '/v1/metrics']);
    expect(one.received.map(({ path }) => path)).toEqual(['/own']);
  });

  it('disable everything when OTEL_SDK_DISABLED is true', async () => {
    const { url } = await collector();
    expect(await open(url, { OTEL_SDK_DISABLED: 'true' })).toBeNull();
    expect(isTracing()).toBe(false);
  });

  it.each([
    ['OTEL_TRACES_EXPORTER', '/v1/traces'],
    ['OTEL_METRICS_EXPORTER', '/v1/metrics'],
    ['OTEL_LOGS_EXPORTER', '/v1/logs'],
  ])('leave out one signal when %s is none', async (name, path) => {
    expect(await paths({ [name]: 'none' })).toEqual(ALL.filter((one) => one !== path));
  });

  it.each([
    [{ OTEL_TRACES_SAMPLER: 'always_off' }, false],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }, false],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '1' }, true],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, false],
    [{ OTEL_TRACES_SAMPLER: 'always_on' }, true],
  ])('sample traces when %o', async (variables, sampled) => {
    expect((await paths(variables)).includes('/v1/traces')).toBe(sampled);
  });

  it('limit attributes when limits of spans, log records or all of them are set', async () => {
    const { url, received } = await collector();
    const telemetry = await open(url, {
      ...JSON_PROTOCOL,
      OTEL_ATTRIBUTE_COUNT_LIMIT: '2',
      OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: '1',
      OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT: '4',
    });
    span({ first: 'abcdefgh', second: 'x' });
    telemetry?.line?.(line);
    await telemetry?.close();
    const body = (path: string) => received.find((one) => one.path === path)?.body ?? '';
    expect(body('/v1/traces')).toContain('"attributes":[{"key":"first","value":{"stringValue":"abcd"}}]');
    expect(body('/v1/traces')).toContain('"droppedAttributesCount":1');
    expect(body('/v1/logs')).toContain('"droppedAttributesCount":1');
  });

  it('bound batches when OTEL_BSP_* is set', async () => {
    const { url, received } = await collector();
    await open(url, {
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1',
      OTEL_BSP_SCHEDULE_DELAY: '3600000',
    });
    span();
    // A full batch does not wait for the delay.
    await vi.waitFor(() => expect(received.map(({ path }) => path)).toEqual(['/v1/traces']), 20_000);
  });
});
