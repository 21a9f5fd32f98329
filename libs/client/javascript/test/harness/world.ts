import type { ClientOptions } from '../../src/options.js';
import { Carillon } from '../../src/client.js';
import type { Clock } from '../../src/connection/clock.js';
import type { WireFrame } from '../../src/format/wire-frame.js';
import type { SocketLike } from '../../src/connection/socket.js';

/** A manually advanced clock. */
export class HandClock implements Clock {
  #now = 0;
  readonly #timers = new Map<object, { readonly atMs: number; readonly work: () => void }>();

  now(): number {
    return this.#now;
  }

  after(ms: number, work: () => void): () => void {
    const timer = {};
    this.#timers.set(timer, { atMs: this.#now + ms, work });
    return () => this.#timers.delete(timer);
  }

  /** The number of pending timers. */
  get size(): number {
    return this.#timers.size;
  }

  /** Advances the clock and runs due timers in order. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      const due = [...this.#timers]
        .filter(([, { atMs }]) => atMs <= end)
        .sort((a, b) => a[1].atMs - b[1].atMs)[0];
      if (due === undefined) break;
      this.#timers.delete(due[0]);
      this.#now = Math.max(this.#now, due[1].atMs);
      due[1].work();
      await settled();
    }
    this.#now = end;
  }
}

/** Waits until all pending promise callbacks have run. */
export const settled = (): Promise<void> => new Promise((later) => setImmediate(later));

/** One socket of a client, seen from the service. */
export class FakeSocket implements SocketLike {
  binaryType = '';
  readonly #listeners = new Map<string, (event: never) => void>();
  readonly sent: WireFrame[] = [];
  isClosed = false;

  constructor(readonly url: string) {}

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.set(type, listener);
  }

  send(data: string | Uint8Array): void {
    this.sent.push(JSON.parse(String(data)) as WireFrame);
  }

  close(): void {
    this.isClosed = true;
  }

  /** Delivers a frame from the service, given as an object or as the exact text. */
  says(frame: object | string): void {
    const data = typeof frame === 'string' ? frame : JSON.stringify(frame);
    this.#listeners.get('message')?.({ data } as never);
  }

  /** The service, or the network, ends it. */
  ends(code: number, reason = ''): void {
    this.isClosed = true;
    this.#listeners.get('close')?.({ code, reason } as never);
  }

  /** Returns and clears the frames sent since the last call. */
  taken(): WireFrame[] {
    return this.sent.splice(0);
  }
}

/** A client whose sockets and time are in the test's hands. */
export class World {
  readonly clock = new HandClock();
  readonly sockets: FakeSocket[] = [];
  readonly client: Carillon;
  #count = 0;

  constructor(options: Partial<ClientOptions> = {}) {
    const { sockets } = this;
    this.client = new Carillon({
      key: 'key',
      url: 'wss://service.test',
      clock: this.clock,
      random: () => 0.5,
      transports: ['websocket'],
      WebSocket: class extends FakeSocket {
        constructor(url: string) {
          super(url);
          sockets.push(this);
        }
      },
      ...options,
    });
  }

  /** The latest. */
  get socket(): FakeSocket {
    const socket = this.sockets.at(-1);
    if (socket === undefined) throw new Error('no socket was opened');
    return socket;
  }

  /** Establishes the latest socket. `acks`: the service acknowledges events on it. */
  async establish({ acks = false } = {}): Promise<FakeSocket> {
    this.#count += 1;
    const data = JSON.stringify({
      socket_id: `1.${this.#count}`,
      activity_timeout: 120,
      ...(acks ? { acks } : {}),
    });
    this.socket.says({ event: 'service:connection_established', data });
    await settled();
    return this.socket;
  }

  async connect(options: { readonly acks?: boolean } = {}): Promise<FakeSocket> {
    this.client.connect();
    await settled();
    return this.establish(options);
  }
}

/** The answer to a subscription. */
export const subscribed = (channel: string, data: object = {}, position: object = {}): object => ({
  event: 'service_internal:subscription_succeeded',
  channel,
  data: JSON.stringify(data),
  ...position,
});

/** A message of a channel with positions. */
export const numbered = (channel: string, serial: number, event = 'tick', stream = 'a'): object => ({
  event,
  channel,
  data: JSON.stringify({ n: serial }),
  message_id: `m-${serial}`,
  stream_id: stream,
  serial,
});
