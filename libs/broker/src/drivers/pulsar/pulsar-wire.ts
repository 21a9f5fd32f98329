import { sharedNames } from '@carillon/contracts';
import { pulsarClient, type PulsarSettings } from '@carillon/pulsar';
import type { Wire } from '../../cluster/wire.js';
import { PulsarSession } from './pulsar-session.js';

/** The way to Pulsar, over its WebSocket API. Throws when `url` cannot be used. */
export function pulsarWire(settings: PulsarSettings): Wire {
  const client = pulsarClient(settings, 'adapter.pulsar');
  const { prefix } = settings;
  const names = sharedNames(prefix, '-');
  return {
    names,
    hosts: [client.address],
    open: async (listener) => {
      const session = new PulsarSession({ names, client, healthTopic: `${prefix}-health`, listener });
      try {
        await session.check();
        return session;
      } catch (error) {
        await session.close();
        throw new Error(session.failure ?? (error instanceof Error ? error.message : 'unknown'), {
          cause: error,
        });
      }
    },
  };
}
