import { explainMissingPackage } from '@carillon/runtime';
import { newNodeId } from './node-id.js';
import type { OpenedBroker } from './port.js';
import type { BrokerOptions } from './broker-options.js';

type OpenBroker = (options: BrokerOptions) => Promise<OpenedBroker>;

/** One line a driver; its client library is loaded when it is chosen, and only then. */
const DRIVERS: ReadonlyMap<string, OpenBroker> = new Map([
  ['local', openLocal],
  ['redis', async (options) => (await import('./drivers/redis/open.js')).openRedis(options)],
  ['redis-cluster', async (options) => (await import('./drivers/redis/open.js')).openRedisCluster(options)],
  ['rabbitmq', async (options) => (await import('./drivers/rabbitmq/open.js')).openRabbitmq(options)],
  ['kafka', async (options) => (await import('./drivers/kafka/open.js')).openKafka(options)],
  ['pulsar', async (options) => (await import('./drivers/pulsar/open.js')).openPulsar(options)],
  ['iggy', async (options) => (await import('./drivers/iggy/open.js')).openIggyBroker(options)],
  ['nats', async (options) => (await import('./drivers/nats/open.js')).openNats(options)],
  ['omq', async (options) => (await import('./drivers/omq/open.js')).openOmq(options)],
  [
    'google-pubsub',
    async (options) => (await import('./drivers/google-pubsub/open.js')).openGooglePubsub(options),
  ],
]);

/** Values of `adapter.driver` that this build can serve. */
export const BROKER_DRIVERS: readonly string[] = [...DRIVERS.keys()];

/**
 * Opens the configured broker, which connects in the background and has no listener yet. With `fallback_to_local`, a
 * broker that is unreachable within the start-up time is replaced by the local one. Rejects if the driver is unknown
 * or its settings are invalid.
 */
export async function openBroker(options: BrokerOptions): Promise<OpenedBroker> {
  const { driver, fallback_to_local: mayFallBack } = options.config.adapter;
  const open = DRIVERS.get(driver);
  if (open === undefined) throw new Error(`driver ${driver} is not available in this build`);
  const broker = await open(options).catch((error: unknown) => {
    throw explainMissingPackage(driver, error);
  });
  if (!mayFallBack || driver === 'local') return broker;
  return (await import('./drivers/fallback.js')).orLocal(broker, options);
}

async function openLocal({ config, onFault }: BrokerOptions): Promise<OpenedBroker> {
  const { LocalBroker } = await import('./drivers/local.js');
  return new LocalBroker(newNodeId(config.instance.process_id), onFault);
}
