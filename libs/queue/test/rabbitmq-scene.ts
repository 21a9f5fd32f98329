import { engine, type EngineHandle } from '@carillon/test-backends';
import { connect } from 'amqplib';
import { rabbitQueueNames } from '../src/drivers/rabbitmq/names.js';
import { brokerScene, type BrokerKind, type BrokerScene } from './broker-scene.js';

const KIND: BrokerKind = {
  driver: 'rabbitmq',
  environment: (address, prefix) => ({
    QUEUE_DRIVER: 'rabbitmq',
    RABBITMQ_URL: address,
    RABBITMQ_PREFIX: prefix,
    RABBITMQ_REQUEST_TIMEOUT_MS: '3000',
  }),
  poison: async (address, prefix, queue, text) => {
    const connection = await connect(address);
    const channel = await connection.createConfirmChannel();
    channel.sendToQueue(rabbitQueueNames(prefix, queue).queue, Buffer.from(text));
    await channel.waitForConfirms();
    await connection.close();
  },
};

export const rabbitScene = async (given?: EngineHandle): Promise<BrokerScene> =>
  brokerScene(KIND, given ?? (await engine('rabbitmq')));
