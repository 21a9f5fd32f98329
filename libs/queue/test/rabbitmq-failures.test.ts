import * as fc from 'fast-check';
import { engine } from '@carillon/test-backends';
import { connect } from 'amqplib';
import { expect, it } from 'vitest';
import { rabbitQueueNames, waitWithQueue } from '../src/drivers/rabbitmq/names.js';
import { QueueFull } from '../src/index.js';
import { brokerFailures } from './broker-failures.js';
import { rabbitScene } from './rabbitmq-scene.js';

brokerFailures('rabbitmq', rabbitScene);

it('rabbitmq: a queue that its operator has bounded refuses what is too much, and keeps what it has', async () => {
  const scene = await rabbitScene();
  const { queue: name } = rabbitQueueNames(scene.prefix, 'q');
  const connection = await connect((await engine('rabbitmq')).url);
  const channel = await connection.createChannel();
  await channel.assertQueue(name, { arguments: { 'x-max-length': 2, 'x-overflow': 'reject-publish' } });
  await connection.close();
  const queue = await scene.open();
  await queue.enqueueBatch('q', [{ data: 'a' }, { data: 'b' }]);
  await expect(queue.enqueue('q', 'c')).rejects.toThrow(new QueueFull(null));
  expect((await queue.stats('q')).ready).toBe(2);
});

it('rabbitmq: a wait ends no earlier than asked, and little later, in one of few queues', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 31 }), (delayMs) => {
      const waitMs = waitWithQueue(delayMs);
      expect(waitMs).toBeGreaterThanOrEqual(delayMs);
      expect(waitMs).toBeLessThanOrEqual(Math.max(4, delayMs * 1.25) + 1);
    }),
  );
  const waits = new Set(Array.from({ length: 60_000 }, (_, n) => waitWithQueue(n + 1)));
  expect(waits.size).toBeLessThan(70);
});

it('rabbitmq: no two queues, nor what belongs to them, have one name', () => {
  const queues = ['a', 'a.dlq', 'a.dlq.dlq', 'a=2Edlq', 'a.wait-5', 'a:b', 'a b', 'A', 'é', 'x'.repeat(500)];
  const names = queues.flatMap((queue) => {
    const { queue: name, dead, waiting } = rabbitQueueNames('p:', queue);
    return [name, dead, waiting(5)];
  });
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255 - 128);
  expect(rabbitQueueNames('service_queue', 'push.publish.v1').queue).toBe(
    'service_queue.queue.push.publish.v1',
  );
});
