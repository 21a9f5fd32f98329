import { engine } from '@carillon/test-backends';
import { expect, it } from 'vitest';
import { natsQueueNames } from '../src/drivers/nats/names.js';
import { jetStreamSession, publish } from '../src/drivers/nats/session.js';
import { type Job, type Queue, QueueUnavailable } from '../src/index.js';
import { counted } from './conformance/settled.js';
import { natsConnection, natsScene } from './nats-scene.js';
import { gate, until } from './scene.js';

const LEASES = { lease_duration_ms: 1000, lease_renew_interval_ms: 100 };
const session = async () => jetStreamSession(await natsConnection((await engine('nats')).url), 3000);

/** Processes one job at a time, each until the gate opens, and records the jobs that were begun. */
function slow(queue: Queue) {
  const begun: Job[] = [];
  const { opened, open } = gate();
  const handler = async (job: Job): Promise<void> => {
    begun.push(job);
    await opened;
  };
  queue.process('q', handler, { concurrency: 1, prefetch: 4 });
  return { begun, open };
}

/** A queue whose worker is busy, holds a second job and has fetched two more that it has no room for. */
async function busy() {
  const scene = await natsScene();
  const first = await counted(scene, { ...LEASES, shutdown_timeout_ms: 20_000 });
  const worker = slow(first.queue);
  // A first job proves that a fetch of four messages runs, so that the next three belong to it.
  await first.queue.enqueue('q', '0');
  await until(() => worker.begun.length === 1);
  await first.queue.enqueueBatch('q', [{ data: '1' }, { data: '2' }, { data: '3' }]);
  await until(async () => (await first.queue.stats('q')).active === 4);
  return { scene, first, worker };
}

it(
  'nats: keeps the lease of fetched jobs while the worker has no room for them',
  { timeout: 20_000 },
  async () => {
    const { scene, first, worker } = await busy();
    const other = slow((await counted(scene, LEASES)).queue);
    // Nothing may happen during the time in which the leases would have expired.
    await new Promise((resolve) => setTimeout(resolve, LEASES.lease_duration_ms * 1.5));
    worker.open();
    await first.ended('ok', 4);
    expect(worker.begun.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1]);
    expect(other.begun).toEqual([]);
  },
);

it('nats: gives fetched jobs back at the stop without counting an attempt', async () => {
  const { scene, first, worker } = await busy();
  const drained = first.queue.drain();
  const second = await counted(scene, LEASES);
  const other = slow(second.queue);
  other.open();
  await second.ended('ok', 3);
  worker.open();
  await drained;
  expect(first.outcomes).toEqual(['ok']);
  expect(other.begun.map(({ data }) => data).toSorted()).toEqual(['1', '2', '3']);
  expect(other.begun.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
});

it('nats: stores a message once when it is published again with the same id', async () => {
  const scene = await natsScene();
  const queue = await scene.open();
  await queue.enqueue('q', 'x');
  const open = await session();
  const { subject } = natsQueueNames(scene.prefix, 'q');
  await publish(open, subject, 'copy', 'delivery-1');
  await publish(open, subject, 'copy', 'delivery-1');
  expect((await queue.stats('q')).ready).toBe(2);
  await open.connection.close();
});

it('nats: names the missing stream when a message is published to a subject without one', async () => {
  const open = await session();
  await expect(publish(open, `${(await natsScene()).prefix}.none`, 'x')).rejects.toThrow(
    new QueueUnavailable('no answer from JetStream: it is disabled, or the stream of the queue was deleted'),
  );
  await open.connection.close();
});

it('nats: adopts the lease of the latest process when the consumer exists with another one', async () => {
  const scene = await natsScene();
  for (const lease_duration_ms of [5000, 9000]) {
    await (await scene.open({ lease_duration_ms })).stats('q');
  }
  const open = await session();
  const { stream, consumer } = natsQueueNames(scene.prefix, 'q');
  expect((await open.manager.consumers.info(stream, consumer)).config.ack_wait).toBe(9_000_000_000);
  await open.connection.close();
});
