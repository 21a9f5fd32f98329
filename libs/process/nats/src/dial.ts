import type { NatsEvent } from './nats-event.js';
import { Connection } from './connection.js';
import { Incoming, type IncomingListener } from './incoming.js';
import { connectLine, type Login } from './lines.js';
import { type ServerInfo, serverInfo } from './server-info.js';
import type { Place } from './places.js';
import { Stream } from './stream.js';

export interface DialOptions {
  /** Tried in this order. */
  readonly servers: readonly Place[];
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

/** Rejects with what the last of the servers has against it. */
export async function dial(options: DialOptions): Promise<Connection> {
  let failure: unknown = new Error('there is no server to connect to');
  for (const place of options.servers) {
    try {
      return await dialOne(place, options);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** The server greets, is told who comes, and answers when it lets us in. Leaves nothing open when it rejects. */
function dialOne(place: Place, options: DialOptions): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const { timeoutMs } = options;
    let connection: Connection | null = null;
    const stream = new Stream({
      place,
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
        const greeted = (connection = introduced({ stream, info, place }, options));
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

/** Who greeted, and how. */
interface Greeting {
  readonly stream: Stream;
  readonly info: ServerInfo;
  readonly place: Place;
}

function introduced(greeting: Greeting, options: DialOptions): Connection {
  const { stream, info } = greeting;
  const { name, login, echo, tls } = options;
  const isSecure = tls || info.needsTls;
  if (isSecure) stream.secure();
  stream.write(connectLine({ name, login, echo, isSecure, nonce: info.nonce }));
  return new Connection({ ...options, ...greeting });
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
