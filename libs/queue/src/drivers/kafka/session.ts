import { isTooLarge, RecordSender } from '@carillon/kafka';
import type { Admin, Producer } from 'kafkajs';
import { InvalidJob, QueueUnavailable } from '../../failures.js';
import type { QueueConsumer } from './queue-consumer.js';

export interface KafkaSessionOptions {
  readonly admin: Admin;
  readonly producer: Producer;
  readonly timeoutMs: number;
  /** Called once when the session ends without having been closed. */
  readonly onLost: (reason: string) => void;
}

/**
 * Connections to Kafka: one for administrative requests, one producer, a consumer for each queue. A failed produce
 * request ends the session as a whole, which never recovers; a failed consumer ends alone.
 */
export class KafkaQueueSession {
  readonly #sender: RecordSender;
  readonly #consumers = new Set<QueueConsumer>();
  #isOver = false;

  constructor(private readonly options: KafkaSessionOptions) {
    this.#sender = new RecordSender({
      producer: options.producer,
      timeoutMs: options.timeoutMs,
      lostError: (reason) => new QueueUnavailable(reason),
      onFailure: (reason) => this.lose(reason),
    });
  }

  /** Resolves when all in-sync replicas have the text. Rejects with `InvalidJob` above the broker's size limit. */
  async send(topic: string, key: string, text: string, partition?: number): Promise<void> {
    try {
      await this.#sender.send(topic, key, text, partition);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      throw new InvalidJob(`job of ${text.length} characters exceeds max.message.bytes of topic ${topic}`);
    }
  }

  /** Runs an administrative request; every failure is a `QueueUnavailable`. */
  async ask<Answer>(request: (admin: Admin) => Promise<Answer>): Promise<Answer> {
    if (this.#isOver) throw new QueueUnavailable('the connection to Kafka was lost');
    try {
      return await request(this.options.admin);
    } catch (error) {
      throw new QueueUnavailable(error instanceof Error ? error.message : 'Kafka does not answer');
    }
  }

  /** Starts a consumer that ends with the session. `onLost` is called when it ends before. */
  async consume(
    make: (admin: Admin, onLost: (reason: string) => void) => QueueConsumer,
    onLost: (reason: string) => void,
  ): Promise<QueueConsumer> {
    const consumer = make(this.options.admin, (reason) => {
      this.#consumers.delete(consumer);
      void consumer.disconnect();
      onLost(reason);
    });
    this.#consumers.add(consumer);
    await consumer.start();
    return consumer;
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    await Promise.all([...this.#consumers].map((consumer) => consumer.stop()));
    await this.#sender.idle();
    this.#isOver = true;
    this.#sender.end('the session was closed');
    await this.#disconnect();
  }

  /** Ends the session; unconfirmed records reject. Idempotent. */
  lose(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const consumer of this.#consumers) consumer.end();
    this.#sender.end(reason);
    void this.#disconnect();
    this.options.onLost(reason);
  }

  async #disconnect(): Promise<void> {
    const { admin, producer } = this.options;
    await Promise.allSettled([
      ...[...this.#consumers].map((consumer) => consumer.disconnect()),
      producer.disconnect(),
      admin.disconnect(),
    ]);
  }
}
