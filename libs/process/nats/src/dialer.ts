import type { Config } from '@carillon/config';
import type { Connection } from './connection.js';
import { keyLogin } from './credentials.js';
import { dial } from './dial.js';
import type { NatsEvent } from './nats-event.js';
import { type Place, toTry } from './places.js';
import { serversOf } from './servers.js';

export interface DialerOptions {
  /** The block of settings, as messages about it name it: `adapter.nats`. */
  readonly section: string;
  readonly settings: Config['adapter']['nats'];
  /** What the servers show connections as. */
  readonly connectionName: string;
  readonly inboxPrefix: string;
  readonly onEvent: (event: NatsEvent) => void;
}

/** Connects to one of the servers of the settings, or of their cluster. */
export class NatsDialer {
  readonly servers: readonly Place[];
  /** The last one: what it was told of its cluster leads to another server when its own has gone. */
  #last: Connection | null = null;

  /** Throws when an address or a key cannot be used. */
  constructor(private readonly options: DialerOptions) {
    const { settings, section } = options;
    this.servers = serversOf(settings, section).servers;
    keyLogin(settings, section);
  }

  /** A connection that lets in; it never comes back when it is over. */
  async open(): Promise<Connection> {
    const { section, settings, connectionName, inboxPrefix, onEvent } = this.options;
    const { tls, login } = serversOf(settings, section);
    try {
      this.#last = await dial({
        tls,
        login: keyLogin(settings, section) ?? login,
        servers: toTry(this.servers, this.#last?.others ?? []),
        name: connectionName,
        echo: !settings.no_echo,
        inboxPrefix,
        timeoutMs: settings.connection_timeout_ms,
        onEvent,
      });
    } catch (error) {
      onEvent('client_error');
      throw error;
    }
    onEvent('connected');
    return this.#last;
  }
}
