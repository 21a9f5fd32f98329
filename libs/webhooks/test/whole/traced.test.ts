import { openTelemetry, traced, traceOfHeaders } from '@carillon/tracing';
import { expect, it, onTestFinished } from 'vitest';
import { Receiver } from '../receiver.js';
import { config, until } from '../samples.js';
import { Scene, to } from './scene.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const said: Record<string, string> = {
  traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
  tracestate: 'vendor=1',
  baggage: 'tenant=7',
};

/** Enables tracing with a collector that does not exist. */
async function tracing(env: Record<string, string>): Promise<void> {
  const telemetry = await openTelemetry({
    config: config({
      SERVICE_OTEL_ENABLED: 'true',
      SERVICE_OTEL_METRICS_ENABLED: 'false',
      SERVICE_OTEL_LOGS_ENABLED: 'false',
      SERVICE_OTEL_ENDPOINT: 'http://127.0.0.1:1',
      ...env,
    }).opentelemetry,
    nodeId: 'node',
    version: '1',
    messagesToo: false,
    samples: () => Promise.resolve([]),
    warn: () => {},
  });
  onTestFinished(async () => telemetry?.close());
}

/** The headers of the webhook about something a request with those headers did. */
async function headersOf(env: Record<string, string>) {
  await tracing(env);
  const receiver = await Receiver.open();
  const scene = await Scene.open([to(receiver)]);
  const parent = traceOfHeaders((name) => said[name]);
  traced(
    () => ({ name: 'request', kind: 'server', parent }),
    () => scene.occupy('orders'),
  );
  await until(() => receiver.received.length === 1);
  return receiver.received[0]?.headers;
}

it('a webhook goes on with the trace of the request that caused it, its state and its baggage', async () => {
  const headers = await headersOf({});
  expect(headers?.['traceparent']).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
  expect(headers?.['traceparent']).not.toBe(said['traceparent']);
  expect(headers).toMatchObject({ tracestate: 'vendor=1', baggage: 'tenant=7' });
});

it('what is switched off is not gone on with', async () => {
  const headers = await headersOf({
    SERVICE_OTEL_PROPAGATION_TRACE_CONTEXT: 'false',
    SERVICE_OTEL_PROPAGATION_BAGGAGE: 'false',
  });
  expect(headers?.['traceparent']).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  expect(headers?.['traceparent']).not.toContain(TRACE);
  expect(headers?.['tracestate']).toBeUndefined();
  expect(headers?.['baggage']).toBeUndefined();
});
