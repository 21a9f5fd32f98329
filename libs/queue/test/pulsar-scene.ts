import { engine, type EngineHandle } from '@carillon/test-backends';
import { pulsarAddress, PulsarProducer } from '@carillon/pulsar';
import { pulsarQueueNames } from '../src/drivers/pulsar/names.js';
import { brokerScene, type BrokerKind, type BrokerScene } from './broker-scene.js';

const KIND: BrokerKind = {
  driver: 'pulsar',
  environment: (address, prefix) => ({
    QUEUE_DRIVER: 'pulsar',
    PULSAR_URL: address,
    PULSAR_PREFIX: prefix,
    PULSAR_REQUEST_TIMEOUT_MS: '3000',
  }),
  poison: async (address, prefix, queue, text) => {
    const producer = new PulsarProducer({
      address: pulsarAddress(address, 'test'),
      token: null,
      block: 'test',
      timeoutMs: 5000,
      topic: pulsarQueueNames(prefix, queue).topic,
      lostError: (reason) => new Error(reason),
      onLost: () => undefined,
    });
    await producer.send({ text });
    await producer.close();
  },
};

export const pulsarScene = async (given?: EngineHandle): Promise<BrokerScene> =>
  brokerScene(KIND, given ?? (await engine('pulsar')));
