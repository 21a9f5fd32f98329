import { engine, type EngineHandle } from '@carillon/test-backends';
import kafkajs from 'kafkajs';
import { kafkaQueueNames } from '../src/drivers/kafka/names.js';
import { brokerScene, type BrokerKind, type BrokerScene } from './broker-scene.js';
import { severableKafka } from './kafka-proxy.js';

const KIND: BrokerKind = {
  driver: 'kafka',
  environment: (address, prefix) => ({
    QUEUE_DRIVER: 'kafka',
    KAFKA_BROKERS: address.replace('kafka://', ''),
    KAFKA_PREFIX: prefix,
    KAFKA_REQUEST_TIMEOUT_MS: '3000',
  }),
  poison: async (address, prefix, queue, text) => {
    const kafka = new kafkajs.Kafka({
      brokers: [address.replace('kafka://', '')],
      logLevel: kafkajs.logLevel.NOTHING,
    });
    const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
    await producer.connect();
    await producer.send({ topic: kafkaQueueNames(prefix, queue).topic, messages: [{ value: text }] });
    await producer.disconnect();
  },
  way: severableKafka,
};

export const kafkaScene = async (given?: EngineHandle): Promise<BrokerScene> =>
  brokerScene(KIND, given ?? (await engine('kafka')));

/** A new broker creates its internal topics at the first commit of a consumer group, which can take longer than a test may. */
export async function warmKafka(): Promise<void> {
  const { url } = await engine('kafka');
  const kafka = new kafkajs.Kafka({
    brokers: [url.replace('kafka://', '')],
    logLevel: kafkajs.logLevel.NOTHING,
    retry: { retries: 30 },
  });
  const topic = 'carillon-warm';
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, numPartitions: 1 }] });
  await admin.setOffsets({ groupId: topic, topic, partitions: [{ partition: 0, offset: '0' }] });
  await admin.disconnect();
}
