import { describe, expect, it } from 'vitest';
import { CannotConsume, InvalidJob, QueueOptionUnsupported, QueueUnavailable } from '../src/index.js';
import { snsScene } from './sns-scene.js';
import { collect, until } from './scene.js';

const KIB = 1024;

describe.each([
  ['a standard', false],
  ['a FIFO', true],
])('the queue over %s topic of SNS', (_, isFifo) => {
  it('delivers jobs to a consumer of SQS when its queue is subscribed with raw delivery', async () => {
    const scene = await snsScene(isFifo, 'webhooks');
    const [producer, consumer] = [await scene.openProducer(), await scene.openConsumer()];
    await producer.connect();
    await consumer.connect();
    await producer.enqueue('another', 'not subscribed');
    // Eleven entries, and more bytes than one request takes.
    const texts = Array.from({ length: 11 }, (unused, n) => `${n} \0é ${'x'.repeat(60 * KIB)}`);
    const ids = await producer.enqueueBatch(
      'webhooks',
      texts.map((data) => ({ data, partitionKey: 'shop' })),
    );
    expect(new Set(ids).size).toBe(11);
    const jobs = collect(consumer, 'webhooks');
    await until(() => jobs.length >= 11);
    expect(jobs.map(({ data }) => data).toSorted()).toEqual(texts.toSorted());
    expect(jobs.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(jobs.map(({ attempt }) => attempt)).toEqual(Array<number>(11).fill(1));
  });
});

describe('the queue over a topic of SNS', () => {
  it('rejects a batch when a job has 300 KiB, and publishes none of it', async () => {
    const scene = await snsScene(false, 'webhooks');
    const [producer, consumer] = [await scene.openProducer(), await scene.openConsumer()];
    await producer.connect();
    await consumer.connect();
    const batch = [{ data: 'small' }, { data: 'x'.repeat(300 * KIB) }];
    await expect(producer.enqueueBatch('webhooks', batch)).rejects.toBeInstanceOf(InvalidJob);
    // It has 200 KiB, but not as SNS accepts it.
    await expect(producer.enqueue('webhooks', '\0'.repeat(200 * KIB))).rejects.toThrow(/at most \d+ bytes/);
    await producer.enqueue('webhooks', 'after');
    const jobs = collect(consumer, 'webhooks');
    await until(() => jobs.length === 1);
    expect(jobs.map(({ data }) => data)).toEqual(['after']);
  });

  it('rejects to connect and to publish when the topic does not exist', async () => {
    const scene = await snsScene(false, 'webhooks');
    const producer = await scene.openProducer(`${scene.topicArn}-missing`);
    await expect(producer.connect()).rejects.toThrow(QueueUnavailable);
    await expect(producer.connect()).rejects.toThrow(/-missing does not exist \(NotFound\)/);
    await expect(producer.health()).rejects.toThrow(QueueUnavailable);
    await expect(producer.enqueue('webhooks', 'x')).rejects.toThrow(QueueUnavailable);
  });

  it('rejects handlers and every option that a topic cannot honour', async () => {
    const scene = await snsScene(false, 'webhooks');
    const producer = await scene.openProducer();
    expect(() => producer.process('webhooks', async () => {})).toThrow(CannotConsume);
    for (const option of [{ delayMs: 1 }, { jobId: 'a' }, { deduplicationKey: 'a' }, { maxAttempts: 2 }]) {
      await expect(producer.enqueue('webhooks', 'x', option)).rejects.toBeInstanceOf(QueueOptionUnsupported);
    }
    expect(await producer.stats('webhooks')).toMatchObject({ ready: null, deadLetter: null });
  });
});
