import type { Context, XPublisher } from 'zeromq';
import { encodeHello } from './hello.js';

export interface OmqPeerParts {
  readonly zeromq: typeof import('zeromq');
  readonly context: Context;
  readonly endpoint: string;
  /** Place among the connections of this process. */
  readonly link: number;
  readonly session: string;
  readonly helloTopic: string;
  readonly sendHwm: number;
  /** Called for each message that a full connection did not take. */
  readonly onDropped: () => void;
}

const RECONNECT_MS = 100;
const PING_MS = 2000;
const PING_WITHIN_MS = 5000;
/** Linger time of a closed socket. */
const LINGER_MS = 500;
const SUBSCRIBED = 1;

/**
 * Connection to the endpoint of one peer. Each peer has its own socket, so that a full buffer loses only the messages
 * of that peer. A lost connection forgets its subscriptions and buffers nothing.
 */
export class OmqPeer {
  readonly #socket: XPublisher;
  readonly #topics = new Set<string>();
  #isClosed = false;
  /** Whether the first attempt has ended: the peer has subscribed, or cannot be reached. */
  isSettled = false;

  /** @throws Error if the endpoint is invalid. */
  constructor(private readonly parts: OmqPeerParts) {
    const { zeromq, context, endpoint, sendHwm } = parts;
    this.#socket = new zeromq.XPublisher({
      context,
      immediate: true,
      noDrop: true,
      sendTimeout: 0,
      sendHighWaterMark: sendHwm,
      linger: LINGER_MS,
      reconnectInterval: RECONNECT_MS,
      heartbeatInterval: PING_MS,
      heartbeatTimeout: PING_WITHIN_MS,
    });
    this.#socket.events.on('connect:retry', () => (this.isSettled = true));
    try {
      this.#socket.connect(endpoint);
    } catch (error) {
      this.#socket.close();
      const reason = error instanceof Error ? error.message : 'refused';
      throw new Error(`adapter.omq.connect_endpoints: cannot connect to "${endpoint}" (${reason})`, {
        cause: error,
      });
    }
    void this.#receive();
  }

  /** Whether the peer reads anything of this process. */
  get isConnected(): boolean {
    return this.#topics.size > 0;
  }

  /** Whether the peer has subscribed to the topic. */
  hears(topic: string): boolean {
    return this.#topics.has(topic);
  }

  /** Sends immediately, or drops the message if the peer has not subscribed to the topic or its buffer is full. */
  send(topic: string, text: string): void {
    if (this.#isClosed || !this.#topics.has(topic)) return;
    this.#socket.send([topic, text]).catch(() => this.parts.onDropped());
  }

  /** Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.isSettled = true;
    this.#topics.clear();
    this.#socket.close();
  }

  async #receive(): Promise<void> {
    try {
      for await (const [frame] of this.#socket) {
        if (frame === undefined || frame.length === 0) continue;
        const topic = frame.subarray(1).toString('utf8');
        if (frame[0] === SUBSCRIBED) this.#subscribed(topic);
        else this.#topics.delete(topic);
      }
    } catch {
      // The socket was closed.
    }
  }

  /** Subscriptions of a new connection arrive in any order; they are confirmed as soon as the peer reads that. */
  #subscribed(topic: string): void {
    this.isSettled = true;
    this.#topics.add(topic);
    const { helloTopic } = this.parts;
    if (topic === helloTopic) for (const one of this.#topics) this.#confirm(one);
    else if (this.#topics.has(helloTopic)) this.#confirm(topic);
  }

  #confirm(topic: string): void {
    const { session, link, helloTopic } = this.parts;
    this.send(helloTopic, encodeHello({ session, link, topic }));
  }
}
