import type { Connection } from '@carillon/nats';
import type { Logger } from '@carillon/runtime';
import { copyOf, deathOf, type Delivered, firstOf, NOTHING, sorted } from '../../broker/delivered.js';
import { encodeJob, type Death, type Envelope } from '../../broker/envelope.js';
import type { BrokerLink } from '../../broker/link.js';
import { written } from '../../broker/written.js';
import { QueueUnavailable } from '../../failures.js';
import {
  MOST_BYTES,
  type Claim,
  type ClaimedJob,
  type JobStore,
  type Outcome,
  type PreparedJob,
  type Returned,
  type Settled,
} from '../../job-store.js';
import type { Reliability } from '../../options.js';
import type { DeadLetter, JobEvent, QueueStats } from '../../port.js';
import { retryDelayMs } from '../../retry-delay.js';
import { messageFrom, NatsDeadLetters } from './dead-letters.js';
import { JetStream, numberOf, objectOf } from './jetstream.js';
import type { NatsQueueNames } from './names.js';
import { pull, type Pulled } from './pull.js';
import { StreamKeeper } from './streams.js';

/** A wait ends then at the latest, so that a stop is not held up by it. */
const LONGEST_WAIT_MS = 1000;
/** What the server said it has may have gone to somebody else meanwhile: so long it waits for more. */
const REST_WAIT_MS = 50;
const NANOSECONDS = 1_000_000;

export interface NatsStoreOptions {
  readonly link: BrokerLink<Connection>;
  readonly prefix: string;
  readonly inboxPrefix: string;
  readonly timeoutMs: number;
  readonly reliability: Reliability;
  readonly log: Logger;
}

/** Jobs in JetStream: a stream a queue, from which its message goes when a job is done, and one for the dead. */
export class NatsStore implements JobStore {
  readonly #jetStream: JetStream;
  readonly #dead: NatsDeadLetters;
  readonly #streams: StreamKeeper;
  /** What a wait has brought: the next claim begins with it and asks for what is behind it. */
  readonly #waited = new Map<string, Pulled>();
  /** Deliveries about which the last word is said: a sign of life behind it would make a pause as long as a lease. */
  readonly #ending = new Set<string>();

  constructor(private readonly options: NatsStoreOptions) {
    const { link, prefix, reliability, timeoutMs } = options;
    this.#jetStream = new JetStream(link, timeoutMs);
    this.#dead = new NatsDeadLetters(this.#jetStream, reliability.failed_retention);
    this.#streams = new StreamKeeper(this.#jetStream, prefix, reliability);
  }

  async connect(): Promise<void> {
    await this.health();
  }

  async add(queue: string, jobs: readonly PreparedJob[]): Promise<string[]> {
    return this.#at(queue, ({ subject }) =>
      written(jobs, (job) => this.#jetStream.publish(subject, encodeJob(firstOf(job)))),
    );
  }

