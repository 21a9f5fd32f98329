import type { Config } from '@carillon/config';
import { natsNames } from '@carillon/contract';
import type { Wire } from '../../cluster/wire.js';
import { dial } from './client/dial.js';
import type { NatsEvent } from './nats-event.js';
import { NatsSession } from './nats-session.js';
import { serversOf } from './servers.js';

export interface NatsWireOptions {
  readonly settings: Config['adapter']['nats'];
  /** What the servers show this connection as. */
  readonly connectionName: string;
  readonly onEvent: (event: NatsEvent) => void;
}

/** The way to core NATS. Throws when an address cannot be used. */
export function natsWire({ settings, connectionName, onEvent }: NatsWireOptions): Wire {
  const servers = serversOf(settings);
  const names = natsNames(settings.prefix);
  return {
    names,
    givenUp: () => onEvent('max_reconnects'),
    open: async (listener) => {
      try {
        const connection = await dial({
          ...servers,
          name: connectionName,
          echo: !settings.no_echo,
          inboxPrefix: names.reply('calls'),
          timeoutMs: settings.connection_timeout_ms,
          onEvent,
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
