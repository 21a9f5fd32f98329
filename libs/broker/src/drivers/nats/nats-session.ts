import type { BrokerNames } from '@carillon/contracts';
import type { Connection, Heard, NatsEvent } from '@carillon/nats';
import { pause } from '@carillon/runtime';
import { SessionLost, type Session, type SessionListener } from '../../cluster/wire.js';
import { Barrier } from './barrier.js';
import { NatsLanes } from './nats-lanes.js';

/** Limit of the final flush when the session closes. */
const FLUSH_WITHIN_MS = 1000;

/**
 * One connection to a NATS server. The protocol has no publish confirmations, but the server processes a connection
 * in order: an answered ping confirms all earlier messages.
 */
export class NatsSession implements Session {
  readonly lanes: NatsLanes;
  /** Subscriptions by address. */
  readonly #heard = new Map<string, Heard>();
  readonly #barrier: Barrier;
  #refused = new Set<string>();
  #isOver = false;

  constructor(
    private readonly connection: Connection,
    private readonly listener: SessionListener,
    private readonly onEvent: (event: NatsEvent) => void,
    names: BrokerNames,
  ) {
    this.#barrier = new Barrier({
      leave: () => connection.leave(),
      ask: (answered) => connection.ping((isAnswered) => answered(isAnswered ? null : new SessionLost())),
    });
    connection.refused = (subject) => this.#barrier.refused(subject);
    this.lanes = new NatsLanes({ connection, names, passed: () => this.#barrier.pass() });
    void this.#untilClosed();
  }

  publish(address: string, text: string): Promise<void> {
    const { connection } = this;
    if (connection.isClosed) return Promise.reject(new SessionLost());
    const payload = Buffer.from(text);
    if (payload.byteLength > connection.maxPayload) {
      return Promise.reject(new Error('the message is larger than the broker takes'));
    }
    connection.publish(address, payload);
    return this.#barrier.taken();
  }

  async subscribe(addresses: readonly string[]): Promise<readonly string[]> {
    this.#refused = new Set();
    if (this.connection.isClosed) throw new SessionLost();
    for (const address of addresses) {
      if (!this.#heard.has(address)) this.#heard.set(address, this.#hear(address));
    }
    await this.#barrier.pass();
    return [...this.#refused];
  }

  async unsubscribe(addresses: readonly string[]): Promise<void> {
    for (const address of addresses) {
      this.#heard.get(address)?.drop();
      this.#heard.delete(address);
    }
    await this.#barrier.pass();
  }

  check(): Promise<void> {
    return this.#barrier.pass();
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    const over = new AbortController();
    const flushed = this.#barrier.pass().catch(() => undefined);
    if (!this.connection.isClosed) await Promise.race([flushed, pause(FLUSH_WITHIN_MS, over.signal)]);
    over.abort();
    await this.connection.close();
  }

  #hear(address: string): Heard {
    return this.connection.hear({
      subject: address,
      take: ({ data }) => {
        if (!this.#isOver) this.listener.message(address, data);
      },
      refused: () => {
        this.#heard.delete(address);
        this.#refused.add(address);
      },
    });
  }

  async #untilClosed(): Promise<void> {
    const reason = await this.connection.closed;
    this.onEvent('closed');
    if (this.#isOver) return;
    this.#isOver = true;
    this.onEvent('disconnected');
    this.listener.lost(reason);
  }
}
