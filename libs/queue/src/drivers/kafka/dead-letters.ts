import { randomUUID } from 'node:crypto';
import type { Consumer, KafkaMessage } from 'kafkajs';
import { letterOf, replayOf } from '../../broker/delivered.js';
import { encodeDead, encodeJob, type Death } from '../../broker/envelope.js';
import { QueueUnavailable } from '../../failures.js';
import { MAX_BYTES } from '../../job-store.js';
import type { DeadLetter } from '../../port.js';
import type { KafkaQueueNames } from './names.js';
import type { KafkaQueueSession } from './session.js';

export interface KafkaDeadLettersOptions {
  /** Newest dead letters that are kept. */
  readonly retention: number;
  readonly timeoutMs: number;
  readonly newConsumer: (groupId: string) => Consumer;
}

/** Dead letters that may exceed the retention before the oldest are deleted. */
const TRIM_EVERY = 100;

interface Bounds {
  /** Offset of the oldest dead letter. */
  readonly low: number;
  /** Offset behind the newest one. */
  readonly high: number;
}

interface StoredLetter {
  readonly offset: number;
  readonly text: string;
}

/**
 * Dead letters of a queue: a topic with one partition, whose offsets are their ids. Kafka only deletes from the oldest
 * record on, so `remove` stops at the first letter that was not named.
 */
export class KafkaDeadLetters {
  #buried = 0;

  constructor(private readonly options: KafkaDeadLettersOptions) {}

  /** Resolves when the dead letter is stored, or immediately when none are kept. */
  async bury(
    session: KafkaQueueSession,
    { dead }: KafkaQueueNames,
    text: string,
    death: Death,
  ): Promise<void> {
    const { retention } = this.options;
    if (retention === 0) return;
    await session.send(dead, '', encodeDead(text, death));
    this.#buried += 1;
    if (this.#buried % TRIM_EVERY !== 0) return;
    const { low, high } = await this.#bounds(session, dead);
    if (high - low > retention) await this.#deleteBelow(session, dead, high - retention);
  }

  async count(session: KafkaQueueSession, { dead }: KafkaQueueNames): Promise<number> {
    const { low, high } = await this.#bounds(session, dead);
    return high - low;
  }

  async list(
    session: KafkaQueueSession,
    { dead }: KafkaQueueNames,
    limit: number,
  ): Promise<readonly DeadLetter[]> {
    const letters = await this.#oldest(session, dead, limit);
    return letters.map(({ offset, text }) => letterOf(String(offset), text));
  }

  async replay(session: KafkaQueueSession, { dead, topic }: KafkaQueueNames, limit: number): Promise<number> {
    const letters = await this.#oldest(session, dead, limit);
    for (const { offset, text } of letters) {
      const { job, text: original } = replayOf(text);
      await session.send(topic, job?.id ?? '', job === null ? original : encodeJob(job));
      await this.#deleteBelow(session, dead, offset + 1);
    }
    return letters.length;
  }

  async remove(
    session: KafkaQueueSession,
    { dead }: KafkaQueueNames,
    ids: readonly string[],
  ): Promise<number> {
    const { low, high } = await this.#bounds(session, dead);
    const wanted = new Set(ids);
    let end = low;
    while (end < high && wanted.has(String(end))) end += 1;
    if (end > low) await this.#deleteBelow(session, dead, end);
    return end - low;
  }

  async #bounds(session: KafkaQueueSession, topic: string): Promise<Bounds> {
    const [bounds] = await session.ask((admin) => admin.fetchTopicOffsets(topic));
    return { low: Number(bounds?.low ?? 0), high: Number(bounds?.high ?? 0) };
  }

  async #deleteBelow(session: KafkaQueueSession, topic: string, offset: number): Promise<void> {
    const partitions = [{ partition: 0, offset: String(offset) }];
    await session.ask((admin) => admin.deleteTopicRecords({ topic, partitions }));
  }

  /** Up to `limit` dead letters, fewer when they are large together. */
  async #oldest(session: KafkaQueueSession, topic: string, limit: number): Promise<readonly StoredLetter[]> {
    const { low, high } = await this.#bounds(session, topic);
    if (low === high || limit < 1) return [];
    return this.#read(topic, high, limit);
  }

  /** Reads from the oldest record up to `end` with a consumer group of its own, which leaves no trace. */
  async #read(topic: string, end: number, limit: number): Promise<readonly StoredLetter[]> {
    const consumer = this.options.newConsumer(`${topic}.reader-${randomUUID()}`);
    const letters: StoredLetter[] = [];
    let bytes = 0;
    const isComplete = ({ offset, value }: KafkaMessage): boolean => {
      const place = Number(offset);
      const text = value?.toString('utf8') ?? '';
      bytes += text.length;
      if (place < end && letters.length < limit) letters.push({ offset: place, text });
      return place >= end - 1 || letters.length >= limit || bytes >= MAX_BYTES;
    };
    let timer: NodeJS.Timeout | undefined;
    try {
      await consumer.connect();
      await consumer.subscribe({ topics: [topic], fromBeginning: true });
      await new Promise<void>((resolve, reject) => {
        const fail = (reason: string) => reject(new QueueUnavailable(reason));
        timer = setTimeout(() => fail(`topic ${topic} was not read in time`), this.options.timeoutMs * 2);
        consumer.on(consumer.events.CRASH, ({ payload }) => fail(payload.error.message));
        const eachBatch = ({ batch }: { batch: { messages: readonly KafkaMessage[] } }): Promise<void> => {
          if (batch.messages.some(isComplete)) resolve();
          return Promise.resolve();
        };
        consumer.run({ autoCommit: false, eachBatch }).catch(reject);
      });
      return letters;
    } catch (error) {
      throw error instanceof QueueUnavailable
        ? error
        : new QueueUnavailable(error instanceof Error ? error.message : 'dead letters were not read');
    } finally {
      clearTimeout(timer);
      await consumer.disconnect().catch(() => undefined);
    }
  }
}
