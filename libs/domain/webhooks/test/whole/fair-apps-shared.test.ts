import { App } from '@carillon/app-registry';
import { engine } from '@carillon/engines';
import { openQueue } from '@carillon/queue';
import { configuration } from '@carillon/testing';
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SLOT_BOUNDS } from '../../src/delivery/slots.js';
import { Receiver } from '../receiver.js';
import { record, recordingLog, until } from '../samples.js';
import { Scene, to } from './scene.js';

const EVENTS = 500;

type Driver = 'nats' | 'rabbitmq' | 'redis';

const environments: Record<Driver, (url: string, prefix: string) => Record<string, string>> = {
  redis: (url, prefix) => ({ REDIS_URL: url, QUEUE_REDIS_PREFIX: prefix }),
  nats: (url, prefix) => ({ NATS_SERVERS: url, NATS_PREFIX: prefix }),
  rabbitmq: (url, prefix) => ({ RABBITMQ_URL: url, RABBITMQ_PREFIX: prefix }),
};

/** A process that sends webhooks of two apps over a shared queue. */
async function shared(driver: Driver) {
  const { url } = await engine(driver);
  const settings = configuration(
    {
      ...environments[driver](url, `t-${randomUUID()}`),
      QUEUE_DRIVER: driver,
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    },
    '[webhooks.batching]\nenabled = false',
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

describe.each<Driver>(['redis', 'nats', 'rabbitmq'])('webhooks over %s', (driver) => {
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
