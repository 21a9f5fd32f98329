import { randomUUID } from 'node:crypto';
import type { Config } from '@carillon/config';
import type { Context, Subscriber } from 'zeromq';
import type { Wire } from '../../cluster/wire.js';
import { omqNames } from './omq-names.js';
import { OmqPeer } from './omq-peer.js';
import { OmqSession } from './omq-session.js';

export type OmqSettings = Config['adapter']['omq'];

type Library = typeof import('zeromq');

/** A socket that was just closed may hold its port a little longer. */
const BIND_ATTEMPTS = 20;
const BIND_PAUSE_MS = 50;

/**
 * Connects processes by ZeroMQ without a broker. Loads the client library.
 *
 * @param onDropped Called for each message that the full buffer of a peer did not take.
 * @throws Error when the endpoint cannot be bound.
 */
export async function omqWire(settings: OmqSettings, onDropped: () => void): Promise<Wire> {
  const zeromq = await import('zeromq');
  const names = omqNames(settings.prefix);
  const context = new zeromq.Context({ ioThreads: settings.io_threads });
  await probe(zeromq, context, settings);
  return {
    names,
    open: async (listener) => {
      const id = randomUUID();
      const subscriber = await bound(zeromq, context, settings, BIND_ATTEMPTS);
      const peers: OmqPeer[] = [];
      try {
        for (const [link, endpoint] of peersOf(settings).entries()) {
          const common = { zeromq, context, endpoint, link, session: id, onDropped };
          peers.push(new OmqPeer({ ...common, helloTopic: names.hello, sendHwm: settings.send_hwm }));
        }
        const session = new OmqSession({ names, id, context, subscriber, peers, listener });
        await session.join();
        return session;
      } catch (error) {
        for (const peer of peers) peer.close();
        subscriber.close();
        throw error;
      }
    },
  };
}

/** Returns the configured endpoints of the other processes. */
export const peersOf = ({ bind_endpoint: own, connect_endpoints: all }: OmqSettings): readonly string[] => [
  ...new Set(all.filter((endpoint) => endpoint !== own)),
];

/** Rejects when the endpoint cannot be bound, so that the process does not start. */
async function probe(zeromq: Library, context: Context, settings: OmqSettings): Promise<void> {
  const subscriber = await bound(zeromq, context, settings, 1);
  await subscriber.unbind(settings.bind_endpoint).catch(() => undefined);
  subscriber.close();
}

async function bound(
  zeromq: Library,
  context: Context,
  { bind_endpoint: endpoint, recv_hwm: receiveHighWaterMark }: OmqSettings,
  attempts: number,
): Promise<Subscriber> {
  const subscriber = new zeromq.Subscriber({ context, receiveHighWaterMark, linger: 0 });
  for (let attempt = 1; ; attempt += 1) {
    try {
      await subscriber.bind(endpoint);
      return subscriber;
    } catch (error) {
      if (attempt < attempts) {
        await new Promise((resolve) => setTimeout(resolve, BIND_PAUSE_MS));
        continue;
      }
      subscriber.close();
      const reason = error instanceof Error ? error.message : 'refused';
      throw new Error(
        `adapter.omq.bind_endpoint: cannot listen on "${endpoint}" (${reason}); choose a free address of this machine`,
        { cause: error },
      );
    }
  }
}
