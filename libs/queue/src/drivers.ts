import type { Config } from '@carillon/config';
import { explainMissingPackage } from '@carillon/runtime';
import type { QueueParts } from './options.js';
import type { Queue } from './port.js';

type OpenQueue = (parts: QueueParts, config: Config) => Promise<Queue>;

/** One line a driver; its client library is loaded when it is chosen, and only then. */
const DRIVERS: ReadonlyMap<string, OpenQueue> = new Map<string, OpenQueue>([
  ['memory', async (parts) => (await import('./drivers/memory/open.js')).openMemoryQueue(parts)],
  [
    'redis',
    async (parts, config) => (await import('./drivers/redis/open.js')).openRedisQueue('redis', parts, config),
  ],
  [
    'redis-cluster',
    async (parts, config) =>
      (await import('./drivers/redis/open.js')).openRedisQueue('redis-cluster', parts, config),
  ],
  ['nats', async (parts, config) => (await import('./drivers/nats/open.js')).openNatsQueue(parts, config)],
  [
    'rabbitmq',
    async (parts, config) => (await import('./drivers/rabbitmq/open.js')).openRabbitQueue(parts, config),
  ],
  ['kafka', async (parts, config) => (await import('./drivers/kafka/open.js')).openKafkaQueue(parts, config)],
  [
    'google-pubsub',
    async (parts, config) => (await import('./drivers/google-pubsub/open.js')).openPubsubQueue(parts, config),
  ],
  [
    'pulsar',
    async (parts, config) => (await import('./drivers/pulsar/open.js')).openPulsarQueue(parts, config),
  ],
  ['iggy', async (parts, config) => (await import('./drivers/iggy/open.js')).openIggyQueue(parts, config)],
  ['sqs', async (parts, config) => (await import('./drivers/sqs/open.js')).openSqsQueue(parts, config)],
  ['sns', async (parts, config) => (await import('./drivers/sns/open.js')).openSnsQueue(parts, config)],
  ['none', async () => new (await import('./drivers/none.js')).NoQueue()],
]);

/** Values of `queue.driver` and `push.queue_driver` that this build can serve. */
export const QUEUE_DRIVERS: readonly string[] = [...DRIVERS.keys()];

/** A queue that is not connected yet, with the settings of `queue`. Rejects when this build has no such driver. */
export async function openQueue(driver: string, parts: QueueParts, config: Config): Promise<Queue> {
  const open = DRIVERS.get(driver);
  if (open === undefined) throw new Error(`driver ${driver} is not available in this build`);
  try {
    return await open(parts, config);
  } catch (error) {
    throw explainMissingPackage(driver, error);
  }
}
