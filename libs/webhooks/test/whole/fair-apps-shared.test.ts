import { App } from '@carillon/app-registry';
import { engine } from '@carillon/test-backends';
import { openQueue } from '@carillon/queue';
import { configuration } from '@carillon/testing';
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SLOT_BOUNDS } from '../../src/delivery/slots.js';
import { Receiver } from '../receiver.js';
import { record, recordingLog, until } from '../samples.js';
import { Scene, to } from './scene.js';

const EVENTS = 500;

/** Configuration of the queue on a broker, with a prefix of its own. */
interface Place {
  /** Name of the test backend, if it differs from the driver. */
  readonly backend?: string;
  readonly environment: (url: string, prefix: string) => Record<string, string>;
  readonly file?: (url: string, prefix: string) => string;
}

const PLACES = {
  redis: { environment: (url, prefix) => ({ REDIS_URL: url, QUEUE_REDIS_PREFIX: prefix }) },
  nats: { environment: (url, prefix) => ({ NATS_SERVERS: url, NATS_PREFIX: prefix }) },
  rabbitmq: { environment: (url, prefix) => ({ RABBITMQ_URL: url, RABBITMQ_PREFIX: prefix }) },
  kafka: {
    environment: (url, prefix) => ({ KAFKA_BROKERS: url.replace('kafka://', ''), KAFKA_PREFIX: prefix }),
  },
  sqs: {
    backend: 'elasticmq',
    environment: (url) => ({ QUEUE_SQS_ENDPOINT_URL: url, QUEUE_SQS_WAIT_TIME_SECONDS: '1' }),
    file: (url, prefix) => `[queue.sqs]\nqueue_url_prefix = "${url}/000000000000/${prefix.slice(0, 14)}-"`,
  },
} as const satisfies Record<string, Place>;

type Driver = keyof typeof PLACES;

/** A process that sends webhooks of two apps over a shared queue. */
async function shared(driver: Driver) {
  const place: Place = PLACES[driver];
  const { url } = await engine(place.backend ?? driver);
  const prefix = `t-${randomUUID()}`;
  // The AWS client requires credentials; the backend accepts any.
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  const settings = configuration(
    {
      ...place.environment(url, prefix),
      QUEUE_DRIVER: driver,
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    },
    `[webhooks.batching]\nenabled = false\n${place.file?.(url, prefix) ?? ''}`,
  );
  const { reliability } = settings.queue;
  const queue = await openQueue(driver, { reliability, log: recordingLog().log }, settings);
  await queue.connect();
  onTestFinished(() => queue.close());
  const scene = new Scene(queue, [], settings);
  const receivers = { churning: await Receiver.open(), quiet: await Receiver.open() };
  const apps = new Map(
    Object.entries(receivers).map(([id, receiver]) => [
      id,
      new App(record([to(receiver, { request_timeout_ms: 60_000 })], { id }), settings),
    ]),
  );
  scene.find = async (appId) => apps.get(appId) ?? null;
  const emit = (appId: string, channel: string): void => {
    const app = apps.get(appId);
    if (app !== undefined) scene.batcher.add(app, { name: 'channel_occupied', channel });
  };
  return { scene, emit, ...receivers };
}

describe.each(Object.keys(PLACES) as Driver[])('webhooks over %s', (driver) => {
  it('reach the receiver of an app while every request of an app with a backlog hangs', async () => {
    const { scene, emit, churning, quiet } = await shared(driver);
    const hanging: ServerResponse[] = [];
    churning.replies = [(response) => void hanging.push(response)];
    for (let n = 0; n < EVENTS; n += 1) emit('churning', `c${n}`);
    await until(() => scene.batcher.size === 0);
    emit('quiet', 'q');
    await until(() => scene.batcher.size === 0);
    scene.work();
    await until(() => quiet.received.length === 1);
    expect(churning.received.length).toBeLessThanOrEqual(SLOT_BOUNDS.perApp);
    // Without it the stop waits for them.
    churning.replies = [200];
    for (const response of hanging) response.writeHead(200).end();
  });
});
