import type { NatsEvent } from '../nats-event.js';
import { Connection } from './connection.js';
import { Incoming, type IncomingListener } from './incoming.js';
import { connectLine, type Login } from './lines.js';
import { type ServerInfo, serverInfo } from './server-info.js';
import { Stream } from './stream.js';

export interface DialOptions {
  /** Hosts, each with its port if it has one of its own. */
  readonly servers: readonly string[];
  /** Whether to talk through TLS alone; a server may want it all the same. */
  readonly tls: boolean;
  readonly login: Login;
  /** What servers show this connection as. */
  readonly name: string;
  readonly echo: boolean;
  readonly inboxPrefix: string;
  /** For each server. */
  readonly timeoutMs: number;
  readonly onEvent: (event: NatsEvent) => void;
}

/** Tries the servers in any order. Rejects with what the last one has against it. */
export async function dial(options: DialOptions): Promise<Connection> {
  let failure: unknown = new Error('there is no server to connect to');
  for (const host of shuffled(options.servers)) {
    try {
      return await dialOne(host, options);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** The server greets, is told who comes, and answers when it lets us in. Leaves nothing open when it rejects. */
function dialOne(host: string, options: DialOptions): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const { timeoutMs } = options;
    let connection: Connection | null = null;
    const stream = new Stream({
      host,
      read: (bytes) => {
        try {
          incoming.take(bytes);
        } catch (error) {
          stream.destroy(error instanceof Error ? error.message : 'what the server sent cannot be read');
        }
      },
      ended: (reason) => {
        clearTimeout(timer);
        connection?.ended(reason);
        reject(new Error(reason));
      },
    });
    const timer = setTimeout(() => stream.destroy(`no answer in ${timeoutMs} ms`), timeoutMs);
    const incoming = new Incoming(
      beforeGreeting((info) => {
        const greeted = (connection = introduced(stream, info, options));
        incoming.listener = greeted.incoming;
        greeted.ping((isLetIn) => {
          if (!isLetIn) return;
          clearTimeout(timer);
          resolve(greeted);
        });
      }),
    );
  });
}

function introduced(stream: Stream, info: ServerInfo, options: DialOptions): Connection {
  const { name, login, echo, tls } = options;
  const isSecure = tls || info.needsTls;
  if (isSecure) stream.secure();
  stream.write(connectLine({ name, login, echo, isSecure }));
  return new Connection({ ...options, stream, info });
}

function unexpected(): never {
  throw new Error('the server does not speak the protocol of NATS');
}

/** A server says who it is before anything else, unless it turns us away. */
function beforeGreeting(greeted: (info: ServerInfo) => void): IncomingListener {
  return {
    info: (text) => greeted(serverInfo(text) ?? unexpected()),
    error: (text) => {
      throw new Error(text);
    },
    message: unexpected,
    ping: unexpected,
    pong: unexpected,
  };
}

function shuffled(servers: readonly string[]): string[] {
  return servers
    .map((server) => ({ server, at: Math.random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ server }) => server);
}
