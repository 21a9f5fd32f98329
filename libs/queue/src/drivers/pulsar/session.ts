import {
  type ConsumerOptions,
  MessageRefused,
  type OutgoingMessage,
  type PulsarClientOptions,
  PulsarConsumer,
  PulsarProducer,
} from '@carillon/pulsar';
import { InvalidJob, QueueUnavailable } from '../../failures.js';
import type { PulsarQueueNames } from './names.js';

export interface PulsarSessionOptions {
  readonly client: PulsarClientOptions;
  /** Topic without subscriptions that health checks publish to. */
  readonly healthTopic: string;
  /** Called once when the session ends without having been closed. */
  readonly onLost: (reason: string) => void;
}

type Subscribing = Pick<
  ConsumerOptions,
  'maxUnacknowledged' | 'onMessage' | 'subscription' | 'topic' | 'type'
>;

/** Connections to Pulsar: producers by topic, consumers by use. The loss of one ends the session, which never recovers. */
export class PulsarQueueSession {
  readonly #producers = new Map<string, PulsarProducer>();
  readonly #consumers = new Set<PulsarConsumer>();
  readonly #keepers = new Map<string, Promise<PulsarConsumer>>();
  #isOver = false;

  constructor(private readonly options: PulsarSessionOptions) {}

  /** Resolves when broker and storage answered. */
  async check(): Promise<void> {
    await this.send(this.options.healthTopic, { text: '' });
  }

  /** Resolves with the id of the stored message. Rejects with `InvalidJob` above the size limit. */
  async send(topic: string, message: OutgoingMessage): Promise<string> {
    if (this.#isOver) throw new QueueUnavailable('the connection to Pulsar was lost');
    try {
      return await this.#producer(topic).send(message);
    } catch (error) {
      throw error instanceof MessageRefused ? new InvalidJob(error.message) : error;
    }
  }

  /**
   * Creates the durable subscription of a queue at its first use, so that no job is lost that is written before a worker
   * starts, and keeps a consumer that receives nothing and acknowledges everything.
   */
  keeper({ topic, subscription }: PulsarQueueNames): Promise<PulsarConsumer> {
    const found = this.#keepers.get(topic);
    if (found !== undefined) return found;
    const made = this.subscribe({
      topic,
      subscription,
      type: 'Shared',
      maxUnacknowledged: null,
      onMessage: () => undefined,
    });
    this.#keepers.set(topic, made);
    made.catch(() => this.#keepers.delete(topic));
    return made;
  }

  /** Joins a durable subscription, which is created at the start of the topic. Every failure is a `QueueUnavailable`. */
  async subscribe(subscribing: Subscribing): Promise<PulsarConsumer> {
    try {
      return await this.tryToSubscribe(subscribing);
    } catch (error) {
      throw new QueueUnavailable(error instanceof Error ? error.message : 'the consumer was not created');
    }
  }

  /** Like `subscribe`, but rejects with `PulsarRefused` where the broker refuses it. */
  async tryToSubscribe(subscribing: Subscribing): Promise<PulsarConsumer> {
    if (this.#isOver) throw new QueueUnavailable('the connection to Pulsar was lost');
    const consumer = await PulsarConsumer.open({
      ...this.options.client,
      ...subscribing,
      mode: 'Durable',
      from: 'Earliest',
      onLost: (reason) => this.lose(reason),
    });
    if (this.#isOver) {
      await consumer.close();
      throw new QueueUnavailable('the connection to Pulsar was lost');
    }
    this.#consumers.add(consumer);
    return consumer;
  }

  /** Leaves a subscription; unacknowledged messages go to other consumers. */
  async unsubscribe(consumer: PulsarConsumer): Promise<void> {
    this.#consumers.delete(consumer);
    await consumer.close();
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    await Promise.all([...this.#producers.values()].map((producer) => producer.idle()));
    this.#isOver = true;
    await this.#closeAll();
  }

  /** Ends the session; unconfirmed messages reject. Idempotent. */
  lose(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    void this.#closeAll();
    this.options.onLost(reason);
  }

  #producer(topic: string): PulsarProducer {
    const found = this.#producers.get(topic);
    if (found !== undefined) return found;
    const made = new PulsarProducer({
      ...this.options.client,
      topic,
      lostError: (reason) => new QueueUnavailable(reason),
      onLost: (reason) => this.lose(reason),
    });
    this.#producers.set(topic, made);
    return made;
  }

  async #closeAll(): Promise<void> {
    const all = [...this.#consumers, ...this.#producers.values()];
    this.#consumers.clear();
    await Promise.allSettled(all.map((one) => one.close()));
  }
}
