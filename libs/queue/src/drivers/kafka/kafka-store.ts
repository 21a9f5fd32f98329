import { randomUUID } from 'node:crypto';
import type { AssignerProtocol, Consumer, PartitionAssigner } from 'kafkajs';
import { type Continuation, continuationOf } from '../../broker/continuation.js';
import { copyOf, firstOf, NOTHING, sorted } from '../../broker/delivered.js';
import { encodeJob, type Envelope } from '../../broker/envelope.js';
import type { BrokerLink } from '../../broker/link.js';
import { Wakeups } from '../../broker/wakeups.js';
import { written } from '../../broker/written.js';
import { QueueUnavailable } from '../../failures.js';
import type {
  Claim,
  ClaimedJob,
  JobStore,
  Outcome,
  PreparedJob,
  Returned,
  Settled,
} from '../../job-store.js';
import type { Reliability } from '../../options.js';
import type { DeadLetter, JobEvent, QueueStats } from '../../port.js';
import { KafkaDeadLetters } from './dead-letters.js';
import { QueueConsumer } from './queue-consumer.js';
import type { ReceivedRecord } from './record-buffer.js';
import { KafkaQueueTopics, type QueueTopics } from './queue-topics.js';
import { readDepths } from './depths.js';
import type { KafkaQueueSession } from './session.js';
import { stickyAssigner } from './sticky-assigner.js';

export interface KafkaStoreOptions {
  readonly link: BrokerLink<KafkaQueueSession>;
  readonly prefix: string;
  readonly reliability: Reliability;
  readonly timeoutMs: number;
  readonly protocol: typeof AssignerProtocol;
  readonly newConsumer: (groupId: string, assigners?: readonly PartitionAssigner[]) => Consumer;
  /** Called when the consumer of a queue failed; the next claim starts another one. */
  readonly onConsumerLost: (queue: string, reason: string) => void;
}

interface Place {
  readonly session: KafkaQueueSession;
  readonly topics: QueueTopics;
}

/** A job that this process works on. */
interface HeldRecord {
  readonly consumer: QueueConsumer;
  readonly record: ReceivedRecord;
  /** The copy or dead letter that replaces it is written. */
  isReplaced: boolean;
}

/** Missed heartbeats after which a lease is no longer confirmed. */
const MAX_MISSED_HEARTBEATS = 2;

/**
 * Jobs in Kafka. A job that is not settled as done continues as a copy: in the retry topic until its next attempt is
 * due, or at the end of its queue.
 */
export class KafkaStore implements JobStore {
  readonly #topics: KafkaQueueTopics;
  readonly #dead: KafkaDeadLetters;
  readonly #consumers = new Map<string, Promise<QueueConsumer>>();
  readonly #held = new Map<string, HeldRecord>();
  readonly #wakeups = new Wakeups();

  constructor(private readonly options: KafkaStoreOptions) {
    const { link, prefix, reliability, timeoutMs, newConsumer } = options;
    this.#topics = new KafkaQueueTopics(prefix);
    const retention = reliability.failed_retention;
    this.#dead = new KafkaDeadLetters({ retention, timeoutMs, newConsumer: (group) => newConsumer(group) });
    link.whenLost(() => {
      this.#consumers.clear();
      this.#held.clear();
    });
  }

  async connect(): Promise<void> {
    await this.health();
  }

