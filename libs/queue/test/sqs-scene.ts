import * as sdk from '@aws-sdk/client-sqs';
import { engine, type EngineHandle } from '@carillon/test-backends';
import { vi } from 'vitest';
import { sqsName } from '../src/drivers/sqs/queues.js';
import { brokerScene, type BrokerKind, type BrokerScene } from './broker-scene.js';

/** The test backend accepts any credentials, but the client library requires some. */
const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
const ACCOUNT = '000000000000';

const urlPrefix = (address: string, prefix: string): string =>
  `${address}/${ACCOUNT}/${prefix.slice(0, 14)}-`;

const kind = (isFifo: boolean): BrokerKind => ({
  driver: 'sqs',
  environment: (address) => ({
    ...CREDENTIALS,
    QUEUE_DRIVER: 'sqs',
    QUEUE_SQS_ENDPOINT_URL: address,
    QUEUE_SQS_VISIBILITY_TIMEOUT: '2',
    QUEUE_SQS_WAIT_TIME_SECONDS: '0',
    QUEUE_SQS_FIFO: String(isFifo),
  }),
  file: (address, prefix) => `[queue.sqs]\nqueue_url_prefix = "${urlPrefix(address, prefix)}"`,
  poison: async (address, prefix, queue, text) => {
    const client = new sdk.SQSClient({
      region: 'us-east-1',
      endpoint: address,
      useQueueUrlAsEndpoint: false,
    });
    const fifo = { MessageGroupId: text.length.toString(), MessageDeduplicationId: text.length.toString() };
    await client.send(
      new sdk.SendMessageCommand({
        QueueUrl: `${urlPrefix(address, prefix)}${sqsName(queue)}${isFifo ? '.fifo' : ''}`,
        MessageBody: text,
        ...(isFifo ? fifo : {}),
      }),
    );
    client.destroy();
  },
});

export async function sqsScene(isFifo: boolean, given?: EngineHandle): Promise<BrokerScene> {
  for (const [name, value] of Object.entries(CREDENTIALS)) vi.stubEnv(name, value);
  return brokerScene(kind(isFifo), given ?? (await engine('elasticmq')));
}
