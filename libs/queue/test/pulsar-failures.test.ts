import { configuration } from '@carillon/testing';
import { expect, it } from 'vitest';
import { pulsarQueueNames } from '../src/drivers/pulsar/names.js';
import { deadLetter, openQueue } from '../src/index.js';
import { brokerFailures } from './broker-failures.js';
import { pulsarScene } from './pulsar-scene.js';
import { collect, quick, recordingLog, until } from './scene.js';

brokerFailures('pulsar', pulsarScene);

it('pulsar: no two queues, nor what belongs to them, have one name', () => {
  const queues = ['a', 'a-dlq', 'a=2Ddlq', 'a-partition-1', 'a:b', 'a b', 'a/b', 'A', 'é', 'x'.repeat(500)];
  const names = queues.flatMap((queue) => {
    const { topic, dead } = pulsarQueueNames('p/q:', queue);
    return [topic, dead];
  });
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) {
    expect(name).toMatch(/^[\w.:=-]{1,255}$/);
    expect(name).not.toMatch(/-partition-\d+$/);
  }
  expect(pulsarQueueNames('service-queue', 'push.publish.v1')).toEqual({
    topic: 'service-queue-queue-push.publish.v1',
    subscription: 'service-queue-queue-workers-push.publish.v1',
    dead: 'service-queue-queue-push.publish.v1-dlq',
  });
});

it('pulsar: keeps the newest dead letters of the retention', { timeout: 60_000 }, async () => {
  const queue = await (await pulsarScene()).open({ failed_retention: 20 });
  const data = Array.from({ length: 100 }, (_, n) => ({ data: `${n}` }));
  await queue.enqueueBatch('q', data);
  queue.process('q', async () => deadLetter('of no use'));
  await until(async () => (await queue.listDeadLetters('q', 1000)).length === 20);
});

it('pulsar: a second installation on the same cluster receives nothing of the first', async () => {
  const [one, two] = [await (await pulsarScene()).open(), await (await pulsarScene()).open()];
  const [jobs, others] = [collect(one, 'q'), collect(two, 'q')];
  await one.enqueue('q', 'mine');
  await two.enqueue('q', 'yours');
  await until(() => jobs.length > 0 && others.length > 0);
  expect([jobs, others].map((list) => list.map((job) => job.data))).toEqual([['mine'], ['yours']]);
});

it('pulsar: a broker that cannot be reached and a port without WebSocket API are named at the start', async () => {
  const parts = { reliability: quick(), log: recordingLog().log };
  const opened = (url: string) =>
    openQueue('pulsar', parts, configuration({ PULSAR_URL: url, PULSAR_REQUEST_TIMEOUT_MS: '500' }));
  const queue = await opened('ws://127.0.0.1:1');
  await expect(queue.connect()).rejects.toThrow('connect ECONNREFUSED 127.0.0.1:1');
  await queue.close();
  await expect(opened('pulsar://broker:7000')).rejects.toThrow('queue.pulsar.url: the port');
});
