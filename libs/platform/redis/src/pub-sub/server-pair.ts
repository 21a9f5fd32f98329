import type { Redis } from 'ioredis';
import { RedisUnavailable } from '../failures.js';
import { unavailable } from '../unavailable.js';
import { untilReady } from './until-ready.js';
import type { Dialect, PubSubListener } from './pub-sub.js';

/** Two connections to one server: published messages must not queue behind received ones. */
export class ServerPair {
  readonly #connections: readonly Redis[];
  #reason: string | null = null;
  #isOver = false;

  constructor(
    private readonly publisher: Redis,
    private readonly subscriber: Redis,
    private readonly listener: PubSubListener,
  ) {
    this.#connections = [publisher, subscriber];
    for (const connection of this.#connections) {
      connection.on('error', ({ message }: Error) => (this.#reason ??= message));
      connection.on('end', () => this.#lose('the connection was closed'));
      // The slot of a sharded channel went to another server.
      connection.on('moved', () => this.#lose('the cluster has moved slots'));
    }
    const told = (channel: Buffer, bytes: Buffer): void => {
      if (!this.#isOver) listener.message(channel.toString(), bytes);
    };
    subscriber.on('messageBuffer', told);
    subscriber.on('smessageBuffer', told);
    subscriber.on('pmessageBuffer', (pattern: Buffer | string, _: Buffer, bytes: Buffer) => {
      if (!this.#isOver) listener.message(pattern.toString(), bytes);
    });
  }

  /** Rejects, with nothing left open, when one of the connections cannot be had. */
  async connect(): Promise<void> {
    try {
      await Promise.all(this.#connections.map(untilReady));
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** @returns how many subscribers of this server got it */
  async publish({ publish }: Dialect, channel: string, text: string): Promise<number> {
    return Number(await this.#call(() => this.publisher.call(publish, channel, text)));
  }

  /** @returns whether the server took it */
  subscribe({ subscribe }: Dialect, channel: string): Promise<boolean> {
    return this.#taken(() => this.subscriber[subscribe](channel));
  }

  subscribePattern(pattern: string): Promise<boolean> {
    return this.#taken(() => this.subscriber.psubscribe(pattern));
  }

  async unsubscribePattern(pattern: string): Promise<void> {
    await this.#call(() => this.subscriber.punsubscribe(pattern));
  }

  async #taken(send: () => Promise<unknown>): Promise<boolean> {
    try {
      await this.#call(send);
      return true;
    } catch (error) {
      if (error instanceof RedisUnavailable && error.failure === 'refused') return false;
      throw error;
    }
  }

  async unsubscribe({ unsubscribe }: Dialect, channel: string): Promise<void> {
    await this.#call(() => this.subscriber[unsubscribe](channel));
  }

  /** Rejects when one of the connections does not answer. */
  async check(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => this.#call(() => connection.ping())));
  }

  call(command: string, ...args: readonly string[]): Promise<unknown> {
    return this.#call(() => this.publisher.call(command, ...args));
  }

  /** Idempotent. */
  close(): void {
    this.#isOver = true;
    for (const connection of this.#connections) connection.disconnect();
  }

  async #call(send: () => Promise<unknown>): Promise<unknown> {
    try {
      return await send();
    } catch (error) {
      const failure = unavailable(error);
      // Another server serves it now. All is done again there, in order, rather than one command alone.
      if (/^(?:MOVED|ASK|READONLY|CLUSTERDOWN|LOADING|MASTERDOWN) /.test(failure.message)) {
        this.#lose(failure.message);
        throw new RedisUnavailable('lost', failure.message, error);
      }
      throw failure;
    }
  }

  #lose(reason: string): void {
    if (this.#isOver) return;
    this.close();
    this.listener.lost(this.#reason ?? reason);
  }
}