  async claim(queue: string, _token: string, limit: number): Promise<Claim> {
    return this.#at(queue, async (names) => {
      const first = this.#waited.get(queue);
      this.#waited.delete(queue);
      if (first === undefined) return NOTHING;
      const batch = Math.min(limit - 1, first.pending);
      // What came first is handed out whatever becomes of the rest.
      const rest = batch > 0 ? await this.#pull(names, batch, REST_WAIT_MS).catch(() => []) : [];
      return this.#sort(names, [first, ...rest]);
    });
  }

  async wait(queue: string, ms: number, signal: AbortSignal): Promise<void> {
    await this.#at(queue, async (names) => {
      const [first] = await this.#pull(names, 1, Math.max(1, Math.min(ms, LONGEST_WAIT_MS)), signal);
      if (first === undefined) return;
      if (signal.aborted) await this.#giveBack(names, first);
      else this.#waited.set(queue, first);
    });
  }

  async settle(queue: string, job: ClaimedJob, outcome: Outcome): Promise<Settled> {
    return this.#at(queue, async (names) => {
      if (outcome.kind === 'ok') return this.#tell(job.token, '+ACK', 'ok');
      if (outcome.kind === 'defer') {
        const attempts = outcome.data === undefined ? job.attempt - 1 : 0;
        return this.#replace(names, job, copyOf(job, attempts, outcome.delayMs, outcome.data), 'deferred');
      }
      const death = deathOf(job, outcome);
      if (death === null) {
        const delayMs = retryDelayMs(job.id, job.attempt, this.options.reliability);
        return this.#tell(job.token, notNow(delayMs), 'retry');
      }
      return this.#bury(names, job.token, encodeJob(copyOf(job, 0)), death);
    });
  }

  async renew(_queue: string, jobs: readonly ClaimedJob[]): Promise<readonly ClaimedJob[]> {
    const renewed = await Promise.all(
      jobs.map(async ({ token }) => {
        if (this.#ending.has(token)) return true;
        return (await this.#jetStream.ask(token, '+WPI')).kind === 'reply';
      }),
    );
    return jobs.filter((_, index) => renewed[index] === false);
  }

  /** What was not begun goes on as a copy, since a delivery counts as an attempt. */
  async release(queue: string, jobs: readonly Returned[]): Promise<void> {
    await this.#at(queue, async (names) => {
      for (const { job, begun } of jobs) {
        if (begun) await this.#tell(job.token, '-NAK', 'ok');
        else await this.#replace(names, job, copyOf(job, job.attempt - 1), 'ok');
      }
    });
  }

  async stats(queue: string): Promise<QueueStats> {
    return this.#at(queue, async ({ stream, subject, deadStream, consumer }) => {
      const [info, dead] = await Promise.all([
        this.#jetStream.api(`CONSUMER.INFO.${stream}.${consumer}`),
        this.#jetStream.api(`STREAM.INFO.${deadStream}`),
      ]);
      const ready = numberOf(info['num_pending']);
      const next = numberOf(objectOf(info['delivered'])['stream_seq']) + 1;
      const oldest = ready === 0 ? null : await messageFrom(this.#jetStream, stream, subject, next);
      return {
        ready,
        active: numberOf(info['num_ack_pending']),
        delayed: null,
        deadLetter: numberOf(objectOf(dead['state'])['messages']),
        completed: null,
        oldestReadyAgeMs: oldest === null ? null : Math.max(0, Date.now() - oldest.writtenAtMs),
        oldestActiveAgeMs: null,
      };
    });
  }

  listDeadLetters(queue: string, limit: number): Promise<readonly DeadLetter[]> {
    return this.#at(queue, (names) => this.#dead.list(names, limit));
  }

  replayDeadLetters(queue: string, limit: number): Promise<number> {
    return this.#at(queue, (names) => this.#dead.replay(names, limit));
  }

  removeDeadLetters(queue: string, ids: readonly string[]): Promise<number> {
    return this.#at(queue, (names) => this.#dead.remove(names, ids));
  }

  async listEvents(): Promise<readonly JobEvent[]> {
    return [];
  }

  async health(): Promise<void> {
    await this.#jetStream.api('INFO');
  }

  async close(): Promise<void> {
    await this.options.link.close();
  }

  /** With the streams of the queue there; after a failure they are looked for again. */
  async #at<Result>(queue: string, work: (names: NatsQueueNames) => Promise<Result>): Promise<Result> {
    const names = await this.#streams.of(queue);
    try {
      return await work(names);
    } catch (error) {
      if (error instanceof QueueUnavailable) this.#streams.forget(queue);
      throw error;
    }
  }

  #pull(names: NatsQueueNames, batch: number, waitMs: number, signal?: AbortSignal) {
    const { link, inboxPrefix, timeoutMs } = this.options;
    return pull(link, {
      subject: `$JS.API.CONSUMER.MSG.NEXT.${names.stream}.${names.consumer}`,
      inboxPrefix,
      batch,
      maxBytes: MOST_BYTES,
      waitMs,
      timeoutMs,
      ...(signal === undefined ? {} : { signal }),
      late: (delivered) => void this.#giveBack(names, delivered).catch(() => undefined),
    });
  }

  async #sort(names: NatsQueueNames, found: readonly Delivered[]): Promise<Claim> {
    const jobs: ClaimedJob[] = [];
    let dead = 0;
    for (const delivered of found) {
      const next = sorted(delivered, this.options.reliability.max_attempts);
      if (next.kind === 'job') jobs.push(next.job);
      else if (next.kind === 'early') await this.#tell(delivered.token, notNow(next.waitMs), 'ok');
      else if ((await this.#bury(names, delivered.token, delivered.text, next.death)) === 'dead') dead += 1;
    }
    return { ...NOTHING, jobs, dead, nextMs: null };
  }

  async #bury(names: NatsQueueNames, token: string, text: string, death: Death): Promise<'dead' | 'lost'> {
    await this.#dead.bury(names, text, death);
    return this.#tell(token, '+ACK', 'dead');
  }

  /** First the copy, then the end of the message: in between there are two, never none. */
  async #replace<Done extends Settled>(
    { subject }: NatsQueueNames,
    { token }: ClaimedJob,
    copy: Envelope,
    done: Done,
  ): Promise<Done | 'lost'> {
    await this.#jetStream.publish(subject, encodeJob(copy));
    return this.#tell(token, '+ACK', done);
  }

  /** As if it had never been handed out. */
  async #giveBack(names: NatsQueueNames, delivered: Delivered): Promise<void> {
    const next = sorted(delivered, this.options.reliability.max_attempts);
    if (next.kind === 'job')
      await this.#replace(names, next.job, copyOf(next.job, next.job.attempt - 1), 'ok');
    else await this.#tell(delivered.token, '-NAK', 'ok');
  }

  /** Says the last word about a delivery, which the server confirms; nobody hears it when its consumer is gone. */
  async #tell<Done extends Settled>(token: string, words: string, done: Done): Promise<Done | 'lost'> {
    this.#ending.add(token);
    try {
      const answer = await this.#jetStream.ask(token, words);
      return answer.kind === 'no_responder' ? 'lost' : done;
    } finally {
      this.#ending.delete(token);
    }
  }
}

const notNow = (delayMs: number): string =>
  delayMs > 0 ? `-NAK ${JSON.stringify({ delay: delayMs * NANOSECONDS })}` : '-NAK';
