import { randomUUID } from 'node:crypto';
import type { BrokerNames } from '@carillon/contracts';
import { PulsarConsumer, type PulsarClientOptions, PulsarProducer } from '@carillon/pulsar';
import { SessionLost, type Session, type SessionListener } from '../../cluster/wire.js';
import { PulsarLanes } from './pulsar-lanes.js';

export interface PulsarSessionParts {
  readonly names: BrokerNames;
  readonly client: PulsarClientOptions;
  /** Topic without subscriptions that health checks publish to. */
  readonly healthTopic: string;
  readonly listener: SessionListener;
}

/** Messages that are delivered and not acknowledged; beyond, the broker keeps them. */
const MAX_UNACKNOWLEDGED = 1000;

/**
 * A set of connections to Pulsar: a producer for each topic that was published to, a consumer for each that is heard.
 * An address is a topic; to subscribe is to open a non-durable exclusive subscription at its end. The loss of one
 * connection ends the session.
 */
export class PulsarSession implements Session {
  readonly lanes: PulsarLanes;
  readonly #parts: PulsarSessionParts;
  readonly #subscription = `node-${randomUUID()}`;
  readonly #producers = new Map<string, PulsarProducer>();
  readonly #consumers = new Map<string, Promise<PulsarConsumer>>();
  readonly #heard = new Set<string>();
  #isOver = false;
  #failure: string | null = null;

  constructor(parts: PulsarSessionParts) {
    this.#parts = parts;
    const { names, client } = parts;
    this.lanes = new PulsarLanes({
      names,
      client,
      send: (topic, text) => this.publish(topic, text),
      hear: async () => void (await this.#consumer(names.responses)),
      onLost: (reason) => this.#lose(reason),
      isOver: () => this.#isOver,
    });
  }

  /** Why the session ended. Null: it did not, or was closed. */
  get failure(): string | null {
    return this.#failure;
  }

  async publish(address: string, text: string): Promise<void> {
    if (this.#isOver) throw new SessionLost();
    await this.#producer(address).send({ text });
  }

  async subscribe(addresses: readonly string[]): Promise<readonly string[]> {
    const { broadcast, requests, responses, writers } = this.#parts.names;
    const known = new Set([broadcast, requests, responses, writers]);
    const wanted = addresses.filter((address) => known.has(address));
    for (const address of wanted) this.#heard.add(address);
    await Promise.all(wanted.map((address) => this.#consumer(address)));
    return addresses.filter((address) => !known.has(address));
  }

  async unsubscribe(addresses: readonly string[]): Promise<void> {
    if (this.#isOver) throw new SessionLost();
    for (const address of addresses) this.#heard.delete(address);
    // Answers to lanes come on the same topic.
    const unneeded = addresses.filter((address) => address !== this.#parts.names.responses);
    await Promise.all(unneeded.map((address) => this.#leave(address)));
  }

  /** Publishes to the health topic, so that broker and storage answer. */
  async check(): Promise<void> {
    await this.publish(this.#parts.healthTopic, '');
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    await Promise.all([...this.#producers.values()].map((producer) => producer.idle()));
    this.#isOver = true;
    await this.#closeAll();
  }

  #producer(topic: string): PulsarProducer {
    const found = this.#producers.get(topic);
    if (found !== undefined) return found;
    const made = new PulsarProducer({
      ...this.#parts.client,
      topic,
      lostError: (reason) => new SessionLost(reason),
      onLost: (reason) => this.#lose(reason),
    });
    this.#producers.set(topic, made);
    return made;
  }

  async #consumer(topic: string): Promise<PulsarConsumer> {
    if (this.#isOver) throw new SessionLost();
    const opening =
      this.#consumers.get(topic) ??
      PulsarConsumer.open({
        ...this.#parts.client,
        topic,
        subscription: this.#subscription,
        type: 'Exclusive',
        mode: 'NonDurable',
        from: 'Latest',
        maxUnacknowledged: MAX_UNACKNOWLEDGED,
        onMessage: ({ id, payload }) => void this.#receive(topic, id, payload),
        onLost: (reason) => this.#lose(reason),
      });
    this.#consumers.set(topic, opening);
    try {
      const consumer = await opening;
      if (this.#isOver) await consumer.close();
      return consumer;
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'the consumer was not created';
      this.#lose(reason);
      throw new SessionLost(reason);
    }
  }

  async #receive(topic: string, id: string, payload: Buffer): Promise<void> {
    if (this.#isOver) return;
    if (topic === this.#parts.names.responses) this.lanes.overheard(payload);
    if (this.#heard.has(topic)) this.#parts.listener.message(topic, payload);
    const consumer = await this.#consumers.get(topic);
    consumer?.acknowledge(id);
  }

  async #leave(topic: string): Promise<void> {
    const opening = this.#consumers.get(topic);
    this.#consumers.delete(topic);
    await (await opening)?.close();
  }

  #lose(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = reason;
    void this.#closeAll();
    this.#parts.listener.lost(reason);
  }

  async #closeAll(): Promise<void> {
    const consumers = [...this.#consumers.values()].map(async (opening) => (await opening).close());
    const producers = [...this.#producers.values()].map((producer) => producer.close());
    await Promise.allSettled([this.lanes.close(), ...consumers, ...producers]);
  }
}
