import { RecordSender } from '@carillon/kafka';
import type { Admin, Batch, Consumer, Producer } from 'kafkajs';
import { SessionLost, type Session, type SessionListener } from '../../cluster/wire.js';
import { KafkaLanes, type LaneTopics } from './kafka-lanes.js';

export interface KafkaParts {
  readonly admin: Admin;
  readonly producer: Producer;
  readonly consumer: Consumer;
  /** Topics read by the consumer. */
  readonly topics: readonly string[];
  readonly laneTopics: LaneTopics;
  readonly timeoutMs: number;
  readonly listener: SessionListener;
}

const NOTHING = Buffer.alloc(0);

/**
 * One set of connections to Kafka. An address is a topic. All topics are read from the start of the session; a
 * subscription only selects the records that are delivered.
 */
export class KafkaSession implements Session {
  readonly lanes: KafkaLanes;
  readonly #parts: KafkaParts;
  readonly #sender: RecordSender;
  readonly #heard = new Set<string>();
  #isOver = false;

  constructor(parts: KafkaParts) {
    this.#parts = parts;
    this.#sender = new RecordSender({
      producer: parts.producer,
      timeoutMs: parts.timeoutMs,
      lostError: (reason) => new SessionLost(reason),
      onFailure: (reason) => this.lose(reason),
    });
    this.lanes = new KafkaLanes({
      admin: parts.admin,
      consumer: parts.consumer,
      topics: parts.laneTopics,
      send: (topic, text, partition) => this.#sender.send(topic, '', text, partition),
      isOver: () => this.#isOver,
    });
  }

  /** Dispatches a batch of the consumer. */
  take({ topic, partition, messages }: Batch): void {
    if (this.#isOver) return;
    for (const { value } of messages) this.lanes.received(topic, partition, value ?? NOTHING);
    if (!this.#heard.has(topic)) return;
    for (const { value } of messages) this.#parts.listener.message(topic, value ?? NOTHING);
  }

  publish(address: string, text: string, key = ''): Promise<void> {
    return this.#sender.send(address, key, text);
  }

  subscribe(addresses: readonly string[]): Promise<readonly string[]> {
    if (this.#isOver) return Promise.reject(new SessionLost());
    const { topics } = this.#parts;
    const [known, unknown] = [true, false].map((isRead) =>
      addresses.filter((address) => topics.includes(address) === isRead),
    );
    for (const address of known ?? []) this.#heard.add(address);
    return Promise.resolve(unknown ?? []);
  }

  unsubscribe(addresses: readonly string[]): Promise<void> {
    if (this.#isOver) return Promise.reject(new SessionLost());
    for (const address of addresses) this.#heard.delete(address);
    return Promise.resolve();
  }

  async check(): Promise<void> {
    if (this.#isOver) throw new SessionLost();
    const { brokers } = await this.#parts.admin.describeCluster();
    if (brokers.length === 0) throw new Error('the cluster has no brokers');
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    await this.#sender.idle();
    this.#isOver = true;
    this.lanes.close();
    this.#sender.end('the session was closed');
    await disconnect(this.#parts);
  }

  /** Ends the session and rejects unconfirmed messages. Idempotent. */
  lose(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.lanes.close();
    this.#sender.end(reason);
    void disconnect(this.#parts);
    this.#parts.listener.lost(reason);
  }
}

/** Disconnects all clients, in any state. */
export async function disconnect(parts: Pick<KafkaParts, 'admin' | 'producer' | 'consumer'>): Promise<void> {
  const { admin, producer, consumer } = parts;
  await Promise.allSettled([consumer.disconnect(), producer.disconnect(), admin.disconnect()]);
}
