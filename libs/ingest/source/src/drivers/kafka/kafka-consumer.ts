import type { Consumer, EachBatchPayload, KafkaConfig, KafkaMessage, Producer } from 'kafkajs';
import type { DeadLetter, ReceivedMessage } from '../../consumer/message.js';
import type { ConsumerDriver, ConsumerSession } from '../../consumer/session.js';
import { Ledger } from '../../ledger.js';

export interface KafkaOptions {
  readonly client: KafkaConfig;
  readonly topics: readonly string[];
  readonly group: string;
  /** Null: dead letters are dropped. */
  readonly deadLetterTopic: string | null;
}

const FETCH_MS = 1000;
const COMMIT_MS = 1000;
const BUFFERED = 500;
const POLL_MS = 50;
const SESSION_TIMEOUT_MS = 10_000;

/** Consumes topics of Kafka as a member of a group. */
export class KafkaDriver implements ConsumerDriver {
  constructor(private readonly options: KafkaOptions) {}

  async open(): Promise<ConsumerSession> {
    const { Kafka, logLevel } = (await import('kafkajs')).default;
    const kafka = new Kafka({ ...this.options.client, logLevel: logLevel.NOTHING });
    const consumer = kafka.consumer({ groupId: this.options.group, sessionTimeout: SESSION_TIMEOUT_MS });
    const session = new KafkaSession(
      this.options,
      consumer,
      kafka.producer({ allowAutoTopicCreation: false }),
    );
    try {
      await session.start();
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }
}

interface Partition {
  readonly topic: string;
  readonly number: number;
  readonly ledger: Ledger<bigint>;
}

/** Membership of one generation of the group: a rebalance ends it, since partitions may then belong to others. */
class KafkaSession implements ConsumerSession {
  readonly #controller = new AbortController();
  readonly #partitions = new Map<string, Partition>();
  readonly #ends = new Map<ReceivedMessage, () => void>();
  #buffer: ReceivedMessage[] = [];
  #committedAtMs = performance.now();
  #isClosing = false;

  constructor(
    private readonly options: KafkaOptions,
    private readonly consumer: Consumer,
    private readonly producer: Producer,
  ) {}

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async start(): Promise<void> {
    const { consumer, options } = this;
    let hasJoined = false;
    consumer.on(consumer.events.GROUP_JOIN, () => {
      // The first join of the session gives it its partitions; a second one may take them.
      if (hasJoined) this.#end(new Error('the group was rebalanced'));
      hasJoined = true;
    });
    consumer.on(consumer.events.CRASH, ({ payload }) => this.#end(payload.error));
    await consumer.connect();
    if (options.deadLetterTopic !== null) await this.producer.connect();
    await consumer.subscribe({ topics: [...options.topics], fromBeginning: true });
    await consumer.run({ autoCommit: false, eachBatch: (batch) => this.#receive(batch) });
  }

  async fetch(max: number): Promise<readonly ReceivedMessage[]> {
    const untilMs = performance.now() + FETCH_MS;
    while (this.#buffer.length === 0 && performance.now() < untilMs && !this.signal.aborted) {
      await this.#commit(false);
      await new Promise((later) => setTimeout(later, POLL_MS));
    }
    return this.#buffer.splice(0, max);
  }

  async acknowledge(message: ReceivedMessage): Promise<void> {
    this.#ends.get(message)?.();
    this.#ends.delete(message);
    await this.#commit(false);
  }

  async storeDeadLetter({ message, headers }: DeadLetter): Promise<void> {
    const { deadLetterTopic: topic } = this.options;
    if (topic === null) return;
    const value = message.payload === null ? null : Buffer.from(message.payload);
    await this.producer.send({ topic, messages: [{ key: message.key, value, headers: { ...headers } }] });
  }

  /** The client library sends heartbeats. */
  async renew(): Promise<void> {}

  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    await this.#commit(true).catch(() => {});
    this.#end(new Error('the session was closed'));
    await Promise.allSettled([this.consumer.disconnect(), this.producer.disconnect()]);
  }

  /** Buffers a batch; while the buffer is full no further batch is fetched, and the membership is kept up. */
  async #receive({ batch, heartbeat, isRunning, isStale }: EachBatchPayload): Promise<void> {
    const { topic, partition: number } = batch;
    const name = `${topic}/${number}`;
    let partition = this.#partitions.get(name);
    if (partition === undefined) {
      partition = { topic, number, ledger: new Ledger<bigint>() };
      this.#partitions.set(name, partition);
    }
    for (const message of batch.messages) {
      while (this.#buffer.length >= BUFFERED && isRunning() && !isStale() && !this.signal.aborted) {
        await heartbeat();
        await new Promise((later) => setTimeout(later, POLL_MS));
      }
      if (!isRunning() || isStale() || this.signal.aborted) return;
      this.#add(partition, message);
    }
    await heartbeat();
  }

  #add({ topic, number, ledger }: Partition, message: KafkaMessage): void {
    const { offset, timestamp, key, value } = message;
    const one: ReceivedMessage = {
      payload: value,
      headers: headersOf(message),
      key: key?.toString() ?? null,
      topic,
      position: `${topic}\0${number}\0${offset}\0${timestamp}`,
      origin: `${topic}/${number}/${offset}`,
      atMs: Number(timestamp),
    };
    this.#ends.set(
      one,
      ledger.add(BigInt(offset), { atMs: one.atMs, bytes: value?.length ?? 0 }, performance.now()),
    );
    this.#buffer.push(one);
  }

  /** Commits the offset behind the last message before the first one without an end, at most once a second. */
  async #commit(isNow: boolean): Promise<void> {
    if (this.signal.aborted || (!isNow && performance.now() - this.#committedAtMs < COMMIT_MS)) return;
    this.#committedAtMs = performance.now();
    const offsets = [...this.#partitions.values()].flatMap(({ topic, number, ledger }) => {
      const passed = ledger.takePassed();
      return passed === null ? [] : [{ topic, partition: number, offset: String(passed + 1n) }];
    });
    if (offsets.length > 0) await this.consumer.commitOffsets(offsets);
  }

  #end(reason: Error): void {
    this.#buffer = [];
    this.#controller.abort(reason);
  }
}

function headersOf({ headers = {} }: KafkaMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const [first] = Array.isArray(value) ? value : [value];
      return first === undefined ? [] : [[name.toLowerCase(), first.toString()]];
    }),
  );
}
