import type { Channel, ChannelModel, ConfirmChannel, GetMessage, Options } from 'amqplib';
import { randomUUID } from 'node:crypto';
import { QueueFull, QueueUnavailable } from '../../failures.js';
import { RabbitConsumer } from './consumer.js';

export interface SessionParts {
  readonly connection: ChannelModel;
  readonly timeoutMs: number;
  /** Called once when the session ends without `close`. */
  readonly lost: (reason: string) => void;
}

type Headers = Readonly<Record<string, number | string>>;

/** One connection to RabbitMQ, not reused after its end; the broker redelivers unacknowledged messages. */
export class RabbitSession {
  #publishing: ConfirmChannel | null = null;
  /** Names of messages that the broker returned because no queue accepts them. */
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

  /** Creates the queue unless it exists, with any options. */
  async make(name: string, options: Options.AssertQueue): Promise<void> {
    if ((await this.count(name)) === null) await this.alone((channel) => channel.assertQueue(name, options));
  }

  /** Number of ready messages; null if the queue does not exist. */
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

  /** Consumes a queue with a limit of unacknowledged messages. */
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
   * Runs on a separate channel, which is closed afterwards and by refusals; unacknowledged messages then return to
   * their position.
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

  /** Waits until acknowledgements are sent. */
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

  /** Converts channel errors into session failures. */
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
