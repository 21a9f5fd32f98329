import * as snsSdk from '@aws-sdk/client-sns';
import * as sqsSdk from '@aws-sdk/client-sqs';
import { engine } from '@carillon/test-backends';
import { configuration } from '@carillon/testing';
import { randomUUID } from 'node:crypto';
import { onTestFinished, vi } from 'vitest';
import { openQueue, type Queue } from '../src/index.js';
import { sqsName } from '../src/drivers/sqs/queues.js';
import { quick, recordingLog } from './scene.js';

/** Any credentials are accepted, but the client library demands some. */
const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
const ACCOUNT = '123456789012';
const REGION = 'us-east-1';

/** A topic, and a queue of SQS that its subscription fills with the jobs of one queue. */
export interface SnsScene {
  readonly topicArn: string;
  openProducer(topicArn?: string): Promise<Queue>;
  openConsumer(): Promise<Queue>;
}

async function open(driver: 'sns' | 'sqs', variables: Record<string, string>, file = ''): Promise<Queue> {
  // The driver is not in the configuration: a process that consumes webhooks refuses `sns`.
  const config = configuration(variables, file);
  const queue = await openQueue(driver, { reliability: quick(), log: recordingLog().log }, config);
  onTestFinished(() => queue.close());
  return queue;
}

export async function snsScene(isFifo: boolean, subscribedQueue: string): Promise<SnsScene> {
  for (const [name, value] of Object.entries(CREDENTIALS)) vi.stubEnv(name, value);
  const { url: endpoint } = await engine('moto');
  const prefix = `t-${randomUUID().slice(0, 8)}-`;
  const suffix = isFifo ? '.fifo' : '';
  const urlPrefix = `${endpoint}/${ACCOUNT}/${prefix}`;
  const queueName = `${prefix}${sqsName(subscribedQueue)}${suffix}`;

  const topics = new snsSdk.SNSClient({ region: REGION, endpoint });
  const queues = new sqsSdk.SQSClient({ region: REGION, endpoint, useQueueUrlAsEndpoint: false });
  onTestFinished(() => {
    topics.destroy();
    queues.destroy();
  });
  const fifo: Record<string, string> = isFifo ? { FifoTopic: 'true' } : {};
  const { TopicArn: topicArn = '' } = await topics.send(
    new snsSdk.CreateTopicCommand({ Name: `${prefix}jobs${suffix}`, Attributes: fifo }),
  );
  await queues.send(
    new sqsSdk.CreateQueueCommand({
      QueueName: queueName,
      Attributes: isFifo ? { FifoQueue: 'true' } : {},
    }),
  );
  await topics.send(
    new snsSdk.SubscribeCommand({
      TopicArn: topicArn,
      Protocol: 'sqs',
      Endpoint: `arn:aws:sqs:${REGION}:${ACCOUNT}:${queueName}`,
      Attributes: {
        RawMessageDelivery: 'true',
        FilterPolicy: JSON.stringify({ queue: [subscribedQueue] }),
      },
    }),
  );
  return {
    topicArn,
    openProducer: (arn = topicArn) =>
      open('sns', { QUEUE_SNS_TOPIC_ARN: arn, QUEUE_SNS_ENDPOINT_URL: endpoint }),
    openConsumer: () =>
      open(
        'sqs',
        {
          QUEUE_SQS_ENDPOINT_URL: endpoint,
          QUEUE_SQS_WAIT_TIME_SECONDS: '0',
          QUEUE_SQS_FIFO: String(isFifo),
        },
        `[queue.sqs]\nqueue_url_prefix = "${urlPrefix}"`,
      ),
  };
}
