import type { Config } from '@carillon/config';
import { natsNames } from '@carillon/contracts';
import { NatsDialer, type NatsEvent } from '@carillon/nats';
import { hostOf } from '../../cluster/broker-hosts.js';
import type { Wire } from '../../cluster/wire.js';
import { NatsSession } from './nats-session.js';

export interface NatsWireOptions {
  readonly settings: Config['adapter']['nats'];
  /** Connection name shown by the servers. */
  readonly connectionName: string;
  readonly onEvent: (event: NatsEvent) => void;
}

const DEFAULT_PORT = 4222;

/** The way to core NATS. Throws when an address or a key cannot be used. */
export function natsWire({ settings, connectionName, onEvent }: NatsWireOptions): Wire {
  const names = natsNames(settings.prefix);
  const inboxPrefix = names.reply('calls');
  const dialer = new NatsDialer({ section: 'adapter.nats', settings, connectionName, inboxPrefix, onEvent });
  return {
    names,
    hosts: dialer.servers.flatMap((server) => hostOf(server, DEFAULT_PORT) ?? []),
    givenUp: () => onEvent('max_reconnects'),
    open: async (listener) => new NatsSession(await dialer.open(), listener, onEvent, names),
  };
}
