import { connect, type ConnectionOptions, type NatsConnection, wsconnect } from '@nats-io/transport-node';
import type { Config } from '@carillon/config';
import { keyAuthenticator } from './authenticators.js';
import { Connection } from './connection.js';
import { serverOptions } from './connection-options.js';
import type { NatsEvent } from './nats-event.js';

export interface DialerOptions {
  /** Name of the block of settings in messages: `adapter.nats`. */
  readonly section: string;
  readonly settings: Config['adapter']['nats'];
  /** Name of the connections on the server. */
  readonly connectionName: string;
  readonly inboxPrefix: string;
  readonly onEvent: (event: NatsEvent) => void;
}

/** Number of servers tried beside the configured ones; each may take the whole time limit. */
const MAX_OTHERS = 3;

/** Connects to one of the configured servers or of their cluster, through the official client. */
export class NatsDialer {
  readonly servers: readonly string[];
  /** The last connection, which knows the cluster of its server. */
  #last: Connection | null = null;

  /** Throws when an address or a key cannot be used. */
  constructor(private readonly options: DialerOptions) {
    const { settings, section } = options;
    this.servers = serverOptions(settings, section).servers;
    keyAuthenticator(settings, section);
  }

  /** Opens a connection that never comes back once it is over. */
  async open(): Promise<Connection> {
    const { onEvent } = this.options;
    try {
      this.#last = new Connection(await this.#connect(), onEvent);
    } catch (error) {
      onEvent('client_error');
      throw reasonOf(error);
    }
    onEvent('connected');
    return this.#last;
  }

  async #connect(): Promise<NatsConnection> {
    const { section, settings, connectionName, inboxPrefix } = this.options;
    const { servers, isWebSocket, isTls, login } = serverOptions(settings, section);
    const authenticator = keyAuthenticator(settings, section);
    const options: ConnectionOptions = {
      ...(authenticator === null ? login : { authenticator }),
      ...(isTls ? { tls: {} } : {}),
      servers: isWebSocket ? [...servers] : [...servers, ...this.#others(servers)],
      name: connectionName,
      noEcho: settings.no_echo,
      inboxPrefix,
      timeout: settings.connection_timeout_ms,
      // Sessions above repeat their subscriptions themselves and tell their callers of each outage.
      reconnect: false,
      noAsyncTraces: true,
    };
    if (!isWebSocket) return connect(options);
    const { webSocket } = await import('./web-socket.js');
    return wsconnect({ ...options, wsFactory: webSocket });
  }

  #others(known: readonly string[]): readonly string[] {
    const others = (this.#last?.others ?? []).filter((host) => !known.includes(host));
    const start = Math.floor(Math.random() * others.length);
    return [...others.slice(start), ...others.slice(0, start)].slice(0, MAX_OTHERS);
  }
}

/** Prefers Node's error, which names the address, to the client's words around it. */
function reasonOf(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof Error && cause.message !== '' ? cause : error;
}
