import {
  connect,
  type ConnectionOptions,
  type NatsConnection,
  type TlsOptions,
  wsconnect,
} from '@nats-io/transport-node';
import type { Config } from '@carillon/config';
import { isIP } from 'node:net';
import { keyAuthenticator } from './authenticators.js';
import { Connection } from './connection.js';
import { type ServerOptions, serverOptions } from './connection-options.js';
import { greetingOf } from './greeting.js';
import type { NatsEvent } from './nats-event.js';
import { TransportTurns } from './transport-turns.js';

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

const DEFAULT_PORT = 4222;

/** Shared by all dialers, as the client's variable is. */
const turns = new TransportTurns();

/** An address of a server. Its certificate is checked against `certified`, an IP address or a name. */
interface Server {
  readonly host: string;
  readonly certified: string;
}

/** Connects to one of the configured servers or of their cluster, through the official client. */
export class NatsDialer {
  readonly servers: readonly string[];
  /** The last connection, which knows the cluster of its server. */
  #last: { readonly connection: Connection; readonly server: Server } | null = null;

  /** Throws when an address or a key cannot be used. */
  constructor(private readonly options: DialerOptions) {
    const { settings, section } = options;
    this.servers = serverOptions(settings, section).servers;
    keyAuthenticator(settings, section);
  }

  /** Opens a connection that is not reused after its end. Tries the servers in order; rejects with the last error. */
  async open(): Promise<Connection> {
    const { onEvent, section, settings } = this.options;
    const options = serverOptions(settings, section);
    const configured = options.servers.map((host): Server => ({ host, certified: nameOf(host) }));
    let failure: unknown;
    for (const server of [...configured, ...this.#others(options)]) {
      try {
        const connection = new Connection(await this.#connect(server, options), onEvent);
        this.#last = { connection, server };
        onEvent('connected');
        return connection;
      } catch (error) {
        failure = error;
      }
    }
    onEvent('client_error');
    throw reasonOf(failure);
  }

  async #connect(
    { host, certified }: Server,
    { isWebSocket, isTls, login }: ServerOptions,
  ): Promise<NatsConnection> {
    const { section, settings, connectionName, inboxPrefix } = this.options;
    const authenticator = keyAuthenticator(settings, section);
    const options: ConnectionOptions = {
      ...(authenticator === null ? login : { authenticator }),
      servers: host,
      name: connectionName,
      noEcho: settings.no_echo,
      inboxPrefix,
      timeout: settings.connection_timeout_ms,
      // Sessions repeat their subscriptions themselves and report each outage to their callers.
      reconnect: false,
      noAsyncTraces: true,
    };
    if (isWebSocket) {
      const { webSocket } = await import('./web-socket.js');
      return turns.open('websocket', () => wsconnect({ ...options, wsFactory: webSocket }));
    }
    const port = portOf(host);
    const greeting = await greetingOf(nameOf(host), port, settings.connection_timeout_ms);
    const tls = isTls || greeting.isTls ? { tls: checkedAgainst(certified) } : {};
    return turns.open('tcp', () => connect({ ...options, ...tls }));
  }

  /** Servers that the last one named, from a random one on. Their certificates may be those of the cluster. */
  #others({ servers, isWebSocket }: ServerOptions): readonly Server[] {
    if (this.#last === null || isWebSocket) return [];
    const { connection, server } = this.#last;
    const others = connection.others.filter((host) => !servers.includes(host));
    const start = Math.floor(Math.random() * others.length);
    const tried = [...others.slice(start), ...others.slice(0, start)].slice(0, MAX_OTHERS);
    return tried.map((host) => ({ host, certified: isIP(nameOf(host)) ? server.certified : nameOf(host) }));
  }
}

const urlOf = (host: string): URL => new URL(`nats://${host}`);
const nameOf = (host: string): string =>
  URL.canParse(`nats://${host}`) ? urlOf(host).hostname.replace(/^\[(.*)\]$/, '$1') : host;
const portOf = (host: string): number => Number(urlOf(host).port || DEFAULT_PORT);

/** Node checks the certificate of a server given by IP address against `host`; the client itself passes no name then. */
function checkedAgainst(name: string): TlsOptions {
  // The client passes further options on to Node, which its type omits.
  const options: object = isIP(name) ? { host: name } : { servername: name };
  return options;
}

/** Prefers Node's error, which names the address, to the client's words around it. */
function reasonOf(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof Error && cause.message !== '' ? cause : error;
}
