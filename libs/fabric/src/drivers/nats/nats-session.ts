import type { FabricNames } from '@carillon/contract';
import type { NatsConnection, Subscription } from 'nats';
import { pause } from '@carillon/runtime';
import { SessionLost, type Session, type SessionListener } from '../../cluster/wire.js';
import { Barrier } from './barrier.js';
import type { NatsEvent } from './nats-event.js';
import { NatsLanes } from './nats-lanes.js';

/** How long what was published may take to leave when the session is closed. */
const FLUSH_WITHIN_MS = 1000;

interface Leaving {
  readonly address: string;
  readonly bytes: Uint8Array;
}

/**
 * One connection to a NATS server. The protocol confirms nothing by itself, but the server works through a connection
 * in order: once it answers a ping, it has everything that was sent before.
 */
export class NatsSession implements Session {
  readonly lanes: NatsLanes;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #barrier: Barrier;
  /** Ends the wait of each round trip under way. */
  readonly #waiting = new Set<() => void>();
  /** What was published in this turn of the event loop; it leaves at the end of it. */
  #leaving: Leaving[] = [];
  #refused = new Set<string>();
  #isOver = false;

  constructor(
    private readonly connection: NatsConnection,
    private readonly listener: SessionListener,
    private readonly onEvent: (event: NatsEvent) => void,
    names: FabricNames,
  ) {
    this.#barrier = new Barrier({ leave: () => this.#leave(), ask: (answered) => this.#ask(answered) });
    this.lanes = new NatsLanes({ connection, names, passed: () => this.#barrier.pass() });
    void this.#watch();
    void this.#untilClosed();
  }

  publish(address: string, text: string): Promise<void> {
    const { connection } = this;
    if (connection.isClosed()) return Promise.reject(new SessionLost());
    const bytes = Buffer.from(text);
    if (bytes.byteLength > (connection.info?.max_payload ?? Infinity)) {
      return Promise.reject(new Error('the message is larger than the broker takes'));
    }
    this.#leaving.push({ address, bytes });
    return this.#barrier.pass();
  }

  async subscribe(addresses: readonly string[]): Promise<readonly string[]> {
    this.#refused = new Set();
    if (this.connection.isClosed()) throw new SessionLost();
    for (const address of addresses) {
      if (!this.#subscriptions.has(address)) this.#subscriptions.set(address, this.#subscribe(address));
    }
    await this.#barrier.pass();
    return [...this.#refused];
  }

  async unsubscribe(addresses: readonly string[]): Promise<void> {
    for (const address of addresses) {
      this.#subscriptions.get(address)?.unsubscribe();
      this.#subscriptions.delete(address);
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
    if (!this.connection.isClosed()) await Promise.race([flushed, pause(FLUSH_WITHIN_MS, over.signal)]);
    over.abort();
    await this.connection.close();
  }

  #subscribe(address: string): Subscription {
    return this.connection.subscribe(address, {
      callback: (error, message) => {
        if (error === null) {
          if (!this.#isOver) this.listener.message(address, message.data);
          return;
        }
        this.#subscriptions.delete(address);
        this.#refused.add(address);
      },
    });
  }

  /** The client makes one write of it. */
  #leave(): void {
    const letters = this.#leaving;
    if (letters.length === 0) return;
    this.#leaving = [];
    if (this.connection.isClosed()) return;
    try {
      for (const { address, bytes } of letters) this.connection.publish(address, bytes);
    } catch {
      // It is not known which of them the broker gets, so that none may be confirmed.
      void this.connection.close();
    }
  }

  /** The client leaves those waiting who flush a connection that is then lost. */
  #ask(answered: (failure: Error | null) => void): void {
    const lose = (): void => answered(new SessionLost());
    if (this.connection.isClosed()) {
      lose();
      return;
    }
    this.#waiting.add(lose);
    this.connection
      .flush()
      .then(() => answered(null), lose)
      .finally(() => this.#waiting.delete(lose));
  }

  async #untilClosed(): Promise<void> {
    const error = await this.connection.closed();
    for (const lose of this.#waiting) lose();
    this.onEvent('closed');
    if (this.#isOver) return;
    this.#isOver = true;
    this.onEvent('disconnected');
    this.listener.lost(error instanceof Error ? error.message : 'the connection was closed');
  }

  async #watch(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === 'error') this.onEvent('server_error');
      else if (type === 'slowConsumer') this.onEvent('slow_consumer');
      else if (type === 'ldm') this.onEvent('lame_duck');
    }
  }
}
