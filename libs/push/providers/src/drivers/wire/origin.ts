import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { isIP } from 'node:net';
import { connect as connectTls, createSecureContext, type TLSSocket } from 'node:tls';
import {
  type Connection,
  IdentityUnusable,
  type WireOptions,
  WireRefused,
  type WireReply,
  type WireRequest,
} from './exchange.js';
import { Http1 } from './http1.js';
import { Http2 } from './http2.js';

const CONNECT_TIMEOUT_MS = 5_000;
const CHECK_EVERY_MS = 60_000;
const IDLE_CHECKS = 5;
const MAX_WAITING = 1_000;

const nothing = (): void => {};

/** One server and the connection to it, made when it is needed. */
export class Origin {
  readonly #url: URL;
  readonly #options: WireOptions;
  readonly #waiting: (() => void)[] = [];
  readonly #check: NodeJS.Timeout;
  #opening: Promise<Connection> | null = null;
  #connection: Connection | null = null;
  #running = 0;
  #idleChecks = 0;
  #closed = false;

  constructor(url: URL, options: WireOptions) {
    this.#url = url;
    this.#options = options;
    this.#check = setInterval(() => this.#lookAfter(), CHECK_EVERY_MS);
    this.#check.unref();
  }

  /** Requests that wait or run. */
  get running(): number {
    return this.#running;
  }

  get connections(): number {
    return this.#connection?.sockets ?? 0;
  }

  async post(request: WireRequest, signal: AbortSignal): Promise<WireReply> {
    if (this.#running >= MAX_WAITING) throw new WireRefused('too many requests at once');
    this.#running += 1;
    this.#idleChecks = 0;
    try {
      return await (await this.#withRoom(signal)).post(request, signal);
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#check);
    this.#connection?.close();
    this.#connection = null;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** A connection that takes one more request at this moment. */
  async #withRoom(signal: AbortSignal): Promise<Connection> {
    for (;;) {
      if (this.#closed) throw new WireRefused('closed');
      if (signal.aborted) throw new WireRefused('no time left');
      const connection = this.#connection ?? (await aborting(this.#open(), signal));
      if (connection.usable && connection.hasRoom) return connection;
      if (connection.usable) await this.#turn(signal);
      else if (this.#connection === connection) this.#connection = null;
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    let wake = nothing;
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#waiting.push(wake);
    try {
      await aborting(woken, signal);
    } finally {
      const place = this.#waiting.indexOf(wake);
      if (place >= 0) this.#waiting.splice(place, 1);
    }
  }

  #open(): Promise<Connection> {
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #connect(): Promise<Connection> {
    const connection = await this.#negotiate();
    if (this.#closed) {
      connection.close();
      throw new WireRefused('closed');
    }
    this.#connection = connection;
    return connection;
  }

  async #negotiate(): Promise<Connection> {
    if (this.#url.protocol === 'http:') return new Http1(this.#url, this.#options);
    checkIdentity(this.#options);
    const socket = await secured(this.#url, this.#options);
    if (socket.alpnProtocol !== 'h2') {
      socket.destroy();
      return new Http1(this.#url, this.#options);
    }
    const session = connectHttp2(this.#url.origin, {
      createConnection: () => socket,
      settings: { enablePush: false },
    });
    return new Http2(
      session,
      () => this.#forget(session),
      () => this.#waiting.shift()?.(),
    );
  }

  /** The server sent GOAWAY or the connection was lost: running requests may finish on it. */
  #forget(session: object): void {
    if (this.#connection instanceof Http2 && this.#connection.session === session) this.#connection = null;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #lookAfter(): void {
    if (this.#connection === null || this.#running > 0) return;
    this.#idleChecks += 1;
    if (this.#idleChecks < IDLE_CHECKS || this.#options.longLived === true) return this.#connection.ping();
    this.#connection.close();
    this.#connection = null;
  }
}

function checkIdentity({ identity }: WireOptions): void {
  try {
    createSecureContext(identity);
  } catch {
    throw new IdentityUnusable('the certificate cannot be used');
  }
}

async function secured(url: URL, { authorities, identity, lookup }: WireOptions): Promise<TLSSocket> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = connectTls({
    host,
    port: Number(url.port || 443),
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['h2', 'http/1.1'],
    ...(isIP(host) === 0 && { servername: host.replace(/\.$/, '') }),
    ...(authorities !== undefined && { ca: authorities }),
    ...identity,
    ...(lookup !== undefined && { lookup }),
  });
  const timer = setTimeout(() => socket.destroy(new Error('connecting takes too long')), CONNECT_TIMEOUT_MS);
  try {
    await once(socket, 'secureConnect');
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Rejects when the signal aborts; the shared promise continues for others. */
async function aborting<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  let stop = nothing;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(new WireRefused('no time left'));
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
