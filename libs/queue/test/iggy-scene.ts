import { engine, type EngineHandle } from '@carillon/test-backends';
import { IggyClient, iggyAddress, sendMessages } from '@carillon/iggy';
import { configuration } from '@carillon/testing';
import { iggyQueueNames } from '../src/drivers/iggy/names.js';
import { brokerScene, type BrokerKind, type BrokerScene } from './broker-scene.js';

const environment = (address: string, prefix: string): Record<string, string> => ({
  QUEUE_DRIVER: 'iggy',
  IGGY_CONNECTION_STRING: address,
  IGGY_QUEUE_TOPIC_PREFIX: prefix,
  IGGY_REQUEST_TIMEOUT_MS: '3000',
  IGGY_FAILOVER_TIMEOUT_MS: '500',
});

const KIND: BrokerKind = {
  driver: 'iggy',
  environment,
  poison: async (address, prefix, queue, text) => {
    const settings = configuration(environment(address, prefix)).queue.iggy;
    const client = new IggyClient({
      address: iggyAddress(settings, 'test'),
      block: 'test',
      connectTimeoutMs: 1000,
      requestTimeoutMs: 5000,
      failoverTimeoutMs: 1000,
    });
    const { topic } = iggyQueueNames(prefix, settings.consumer_group_prefix, queue);
    const place = { stream: settings.stream, topic, partition: 0 };
    await sendMessages(client, place, [Buffer.from(text)]);
    client.close();
  },
};

export const iggyScene = async (given?: EngineHandle): Promise<BrokerScene> =>
  brokerScene(KIND, given ?? (await engine('iggy')));
