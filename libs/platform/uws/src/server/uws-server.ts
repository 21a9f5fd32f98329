import type {
  HttpRequest as NativeRequest,
  HttpResponse as NativeResponse,
  TemplatedApp,
  us_listen_socket as ListenSocket,
  WebSocketBehavior,
} from 'uWebSockets.js';
import { native } from '../native.js';
import { type Message, sendable } from '../text.js';
import { ListenError, whyNot } from './listen-error.js';
import { nativeTlsOptions, type TlsFiles } from './tls.js';
import { openUnixSocket, prepareUnixSocket, removeUnixSocket, type UnixSocketPlace } from './unix-socket.js';

/** A TCP listener. */
export interface TcpPlace {
  readonly host: string;
  /** 0 takes a free port, which no other process can share; see {@link UwsServer.address}. */
  readonly port: number;
  /**
   * False (default): several processes may listen on one port (`SO_REUSEPORT`) and the system spreads connections.
   * Two different services of one user can then share a port without noticing; true refuses that.
   */
  readonly exclusive?: boolean;
}

/** Address of a server. */
export type ListenAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/** Options of a server. */
export interface ServerOptions {
  /** Absent: plain HTTP and `ws`. */
  readonly tls?: TlsFiles;
}

/** Never matched by a client that gets an answer: it exists because publishing needs some socket route. */
const NO_ROUTE = '/-/no-such-socket';

/**
 * One native app and its listener, apart from any framework: it may listen and answer probes before Nest exists.
 * Everything is safe to call at any time, also twice and after {@link close}.
 */
export class UwsServer {
  readonly #app: TemplatedApp;
  #listening: ListenSocket | null = null;
  #address: ListenAddress | null = null;
  #closed = false;

  /** @throws Error when the native library or the TLS files cannot be used. */
  constructor(options: ServerOptions = {}) {
    const uws = native();
    this.#app = options.tls === undefined ? uws.App() : uws.SSLApp(nativeTlsOptions(options.tls));
    this.#app.ws(NO_ROUTE, {
      upgrade: (response) => {
        response.writeStatus('404 Not Found').end();
      },
    });
  }

  /**
   * Starts listening; resolves with the real address.
   *
   * @throws ListenError with the system's reason when the place cannot be had.
   */
  async listen(place: TcpPlace | UnixSocketPlace): Promise<ListenAddress> {
    if (this.#closed || this.#address !== null) throw new Error('this server has been listening before');
    this.#address = 'path' in place ? await this.#listenUnix(place) : await this.#listenTcp(place);
    return this.#address;
  }

  /** Null until it listens. */
  get address(): ListenAddress | null {
    return this.#address;
  }

  /** Whether it takes new connections. */
  get isListening(): boolean {
    return this.#listening !== null;
  }

  /** Sends to every socket subscribed to the topic. False: no subscriber, or the server is closed. */
  publish(topic: string, message: Message, isBinary = false, compress = false): boolean {
    return !this.#closed && this.#app.publish(topic, sendable(message), isBinary, compress);
  }

  /** Number of sockets of this process subscribed to the topic. */
  subscriberCount(topic: string): number {
    return this.#closed ? 0 : this.#app.numSubscribers(topic);
  }

  /** Stops accepting connections; existing ones continue. */
  stopListening(): void {
    if (this.#listening === null) return;
    native().us_listen_socket_close(this.#listening);
    this.#listening = null;
    if (this.#address?.kind === 'unix') removeUnixSocket(this.#address.path);
  }

  /** Stops listening and drops every connection at once. */
  close(): void {
    if (this.#closed) return;
    this.stopListening();
    this.#closed = true;
    this.#app.close();
  }

  /** Answers every request no socket route takes; the room's own. */
  onRequest(handler: (response: NativeResponse, request: NativeRequest) => void): void {
    this.#app.any('/*', handler);
  }

  /** Adds a native socket route; the room's own. */
  onSocket<Data>(path: string, behavior: WebSocketBehavior<Data>): void {
    this.#app.ws(path, behavior);
  }

  async #listenTcp({ host, port, exclusive }: TcpPlace): Promise<ListenAddress> {
    const uws = native();
    const options = exclusive === true ? uws.LIBUS_LISTEN_EXCLUSIVE_PORT : 0;
    const app = this.#app as unknown as { listen: ListenWithOptions };
    const listening = listenOn((done) => app.listen(host, port, options, done));
    if (listening === null) throw new ListenError(`${host}:${port}`, await whyNot({ host, port }));
    this.#listening = listening;
    return { kind: 'tcp', host, port: uws.us_socket_local_port(listening) };
  }

  async #listenUnix(place: UnixSocketPlace): Promise<ListenAddress> {
    await prepareUnixSocket(place);
    const listening = listenOn((done) => this.#app.listen_unix(done, place.path));
    if (listening === null) throw new ListenError(place.path, await whyNot({ path: place.path }));
    this.#listening = listening;
    openUnixSocket(place);
    return { kind: 'unix', path: place.path };
  }
}

/** The declared overloads lack host and options together; the library takes both. */
type ListenWithOptions = (
  host: string,
  port: number,
  options: number,
  done: (socket: ListenSocket | false) => void,
) => unknown;

/** The library calls back before it returns, with `false` for any failure. */
function listenOn(attempt: (done: (socket: ListenSocket | false) => void) => unknown): ListenSocket | null {
  let result: ListenSocket | false = false;
  attempt((socket) => {
    result = socket;
  });
  return result === false ? null : result;
}
