import { configure } from '@carillon/config';
import { openTelemetry } from '@carillon/tracing';
import { expect, it, onTestFinished } from 'vitest';
import { fcmDevice, openScene } from './scene.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

/** Enables tracing with a collector that does not exist. */
async function tracing(): Promise<void> {
  const outcome = configure({
    process: 'server',
    argv: [],
    env: {
      ENVIRONMENT: 'test',
      SERVICE_OTEL_ENABLED: 'true',
      SERVICE_OTEL_METRICS_ENABLED: 'false',
      SERVICE_OTEL_LOGS_ENABLED: 'false',
      SERVICE_OTEL_ENDPOINT: 'http://127.0.0.1:1',
    },
    cwd: '/nowhere',
    files: { exists: () => false, read: () => '' },
    drivers: {},
  });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  const telemetry = await openTelemetry({
    config: outcome.config.opentelemetry,
    nodeId: 'node',
    version: '1',
    messagesToo: false,
    samples: () => Promise.resolve([]),
    warn: () => {},
  });
  onTestFinished(async () => telemetry?.close());
}

it('work of push goes on with the trace of the request that caused it, from stage to stage', async () => {
  await tracing();
  const scene = await openScene();
  onTestFinished(() => scene.close());
  await scene.send('POST', '/deviceRegistrations', fcmDevice('a'));
  const traces = new Map<string, string>();
  const enqueue = scene.queue.enqueueBatch.bind(scene.queue);
  scene.queue.enqueueBatch = (queue, jobs) => {
    for (const { data } of jobs) traces.set(queue, (JSON.parse(data) as { trace: string }).trace);
    return enqueue(queue, jobs);
  };
  const body = { publishId: 'p', recipients: [{ type: 'device', deviceId: 'a' }], payload: { title: 'Hi' } };
  await scene.send('POST', '/publish', body, { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` });
  await scene.until('p', ({ state }) => state === 'succeeded');
  const stages = ['push.publish.v1', 'push.delivery.fcm.v1', 'push.results.v1'];
  const spans = stages.map((stage) => traces.get(stage)?.split('-')[2]);
  for (const stage of stages) expect(traces.get(stage)).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
  expect(new Set(spans).size).toBe(3);
});
