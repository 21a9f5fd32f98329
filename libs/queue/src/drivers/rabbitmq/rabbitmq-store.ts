import type { ConsumeMessage } from 'amqplib';
import { randomUUID } from 'node:crypto';
import { type Continuation, continuationOf } from '../../broker/continuation.js';
import { copyOf, type Delivered, firstOf, NOTHING, sorted } from '../../broker/delivered.js';
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
import type { RabbitConsumer } from './consumer.js';
import { RabbitDeadLetters } from './dead-letters.js';
import { attemptOf, headersOf } from './headers.js';
import type { RabbitQueueNames } from './names.js';
import { RabbitQueues } from './queues.js';
import type { RabbitSession } from './session.js';

export interface RabbitStoreOptions {
  readonly link: BrokerLink<RabbitSession>;
  readonly prefix: string;
  readonly reliability: Reliability;
}

/** A message that is ours until its connection ends. */
interface Held {
  readonly consumer: RabbitConsumer;
  readonly message: ConsumeMessage;
}

interface Place {
  readonly session: RabbitSession;
  readonly names: RabbitQueueNames;
}

/**
 * Jobs in RabbitMQ. A job that is not acknowledged or requeued immediately continues as a copy with its attempt
 * number.
 */
export class RabbitStore implements JobStore {
  readonly #queues: RabbitQueues;
  readonly #dead: RabbitDeadLetters;
  readonly #consumers = new Map<string, Promise<RabbitConsumer>>();
  readonly #held = new Map<string, Held>();
  readonly #wakeups = new Wakeups();

  constructor(private readonly options: RabbitStoreOptions) {
    const { link, prefix, reliability } = options;
    this.#queues = new RabbitQueues(prefix, reliability.failed_retention);
    this.#dead = new RabbitDeadLetters(reliability.failed_retention);
    link.whenLost(() => {
      this.#consumers.clear();
      this.#held.clear();
    });
  }

  async connect(): Promise<void> {
    await this.health();
  }

