import type { Context, Subscriber } from 'zeromq';
import { SessionLost, type Session, type SessionListener } from '../../cluster/wire.js';
import { Confirmations, decodeHello } from './hello.js';
import { OmqLanes } from './omq-lanes.js';
import type { OmqNames } from './omq-names.js';
import type { OmqPeer } from './omq-peer.js';

export interface OmqParts {
  readonly names: OmqNames;
  /** Unique. */
  readonly id: string;
  readonly context: Context;
  /** Bound. */
  readonly subscriber: Subscriber;
  readonly peers: readonly OmqPeer[];
  readonly listener: SessionListener;
}

/** Limit of the confirmation of a subscription by the peers. */
const CONFIRM_WITHIN_MS = 500;
/** Limit of the first connections in both directions. */
const JOIN_WITHIN_MS = 1500;

const SENT = Promise.resolve();

/**
 * Sockets of this process: one bound for messages of peers, and one per peer. There is no broker: messages to a
 * disconnected peer are lost.
 */
export class OmqSession implements Session {
  readonly lanes: OmqLanes;
  readonly #confirmations = new Confirmations();
  readonly #heard = new Set<string>();
  #isOver = false;

  constructor(private readonly parts: OmqParts) {
    this.lanes = new OmqLanes({
      names: parts.names,
      id: parts.id,
      send: (topic, text) => this.#send(topic, text),
      subscribe: (topic) => this.#subscribe([topic]),
      unsubscribe: (topic) => this.#unsubscribe([topic]),
    });
  }

  /** Resolves when peers that run are connected in both directions, or do not become so in time. */
  async join(): Promise<void> {
    const { subscriber, names, peers } = this.parts;
    void this.#receive();
    subscriber.subscribe(names.hello, this.lanes.replyTo);
    await this.#confirmations.until(() => {
      const connected = peers.filter((peer) => peer.isConnected).length;
      return peers.every(({ isSettled }) => isSettled) && this.#confirmations.publishers >= connected;
    }, JOIN_WITHIN_MS);
    await this.#confirmations.of([this.lanes.replyTo], CONFIRM_WITHIN_MS);
  }

  /** Settles when the message is in the buffers of all connected peers; a full buffer drops it. */
  publish(address: string, text: string): Promise<void> {
    if (this.#isOver) return Promise.reject(new SessionLost());
    this.#send(address, text);
    return SENT;
  }

  async subscribe(addresses: readonly string[]): Promise<readonly string[]> {
    for (const address of addresses) this.#heard.add(address);
    await this.#subscribe(addresses);
    return [];
  }

  unsubscribe(addresses: readonly string[]): Promise<void> {
    for (const address of addresses) this.#heard.delete(address);
    return this.#unsubscribe(addresses);
  }

  check(): Promise<void> {
    return this.#isOver ? Promise.reject(new SessionLost()) : SENT;
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.lanes.close();
    for (const peer of this.parts.peers) peer.close();
    this.parts.subscriber.close();
  }

  async #subscribe(topics: readonly string[]): Promise<void> {
    if (this.#isOver) throw new SessionLost();
    this.parts.subscriber.subscribe(...topics);
    await this.#confirmations.of(topics, CONFIRM_WITHIN_MS);
  }

  #unsubscribe(topics: readonly string[]): Promise<void> {
    if (this.#isOver) return Promise.reject(new SessionLost());
    this.parts.subscriber.unsubscribe(...topics);
    for (const topic of topics) this.#confirmations.forget(topic);
    return SENT;
  }

  #send(topic: string, text: string): void {
    for (const peer of this.parts.peers) peer.send(topic, text);
  }

  async #receive(): Promise<void> {
    const { subscriber, listener } = this.parts;
    try {
      for await (const [topic, payload] of subscriber) {
        if (topic !== undefined && payload !== undefined) this.#take(topic.toString('utf8'), payload);
      }
      throw new Error('the socket was closed');
    } catch (error) {
      if (this.#isOver) return;
      await this.close();
      listener.lost(error instanceof Error ? error.message : 'the socket failed');
    }
  }

  #take(topic: string, payload: Buffer): void {
    if (this.#isOver) return;
    if (topic === this.parts.names.hello) this.#greeted(payload);
    else if (this.lanes.received(topic, payload)) return;
    // ZeroMQ subscribes to everything that begins with the topic.
    else if (this.#heard.has(topic)) this.parts.listener.message(topic, payload);
  }

  /** A connection that leads to this process itself is closed. */
  #greeted(payload: Buffer): void {
    const hello = decodeHello(payload);
    if (hello === null) return;
    if (hello.session === this.parts.id) this.parts.peers[hello.link]?.close();
    else this.#confirmations.add(hello);
  }
}
