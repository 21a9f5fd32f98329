import type { Channel, ChannelModel, ConfirmChannel, ConsumeMessage } from 'amqplib';
import { randomUUID } from 'node:crypto';
import type { DeadLetter, ReceivedMessage } from '../../consumer/message.js';
import type { ConsumerDriver, ConsumerSession } from '../../consumer/session.js';

export interface RabbitOptions {
  readonly url: string;
  readonly queue: string;
  readonly prefetch: number;
  /** Null: dead letters are dropped. */
  readonly deadLetter: { readonly exchange: string; readonly routingKey: string } | null;
}

const CONNECT_MS = 5000;
const HEARTBEAT_S = 5;
const WAIT_MS = 1000;

/** Consumes a queue of RabbitMQ. Order needs a queue with `x-single-active-consumer`. */
export class RabbitDriver implements ConsumerDriver {
  constructor(private readonly options: RabbitOptions) {}

  async open(): Promise<ConsumerSession> {
    const { connect } = (await import('amqplib')).default;
    const url = new URL(this.options.url);
    url.searchParams.set('heartbeat', String(HEARTBEAT_S));
    const connection = await connect(url.href, { timeout: CONNECT_MS });
    const session = new RabbitConsumerSession(this.options, connection);
    try {
      await session.start();
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }
}

class RabbitConsumerSession implements ConsumerSession {
  readonly #controller = new AbortController();
  readonly #open = new Map<ReceivedMessage, ConsumeMessage>();
  #channel: Channel | null = null;
  #publishing: ConfirmChannel | null = null;
  #buffer: ReceivedMessage[] = [];
  #arrived: () => void = () => {};

  constructor(
    private readonly options: RabbitOptions,
    private readonly connection: ChannelModel,
  ) {
    this.#watch(connection);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async start(): Promise<void> {
    const { queue, prefetch } = this.options;
    this.#channel = await this.connection.createChannel();
    this.#watch(this.#channel);
    await this.#channel.prefetch(prefetch);
    if (this.options.deadLetter !== null) {
      this.#publishing = await this.connection.createConfirmChannel();
      this.#watch(this.#publishing);
    }
    await this.#channel.consume(queue, (message) => {
      // Null: the queue was deleted.
      if (message === null) this.#end(new Error('the queue was deleted'));
      else this.#receive(message);
    });
  }

  async fetch(max: number): Promise<readonly ReceivedMessage[]> {
    if (this.#buffer.length === 0) await this.#arrival();
    return this.#buffer.splice(0, max);
  }

  async acknowledge(message: ReceivedMessage): Promise<void> {
    const delivery = this.#open.get(message);
    this.#open.delete(message);
    if (delivery !== undefined && !this.signal.aborted) this.#channel?.ack(delivery);
  }

  async storeDeadLetter({ message, headers }: DeadLetter): Promise<void> {
    const { deadLetter } = this.options;
    const publishing = this.#publishing;
    if (deadLetter === null || publishing === null) return;
    const content = Buffer.from(message.payload ?? []);
    publishing.publish(deadLetter.exchange, deadLetter.routingKey, content, { persistent: true, headers });
    await publishing.waitForConfirms();
  }

  /** Deliveries have no deadline while the connection lives. */
  async renew(): Promise<void> {}

  async close(): Promise<void> {
    this.#end(new Error('the session was closed'));
    await this.connection.close().catch(() => {});
  }

  #receive(delivery: ConsumeMessage): void {
    const { properties, fields, content } = delivery;
    const headers = Object.fromEntries(
      Object.entries(properties.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
    );
    const id: unknown = properties.messageId;
    const messageId = typeof id === 'string' && id !== '' ? id : null;
    const one: ReceivedMessage = {
      payload: content,
      headers,
      key: fields.routingKey,
      topic: this.options.queue,
      // Without an id nothing tells a redelivery from a new message.
      position: `${this.options.queue}\0${messageId ?? randomUUID()}`,
      origin: messageId ?? String(fields.deliveryTag),
      atMs: timeOf(properties.timestamp) ?? Date.now(),
    };
    this.#open.set(one, delivery);
    this.#buffer.push(one);
    this.#arrived();
  }

  /** Resolves when a message has arrived, the session has ended or a second has passed. */
  #arrival(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, WAIT_MS);
      this.#arrived = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #watch(one: Channel | ChannelModel): void {
    one.on('error', (error: Error) => this.#end(error));
    one.on('close', () => this.#end(new Error('the connection was closed')));
  }

  #end(reason: Error): void {
    this.#buffer = [];
    this.#controller.abort(reason);
    this.#arrived();
  }
}

/** Timestamps are seconds in the protocol; some publishers write milliseconds. */
function timeOf(timestamp: unknown): number | null {
  if (typeof timestamp !== 'number' || timestamp <= 0) return null;
  return timestamp < 100_000_000_000 ? timestamp * 1000 : timestamp;
}
