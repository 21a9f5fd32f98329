import { describe, expect, it } from 'vitest';
import { sqs } from '../src/engines/elasticmq.js';
import { engine } from '../src/index.js';

describe('elasticmq', () => {
  it('hands a sent message to one receiver', async () => {
    const queues = await engine('elasticmq');
    const { name } = await queues.isolate();
    const { QueueUrl } = await sqs(queues.url, 'CreateQueue', { QueueName: name });
    await sqs(queues.url, 'SendMessage', { QueueUrl, MessageBody: 'tenor' });
    const first = await sqs(queues.url, 'ReceiveMessage', { QueueUrl });
    expect(first).toMatchObject({ Messages: [{ Body: 'tenor' }] });
    const second = await sqs(queues.url, 'ReceiveMessage', { QueueUrl });
    expect(second.Messages ?? []).toEqual([]);
    await sqs(queues.url, 'DeleteQueue', { QueueUrl });
  });
});
