import { engine } from '@carillon/test-backends';
import { expect, it } from 'vitest';
import { natsQueueNames } from '../src/drivers/nats/names.js';
import { QueueFull } from '../src/index.js';
import { brokerFailures } from './broker-failures.js';
import { natsConnection, natsScene } from './nats-scene.js';
import { counted } from './conformance/settled.js';
import { collect, until } from './scene.js';

brokerFailures('nats', natsScene);

/** Sends an administrative JetStream request. */
async function operator(path: string, request: object): Promise<void> {
  const connection = await natsConnection((await engine('nats')).url);
  const answer = await connection.ask(`$JS.API.${path}`, JSON.stringify(request), 3000);
  expect(answer).toMatchObject({ kind: 'reply', text: expect.not.stringContaining('"error"') });
  await connection.close();
}

it('nats: a stream that its operator has bounded refuses what is too much, and keeps what it has', async () => {
  const scene = await natsScene();
  const { stream, subject } = natsQueueNames(scene.prefix, 'q');
  await operator(`STREAM.CREATE.${stream}`, {
    name: stream,
    subjects: [subject],
    retention: 'workqueue',
    discard: 'new',
    max_msgs: 2,
  });
  const queue = await scene.open();
  await queue.enqueueBatch('q', [{ data: 'a' }, { data: 'b' }]);
  await expect(queue.enqueue('q', 'c')).rejects.toThrow(new QueueFull(null));
  expect((await queue.stats('q')).ready).toBe(2);
});

it('nats: a stream that was deleted is made again', async () => {
  const scene = await natsScene();
  const { queue, ended } = await counted(scene);
  collect(queue, 'q');
  await queue.enqueue('q', 'before');
  await ended('ok', 1);
  await operator(`STREAM.DELETE.${natsQueueNames(scene.prefix, 'q').stream}`, {});
  // The first user to find it deleted, this or the worker, is refused.
  await until(async () => (await queue.enqueue('q', 'after').catch(() => null)) !== null);
  await ended('ok', 2);
});

it('nats: names of queues that a stream or a subject does not take never become one', () => {
  const queues = ['a.b', 'a_b', 'a-b', 'a=2Eb', 'a..b', '.a.b', 'a.b.', 'a b', 'A.b', 'é', 'x'.repeat(500)];
  const names = queues.map((queue) => natsQueueNames('p:', queue));
  expect(new Set(names.map(({ stream }) => stream)).size).toBe(queues.length);
  expect(new Set(names.map(({ subject }) => subject)).size).toBe(queues.length);
  for (const { stream, subject } of names) {
    expect(stream).toMatch(/^[\w=-]{1,200}$/);
    expect(subject).toMatch(/^p\.queue(\.[\w=-]+)+$/);
  }
  expect(natsQueueNames('service_queue', 'push.publish.v1')).toEqual({
    stream: 'service_queue_q_push_publish_v1',
    subject: 'service_queue.queue.push.publish.v1',
    deadStream: 'service_queue_dlq_push_publish_v1',
    deadSubject: 'service_queue.dlq.push.publish.v1',
    consumer: 'workers',
  });
});