  add(queue: string, jobs: readonly PreparedJob[]): Promise<string[]> {
    return this.#at(queue, ({ session, names }) =>
      written(jobs, (job) => session.publish(names.queue, encodeJob(firstOf(job)), headersOf(1))),
    );
  }

  claim(queue: string, _token: string, limit: number): Promise<Claim> {
    return this.#at(queue, async (place) => {
      const consumer = await this.#consumer(queue, place, limit);
      const jobs: ClaimedJob[] = [];
      let dead = 0;
      for (const message of consumer.take(limit)) {
        const found = await this.#take(place, { consumer, message });
        if (found === 'dead') dead += 1;
        else if (found !== 'again') jobs.push(found);
      }
      return { ...NOTHING, jobs, dead };
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

  async renew(_queue: string, jobs: readonly ClaimedJob[]): Promise<readonly ClaimedJob[]> {
    return jobs.filter(({ token }) => !this.#held.has(token));
  }

  /** A begun delivery counts as an attempt, by the broker's redelivered flag; others are returned unchanged. */
  async release(queue: string, jobs: readonly Returned[]): Promise<void> {
    for (const { job, begun } of jobs) {
      const held = this.#held.get(job.token);
      if (held === undefined) continue;
      if (begun) {
        this.#held.delete(job.token);
        held.consumer.requeue(held.message);
      } else {
        const same = { attempts: job.attempt - 1, waitMs: 0, data: job.data };
        await this.#end(job, 'ok', () => this.#copy(queue, job, same));
      }
    }
  }

  async leave(queue: string): Promise<void> {
    const consumer = await this.#consumers.get(queue);
    if (consumer === undefined) return;
    await consumer.cancel();
    this.#consumers.delete(queue);
    await this.#at(queue, async (place) => {
      for (const message of consumer.take(Infinity)) {
        const found = await this.#take(place, { consumer, message });
        if (typeof found === 'object') await this.release(queue, [{ job: found, begun: false }]);
      }
    });
  }

  stats(queue: string): Promise<QueueStats> {
    return this.#at(queue, async ({ session, names }) => ({
      ready: await session.count(names.queue),
      active: null,
      delayed: null,
      deadLetter: await session.count(names.dead),
      completed: null,
      oldestReadyAgeMs: null,
      oldestActiveAgeMs: null,
    }));
  }

  listDeadLetters(queue: string, limit: number): Promise<readonly DeadLetter[]> {
    return this.#at(queue, ({ session, names }) => this.#dead.list(session, names, limit));
  }

  replayDeadLetters(queue: string, limit: number): Promise<number> {
    return this.#at(queue, ({ session, names }) => this.#dead.replay(session, names, limit));
  }

  removeDeadLetters(queue: string, ids: readonly string[]): Promise<number> {
    return this.#at(queue, ({ session, names }) => this.#dead.remove(session, names, ids));
  }

  async listEvents(): Promise<readonly JobEvent[]> {
    return [];
  }

  async health(): Promise<void> {
    const session = await this.options.link.session();
    // A channel is an answer of the broker.
    await session.alone(async () => undefined);
  }

  async close(): Promise<void> {
    await this.options.link.close();
  }

  /** With the queues there; after a failure they are looked for again. */
  async #at<Result>(queue: string, work: (place: Place) => Promise<Result>): Promise<Result> {
    const session = await this.options.link.session();
    try {
      return await work({ session, names: await this.#queues.of(session, queue) });
    } catch (error) {
      if (error instanceof QueueUnavailable) this.#queues.forget(session, queue);
      throw error;
    }
  }

  /** The first claim sets the prefetch. */
  #consumer(queue: string, { session, names }: Place, prefetch: number): Promise<RabbitConsumer> {
    const there = this.#consumers.get(queue);
    if (there !== undefined) return there;
    const made = session.consume(names.queue, prefetch, () => this.#wakeups.wake(queue));
    this.#consumers.set(queue, made);
    made.catch(() => this.#consumers.delete(queue));
    return made;
  }

  /**
   * The previous worker died: the job continues as a copy that counts this attempt, which would be unknown otherwise.
   */
  async #take({ session, names }: Place, held: Held): Promise<ClaimedJob | 'again' | 'dead'> {
    const { message, consumer } = held;
    const { redelivered } = message.fields;
    const attempt = attemptOf(message.properties.headers) + (redelivered ? 1 : 0);
    const text = message.content.toString('utf8');
    const delivered: Delivered = { token: randomUUID(), text, count: attempt, writtenAtMs: null };
    const next = sorted(delivered, this.options.reliability.max_attempts);
    if (next.kind === 'job' && !redelivered) {
      this.#held.set(next.job.token, held);
      return next.job;
    }
    if (next.kind === 'dead') await this.#dead.bury(session, names, text, next.death);
    else await session.publish(names.queue, text, headersOf(attempt));
    consumer.acknowledge(message);
    return next.kind === 'dead' ? 'dead' : 'again';
  }

  /** Writes the continuation before settling the message: in between there are two, never none. */
  async #end<Done extends Settled>(
    { token }: ClaimedJob,
    done: Done,
    first: () => Promise<void>,
  ): Promise<Done | 'lost'> {
    if (!this.#held.has(token)) return 'lost';
    await first();
    const held = this.#held.get(token);
    if (held === undefined) return 'lost';
    this.#held.delete(token);
    held.consumer.acknowledge(held.message);
    return done;
  }

  async #continue(queue: string, job: ClaimedJob, next: Continuation): Promise<void> {
    if (next.settled === 'dead') {
      await this.#at(queue, (place) => this.#dead.bury(place.session, place.names, next.text, next.death));
    } else if (next.settled !== 'ok') await this.#copy(queue, job, next.copy);
  }

  #copy(
    queue: string,
    job: ClaimedJob,
    { attempts, waitMs, data }: Pick<Envelope, 'attempts' | 'data' | 'waitMs'>,
  ): Promise<void> {
    return this.#at(queue, async ({ session, names }) => {
      const place = waitMs > 0 ? await this.#queues.waiting(session, names, waitMs) : names.queue;
      await session.publish(place, encodeJob(copyOf(job, 0, 0, data)), headersOf(attempts + 1));
    });
  }
}
