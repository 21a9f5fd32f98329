import type { Channel, ChannelModel, ConfirmChannel, GetMessage, Options } from 'amqplib';
import { randomUUID } from 'node:crypto';
import { QueueFull, QueueUnavailable } from '../../failures.js';
import { RabbitConsumer } from './consumer.js';

export interface SessionParts {
  readonly connection: ChannelModel;
  readonly timeoutMs: number;
  /** Told once, when it is over without having been closed. */
  readonly lost: (reason: string) => void;
}

type Headers = Readonly<Record<string, number | string>>;

/** One connection to RabbitMQ. It never comes back when it is over; what was unacknowledged the broker gives to others. */
export class RabbitSession {
  #publishing: ConfirmChannel | null = null;
  /** What the broker gave back because no queue takes it, by the name of the message. */
  readonly #returned = new Set<string>();
  #isOver = false;

  constructor(private readonly parts: SessionParts) {}

  async open(): Promise<this> {
    const { connection } = this.parts;
    this.#watch(connection);
    const publishing = await connection.createConfirmChannel();
    this.#watch(publishing);
    publishing.on('return', ({ properties }: GetMessage) => this.#returned.add(String(properties.messageId)));
    this.#publishing = publishing;
    return this;
  }

  /** Makes the queue unless it is there, however its operator made it. */
  async make(name: string, options: Options.AssertQueue): Promise<void> {
    if ((await this.count(name)) === null) await this.alone((channel) => channel.assertQueue(name, options));
  }

  /** How many messages are ready in a queue; null: there is no such queue. */
  async count(name: string): Promise<number | null> {
    try {
      return await this.alone(async (channel) => (await channel.checkQueue(name)).messageCount);
    } catch (error) {
      if (error instanceof QueueUnavailable && error.message.includes('NOT_FOUND')) return null;
      throw error;
    }
  }

  /** Resolves when the broker is answerable for the message. Rejects with `QueueFull` where it does not take it. */
  publish(queue: string, text: string, headers: Headers): Promise<void> {
    const messageId = randomUUID();
    const options = { persistent: true, mandatory: true, messageId, timestamp: Date.now(), headers };
    return this.#told(
      () =>
        new Promise((resolve, reject) => {
          this.#publishing?.sendToQueue(queue, Buffer.from(text), options, (refusal: unknown) => {
            if (this.#returned.delete(messageId)) reject(new QueueUnavailable('the queue is gone'));
            else if (refusal === null || refusal === undefined) resolve();
            else reject(this.#isOver ? new QueueUnavailable('the connection was lost') : new QueueFull(null));
          });
        }),
    );
  }

  /** Takes what is in the queue as it comes, so many unacknowledged at a time. */
  consume(queue: string, prefetch: number, came: () => void): Promise<RabbitConsumer> {
    return this.#told(async () => {
      const channel = await this.parts.connection.createChannel();
      this.#watch(channel);
      const consumer = new RabbitConsumer(channel, came, () => this.#lose('the queue was deleted'));
      await consumer.begin(queue, prefetch);
      return consumer;
    });
  }

  /**
   * On a channel of its own, which ends with what the broker refuses and at the end; what was taken from a queue and not
   * acknowledged then goes back to its place.
   */
  alone<Result>(use: (channel: Channel) => Promise<Result>): Promise<Result> {
    return this.#told(async () => {
      const channel = await this.parts.connection.createChannel();
      channel.on('error', () => undefined);
      try {
        return await use(channel);
      } finally {
        await channel.close().catch(() => undefined);
      }
    });
  }

  /** Lets what was acknowledged leave. */
  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await this.parts.connection.close().catch(() => undefined);
  }

  async #told<Value>(call: () => Promise<Value>): Promise<Value> {
    if (this.#isOver) throw new QueueUnavailable('the connection was lost');
    const { timeoutMs } = this.parts;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new QueueUnavailable(`no answer in ${timeoutMs} ms`)), timeoutMs);
    });
    try {
      return await Promise.race([call(), late]);
    } catch (error) {
      if (error instanceof QueueUnavailable || error instanceof QueueFull) throw error;
      throw new QueueUnavailable(error instanceof Error ? error.message : 'refused by the broker');
    } finally {
      clearTimeout(timer);
    }
  }

  /** Whatever the broker refuses on them is a fault of the session. */
  #watch(one: Channel | ChannelModel): void {
    one.on('error', (error: Error) => this.#lose(error.message));
    one.on('close', () => {
      if (one === this.parts.connection || one === this.#publishing) this.#lose('the connection was closed');
    });
  }

  #lose(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.parts.connection.close().catch(() => undefined);
    this.parts.lost(reason);
  }
}
