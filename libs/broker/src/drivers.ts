import { explainMissingPackage } from '@carillon/runtime';
import { newNodeId } from './node-id.js';
import type { OpenedFabric } from './port.js';
import type { FabricOptions } from './fabric-options.js';

type OpenFabric = (options: FabricOptions) => Promise<OpenedFabric>;

/** One line a driver; its client library is loaded when it is chosen, and only then. */
const DRIVERS: ReadonlyMap<string, OpenFabric> = new Map([
  ['local', openLocal],
  ['redis', async (options) => (await import('./drivers/redis/open.js')).openRedis(options)],
  ['redis-cluster', async (options) => (await import('./drivers/redis/open.js')).openRedisCluster(options)],
  ['rabbitmq', async (options) => (await import('./drivers/rabbitmq/open.js')).openRabbitmq(options)],
  ['kafka', async (options) => (await import('./drivers/kafka/open.js')).openKafka(options)],
  ['pulsar', async (options) => (await import('./drivers/pulsar/open.js')).openPulsar(options)],
  ['iggy', async (options) => (await import('./drivers/iggy/open.js')).openIggyFabric(options)],
  ['nats', async (options) => (await import('./drivers/nats/open.js')).openNats(options)],
  ['omq', async (options) => (await import('./drivers/omq/open.js')).openOmq(options)],
  [
    'google-pubsub',
    async (options) => (await import('./drivers/google-pubsub/open.js')).openGooglePubsub(options),
  ],
]);

/** Values of `adapter.driver` that this build can serve. */
export const FABRIC_DRIVERS: readonly string[] = [...DRIVERS.keys()];

/**
 * Opens the configured broker, which connects in the background and has no listener yet. With `fallback_to_local`, a
 * broker that is unreachable within the start-up time is replaced by the local one. Rejects if the driver is unknown
 * or its settings are invalid.
 */
export async function openFabric(options: FabricOptions): Promise<OpenedFabric> {
  const { driver, fallback_to_local: mayFallBack } = options.config.adapter;
  const open = DRIVERS.get(driver);
  if (open === undefined) throw new Error(`driver ${driver} is not available in this build`);
  const fabric = await open(options).catch((error: unknown) => {
    throw explainMissingPackage(driver, error);
  });
  if (!mayFallBack || driver === 'local') return fabric;
  return (await import('./drivers/fallback.js')).orLocal(fabric, options);
}

async function openLocal({ config, onFault }: FabricOptions): Promise<OpenedFabric> {
  const { LocalFabric } = await import('./drivers/local.js');
  return new LocalFabric(newNodeId(config.instance.process_id), onFault);
}
