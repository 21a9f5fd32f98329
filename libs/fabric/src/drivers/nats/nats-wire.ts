import type { Config } from '@carillon/config';
import { natsNames } from '@carillon/contract';
import type { Wire } from '../../cluster/wire.js';
import type { NatsEvent } from './nats-event.js';
import { NatsSession } from './nats-session.js';
import { serversOf } from './servers.js';

export interface NatsWireOptions {
  readonly settings: Config['adapter']['nats'];
  /** What the servers show this connection as. */
  readonly connectionName: string;
  readonly onEvent: (event: NatsEvent) => void;
}

/** The way to core NATS. Loads the client library. Rejects when an address cannot be used. */
export async function natsWire({ settings, connectionName, onEvent }: NatsWireOptions): Promise<Wire> {
  const { connect } = await import('nats');
  const servers = serversOf(settings);
  const names = natsNames(settings.prefix);
  return {
    names,
    givenUp: () => onEvent('max_reconnects'),
    open: async (listener) => {
      try {
        const connection = await connect({
          ...servers,
          name: connectionName,
          noEcho: settings.no_echo,
          // The place in the program that asked is not worth a stack for each request.
          noAsyncTraces: true,
          inboxPrefix: names.reply('calls'),
          timeout: settings.connection_timeout_ms,
          // A connection that comes back by itself would not say what it missed.
          reconnect: false,
        });
        onEvent('connected');
        return new NatsSession(connection, listener, onEvent, names);
      } catch (error) {
        onEvent('client_error');
        throw error;
      }
    },
  };
}
