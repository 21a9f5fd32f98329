import { engine, type EngineHandle } from '@carillon/engines';
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
