import { engine, type EngineHandle } from '@carillon/test-backends';
import { NatsDialer } from '@carillon/nats';
import { natsQueueNames } from '../src/drivers/nats/names.js';
import { brokerScene, type BrokerKind, type BrokerScene } from './broker-scene.js';
import { configuration } from '@carillon/testing';

const environment = (address: string, prefix: string): Record<string, string> => ({
  QUEUE_DRIVER: 'nats',
  NATS_SERVERS: address,
  NATS_PREFIX: prefix,
  NATS_REQUEST_TIMEOUT_MS: '3000',
});

/** A connection of the test's own. */
export const natsConnection = (address: string) =>
  new NatsDialer({
    section: 'queue.nats',
    settings: configuration(environment(address, 'test')).queue.nats,
    connectionName: 'test',
    inboxPrefix: '_INBOX.test',
    onEvent: () => {},
  }).open();

const KIND: BrokerKind = {
  driver: 'nats',
  environment,
  poison: async (address, prefix, queue, text) => {
    const connection = await natsConnection(address);
    await connection.ask(natsQueueNames(prefix, queue).subject, text, 3000);
    await connection.close();
  },
};

export const natsScene = async (given?: EngineHandle): Promise<BrokerScene> =>
  brokerScene(KIND, given ?? (await engine('nats')));
