import { engine, type EngineHandle } from '@carillon/test-backends';
import { PubsubClient } from '@carillon/google';
import { configuration } from '@carillon/testing';
import { pubsubQueueNames } from '../src/drivers/google-pubsub/names.js';
import { brokerScene, type BrokerKind, type BrokerScene } from './broker-scene.js';

const environment = (address: string, prefix: string): Record<string, string> => ({
  QUEUE_DRIVER: 'google-pubsub',
  GOOGLE_PUBSUB_PROJECT_ID: 'carillon',
  PUBSUB_EMULATOR_HOST: address.replace('http://', ''),
  GOOGLE_PUBSUB_PREFIX: prefix,
  GOOGLE_PUBSUB_REQUEST_TIMEOUT_MS: '3000',
});

const KIND: BrokerKind = {
  driver: 'google-pubsub',
  environment,
  poison: async (address, prefix, queue, text) => {
    const settings = configuration(environment(address, prefix)).queue.google_pubsub;
    const client = await PubsubClient.open({ settings, block: 'queue.google_pubsub' });
    await client.publish(pubsubQueueNames(prefix)(queue).topic, [{ text }]);
    await client.close();
  },
};

export const pubsubScene = async (given?: EngineHandle): Promise<BrokerScene> =>
  brokerScene(KIND, given ?? (await engine('google-pubsub')));
