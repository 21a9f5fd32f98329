import type { Config } from '@carillon/config';
import { natsNames } from '@carillon/contract';
import { hostOf } from '../../cluster/broker-hosts.js';
import type { Wire } from '../../cluster/wire.js';
import { keyLogin } from './credentials.js';
import type { Connection } from './client/connection.js';
import { dial } from './client/dial.js';
import { toTry } from './client/places.js';
import type { NatsEvent } from './nats-event.js';
import { NatsSession } from './nats-session.js';
import { serversOf } from './servers.js';

export interface NatsWireOptions {
  readonly settings: Config['adapter']['nats'];
  /** What the servers show this connection as. */
  readonly connectionName: string;
  readonly onEvent: (event: NatsEvent) => void;
}

const DEFAULT_PORT = 4222;

/** The way to core NATS. Throws when an address or a key cannot be used. */
export function natsWire({ settings, connectionName, onEvent }: NatsWireOptions): Wire {
  const { servers, ...options } = serversOf(settings);
  keyLogin(settings);
  /** The last one: what it was told of its cluster leads to another server when its own has gone. */
  let last: Connection | null = null;
  const names = natsNames(settings.prefix);
  return {
    names,
    hosts: servers.flatMap(({ host }) => hostOf(host, DEFAULT_PORT) ?? []),
    givenUp: () => onEvent('max_reconnects'),
    open: async (listener) => {
      try {
        const connection = await dial({
          ...options,
          login: keyLogin(settings) ?? options.login,
          servers: toTry(servers, last?.others ?? []),
          name: connectionName,
          echo: !settings.no_echo,
          inboxPrefix: names.reply('calls'),
          timeoutMs: settings.connection_timeout_ms,
          onEvent,
        });
        last = connection;
        onEvent('connected');
        return new NatsSession(connection, listener, onEvent, names);
      } catch (error) {
        onEvent('client_error');
        throw error;
      }
    },
  };
}