  add(queue: string, jobs: readonly PreparedJob[]): Promise<string[]> {
    return this.#at(queue, ({ session, topics }) =>
      written(jobs, (job) => session.send(topics.topic, job.owner ?? job.id, encodeJob(firstOf(job)))),
    );
  }

  claim(queue: string, _token: string, limit: number): Promise<Claim> {
    return this.#at(queue, async (place) => {
      const consumer = await this.#consumer(queue, place);
      const records = consumer.take(limit);
      const jobs: ClaimedJob[] = [];
      let dead = 0;
      try {
        for (const record of records) {
          const found = await this.#sort(place, consumer, record);
          if (found === 'dead') dead += 1;
          else if (found !== 'copied') jobs.push(found);
        }
        if (records.length > 0) await consumer.commit();
      } catch (error) {
        for (const { token } of jobs) this.#held.delete(token);
        consumer.putBack(records);
        throw error;
      }
      return { ...NOTHING, jobs, dead, nextMs: consumer.nextDueMs };
    });
  }

  async wait(queue: string, ms: number, signal: AbortSignal): Promise<void> {
    const consumer = await this.#consumers.get(queue);
    if (consumer?.hasSome !== true) await this.#wakeups.wait(queue, ms, signal);
  }

  settle(queue: string, job: ClaimedJob, outcome: Outcome): Promise<Settled> {
    const next = continuationOf(job, outcome, this.options.reliability);
    return this.#end(job, next.settled, () => this.#continue(queue, job, next));
  }

  /** A lease lasts as long as the partition is assigned and the group coordinator confirms the membership. */
  async renew(queue: string, jobs: readonly ClaimedJob[]): Promise<readonly ClaimedJob[]> {
    const lost = jobs.filter(({ token }) => !this.#owns(token));
    const consumer = await this.#consumers.get(queue);
    const { lease_renew_interval_ms: intervalMs } = this.options.reliability;
    const limitMs = intervalMs * MAX_MISSED_HEARTBEATS + this.options.timeoutMs;
    if (lost.length === 0 && consumer !== undefined && consumer.silentMs > limitMs) {
      throw new QueueUnavailable(
        `no heartbeat of the consumer group for ${Math.round(consumer.silentMs)} ms`,
      );
    }
    return lost;
  }

  /** A begun job counts as delivered; the next owner of its partition finds that in the committed metadata. */
  async release(queue: string, jobs: readonly Returned[]): Promise<void> {
    for (const { job, begun } of jobs) {
      const held = this.#held.get(job.token);
      if (held === undefined) continue;
      if (begun) {
        this.#held.delete(job.token);
        held.consumer.abandon(held.record);
        await held.consumer.stopIfDrained();
      } else {
        await this.#end(job, 'ok', () => this.#moveAway(queue, job, held.consumer));
      }
    }
  }

  async leave(queue: string): Promise<void> {
    const consumer = await this.#consumers.get(queue);
    consumer?.drain();
    await consumer?.stopIfDrained();
  }

  stats(queue: string): Promise<QueueStats> {
    return this.#at(queue, async ({ session, topics }) => ({
      ...(await session.ask((admin) => readDepths(admin, topics))),
      deadLetter: await this.#dead.count(session, topics),
      completed: null,
      oldestReadyAgeMs: null,
      oldestActiveAgeMs: null,
    }));
  }

  listDeadLetters(queue: string, limit: number): Promise<readonly DeadLetter[]> {
    return this.#at(queue, ({ session, topics }) => this.#dead.list(session, topics, limit));
  }

  replayDeadLetters(queue: string, limit: number): Promise<number> {
    return this.#at(queue, ({ session, topics }) => this.#dead.replay(session, topics, limit));
  }

  removeDeadLetters(queue: string, ids: readonly string[]): Promise<number> {
    return this.#at(queue, ({ session, topics }) => this.#dead.remove(session, topics, ids));
  }

  async listEvents(): Promise<readonly JobEvent[]> {
    return [];
  }

  async health(): Promise<void> {
    const session = await this.options.link.session();
    const { brokers } = await session.ask((admin) => admin.describeCluster());
    if (brokers.length === 0) throw new QueueUnavailable('the Kafka cluster reports no brokers');
  }

  async close(): Promise<void> {
    await this.options.link.close();
  }

  /** With the queue's topics created; after a failure they are checked again. */
  async #at<Result>(queue: string, work: (place: Place) => Promise<Result>): Promise<Result> {
    const session = await this.options.link.session();
    try {
      return await work({ session, topics: await this.#topics.of(session, queue) });
    } catch (error) {
      if (error instanceof QueueUnavailable) this.#topics.forget(session, queue);
      throw error;
    }
  }

  #consumer(queue: string, { session, topics }: Place): Promise<QueueConsumer> {
    const found = this.#consumers.get(queue);
    if (found !== undefined) return found;
    const { protocol, newConsumer, reliability } = this.options;
    const made = session.consume(
      (admin, onLost) => {
        const assigner = stickyAssigner(protocol, () => consumer.report());
        const consumer = new QueueConsumer({
          consumer: newConsumer(topics.group, [assigner]),
          admin,
          names: topics,
          maxAttempts: reliability.max_attempts,
          onReceived: () => this.#wakeups.wake(queue),
          onLost,
        });
        return consumer;
      },
      (reason) => {
        if (this.#consumers.get(queue) === made) this.#consumers.delete(queue);
        this.options.onConsumerLost(queue, reason);
      },
    );
    this.#consumers.set(queue, made);
    made.catch(() => this.#consumers.delete(queue));
    return made;
  }

  /**
   * Claims a received record, or copies or buries it. A record that a dead consumer had handed out continues as a copy with
   * a higher attempt count, because the commit does not contain the number of deliveries.
   */
  async #sort(
    { session, topics }: Place,
    consumer: QueueConsumer,
    record: ReceivedRecord,
  ): Promise<ClaimedJob | 'copied' | 'dead'> {
    const { text, count, writtenAtMs, isRedelivered } = record;
    const delivered = { token: randomUUID(), text, count, writtenAtMs };
    const next = sorted(delivered, this.options.reliability.max_attempts);
    if (next.kind === 'job' && !isRedelivered) {
      consumer.handOut(record);
      this.#held.set(next.job.token, { consumer, record, isReplaced: false });
      return next.job;
    }
    if (next.kind === 'dead') await this.#dead.bury(session, topics, text, next.death);
    else if (next.kind === 'job') {
      await session.send(topics.topic, next.job.id, encodeJob(copyOf(next.job, next.job.attempt - 1)));
    }
    consumer.settle(record);
    return next.kind === 'dead' ? 'dead' : 'copied';
  }

  #owns(token: string): boolean {
    const held = this.#held.get(token);
    return held !== undefined && held.consumer.owns(held.record);
  }

  /** Writes the replacement first, then settles: in between there are two, never none. Repeated after a failure. */
  async #end<Done extends Settled>(
    { token }: ClaimedJob,
    done: Done,
    replace: () => Promise<void>,
  ): Promise<Done | 'lost'> {
    const held = this.#held.get(token);
    if (held === undefined || !this.#owns(token)) return 'lost';
    if (!held.isReplaced) await replace();
    held.isReplaced = true;
    if (!this.#owns(token)) return 'lost';
    held.consumer.settle(held.record);
    await held.consumer.commit();
    this.#held.delete(token);
    await held.consumer.stopIfDrained();
    return done;
  }

  async #continue(queue: string, job: ClaimedJob, next: Continuation): Promise<void> {
    if (next.settled === 'dead') {
      await this.#at(queue, (place) => this.#dead.bury(place.session, place.topics, next.text, next.death));
    } else if (next.settled !== 'ok') await this.#copy(queue, job, next.copy);
  }

  #copy(queue: string, { id }: ClaimedJob, copy: Envelope): Promise<void> {
    return this.#at(queue, ({ session, topics }) =>
      session.send(copy.waitMs > 0 ? topics.retry : topics.topic, id, encodeJob(copy)),
    );
  }

  /** Into a partition that other processes get while running jobs keep theirs here. */
  #moveAway(queue: string, job: ClaimedJob, consumer: QueueConsumer): Promise<void> {
    return this.#at(queue, ({ session, topics }) => {
      const partition = consumer.idlePartition(topics.partitions);
      return session.send(topics.topic, job.id, encodeJob(copyOf(job, job.attempt - 1)), partition);
    });
  }
}
