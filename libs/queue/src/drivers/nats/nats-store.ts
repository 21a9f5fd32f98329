import { continuationOf } from '../../broker/continuation.js';
import { copyOf, firstOf, NOTHING, sorted } from '../../broker/delivered.js';
import { encodeJob, type Death, type Envelope } from '../../broker/envelope.js';
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
import { Acknowledgements } from './acknowledgements.js';
import { messageFrom, NatsDeadLetters } from './dead-letters.js';
import { JobFetch, type Received } from './job-fetch.js';
import type { NatsQueueNames } from './names.js';
import { failureOf, type JetStreamSession, publish } from './session.js';
import { type QueueStreams, StreamKeeper } from './streams.js';

/** Most bytes that one fetch may bring; a server disconnects a client with 64 MiB of unread messages. */
const MAX_FETCH_BYTES = 32 * 1024 * 1024;

export interface NatsStoreOptions {
  readonly link: BrokerLink<JetStreamSession>;
  readonly prefix: string;
  readonly timeoutMs: number;
  readonly reliability: Reliability;
}

/** A queue in use: the session, its streams and consumer. */
interface OpenQueue extends QueueStreams {
  readonly session: JetStreamSession;
}

/** Jobs in JetStream: per queue a stream, which deletes a message once its job is done, and one of dead letters. */
export class NatsStore implements JobStore {
  readonly #dead: NatsDeadLetters;
  readonly #streams: StreamKeeper;
  readonly #fetches = new Map<string, JobFetch>();
  readonly #wakeups = new Wakeups();
  readonly #acknowledgements: Acknowledgements;

  constructor(private readonly options: NatsStoreOptions) {
    const { link, prefix, reliability, timeoutMs } = options;
    const session = (): Promise<JetStreamSession> => link.session();
    this.#dead = new NatsDeadLetters(session, reliability.failed_retention);
    this.#acknowledgements = new Acknowledgements(session, timeoutMs);
    this.#streams = new StreamKeeper(prefix, reliability);
  }

  async connect(): Promise<void> {
    await this.health();
  }

  async add(queue: string, jobs: readonly PreparedJob[]): Promise<string[]> {
    return this.#at(queue, ({ session, names: { subject } }) =>
      written(jobs, (job) => publish(session, subject, encodeJob(firstOf(job)))),
    );
  }

  async claim(queue: string, _token: string, limit: number): Promise<Claim> {
    return this.#at(queue, ({ names }) => this.#sort(names, this.#fetchOf(queue).take(limit)));
  }

  async wait(queue: string, ms: number, signal: AbortSignal): Promise<void> {
    await this.#at(queue, async ({ session: { client, connection }, consumer }) => {
      const fetch = this.#fetchOf(queue);
      if (fetch.received.length > 0) return;
      const maxMessages = Math.floor(MAX_FETCH_BYTES / connection.maxPayload);
      fetch.start(client.consumers.getConsumerFromInfo(consumer), maxMessages);
      await this.#wakeups.wait(queue, ms, signal);
    });
  }

  async leave(queue: string): Promise<void> {
    const fetch = this.#fetches.get(queue);
    if (fetch === undefined) return;
    await fetch.end();
    await this.#at(queue, async ({ names }) => {
      for (const received of fetch.take(Infinity)) await this.#giveBack(names, received);
    });
  }

  async settle(queue: string, job: ClaimedJob, outcome: Outcome): Promise<Settled> {
    return this.#at(queue, async ({ names }) => {
      const next = continuationOf(job, outcome, this.options.reliability);
      if (next.settled === 'dead') return this.#bury(names, job.token, next.text, next.death);
      if (next.settled === 'deferred') return this.#replace(names, job, next.copy, 'deferred');
      const isKnown =
        next.settled === 'ok'
          ? await this.#acknowledgements.ack(job.token)
          : await this.#acknowledgements.nak(job.token, next.copy.waitMs);
      return settledAs(isKnown, next.settled);
    });
  }

  async renew(queue: string, jobs: readonly ClaimedJob[]): Promise<readonly ClaimedJob[]> {
    const received = this.#fetches.get(queue)?.received ?? [];
    const untilMs = performance.now() + this.options.reliability.lease_duration_ms;
    const [renewed] = await Promise.all([
      Promise.all(jobs.map(({ token }) => this.#acknowledgements.renew(token))),
      ...received.map(async (one) => {
        if (await this.#acknowledgements.renew(one.token)) one.leaseUntilMs = untilMs;
      }),
    ]);
    return jobs.filter((_, index) => renewed[index] === false);
  }

  /** Jobs that were not begun continue as copies, since a delivery counts as an attempt. */
  async release(queue: string, jobs: readonly Returned[]): Promise<void> {
    await this.#at(queue, async ({ names }) => {
      for (const { job, begun } of jobs) {
        if (begun) await this.#acknowledgements.nak(job.token);
        else await this.#replace(names, job, copyOf(job, job.attempt - 1), 'ok');
      }
    });
  }

  async stats(queue: string): Promise<QueueStats> {
    return this.#at(queue, async ({ session, names: { stream, subject, deadStream, consumer } }) => {
      const { manager } = session;
      const [info, dead] = await Promise.all([
        manager.consumers.info(stream, consumer),
        manager.streams.info(deadStream),
      ]);
      const ready = info.num_pending;
      const next = info.delivered.stream_seq + 1;
      const oldest = ready === 0 ? null : await messageFrom(session, stream, subject, next);
      return {
        ready,
        active: info.num_ack_pending,
        delayed: null,
        deadLetter: dead.state.messages,
        completed: null,
        oldestReadyAgeMs: oldest === null ? null : Math.max(0, Date.now() - oldest.time.getTime()),
        oldestActiveAgeMs: null,
      };
    });
  }

  listDeadLetters(queue: string, limit: number): Promise<readonly DeadLetter[]> {
    return this.#at(queue, ({ names }) => this.#dead.list(names, limit));
  }

  replayDeadLetters(queue: string, limit: number): Promise<number> {
    return this.#at(queue, ({ names }) => this.#dead.replay(names, limit));
  }

  removeDeadLetters(queue: string, ids: readonly string[]): Promise<number> {
    return this.#at(queue, ({ names }) => this.#dead.remove(names, ids));
  }

  async listEvents(): Promise<readonly JobEvent[]> {
    return [];
  }

  async health(): Promise<void> {
    const { manager } = await this.options.link.session();
    try {
      await manager.getAccountInfo();
    } catch (error) {
      throw failureOf(error);
    }
  }

  async close(): Promise<void> {
    await this.options.link.close();
  }

  /** Runs `work` with the streams of the queue. After a failure the next call creates them again. */
  async #at<Result>(queue: string, work: (open: OpenQueue) => Promise<Result>): Promise<Result> {
    try {
      const session = await this.options.link.session();
      return await work({ session, ...(await this.#streams.of(queue, session.manager)) });
    } catch (error) {
      const failure = failureOf(error);
      if (failure instanceof QueueUnavailable) this.#streams.forget(queue);
      throw failure;
    }
  }

  #fetchOf(queue: string): JobFetch {
    const known = this.#fetches.get(queue);
    if (known !== undefined) return known;
    const { lease_duration_ms: leaseMs } = this.options.reliability;
    const fetch = new JobFetch(leaseMs, () => this.#wakeups.wake(queue));
    this.#fetches.set(queue, fetch);
    return fetch;
  }

  async #sort(names: NatsQueueNames, found: readonly Received[]): Promise<Claim> {
    const jobs: ClaimedJob[] = [];
    let dead = 0;
    for (const delivered of found) {
      const next = sorted(delivered, this.options.reliability.max_attempts);
      if (next.kind === 'job') jobs.push(next.job);
      else if (next.kind === 'early') await this.#acknowledgements.nak(delivered.token, next.waitMs);
      else if ((await this.#bury(names, delivered.token, delivered.text, next.death)) === 'dead') dead += 1;
    }
    return { ...NOTHING, jobs, dead };
  }

  async #bury(names: NatsQueueNames, token: string, text: string, death: Death): Promise<'dead' | 'lost'> {
    await this.#dead.bury(names, token, text, death);
    return settledAs(await this.#acknowledgements.ack(token), 'dead');
  }

  /** Publishes the copy before it settles the message: in between there are two, never none. */
  async #replace<Done extends Settled>(
    { subject }: NatsQueueNames,
    { token }: ClaimedJob,
    copy: Envelope,
    done: Done,
  ): Promise<Done | 'lost'> {
    await publish(await this.options.link.session(), subject, encodeJob(copy), token);
    return settledAs(await this.#acknowledgements.ack(token), done);
  }

  /** Makes a message ready again as if it had never been delivered. */
  async #giveBack(names: NatsQueueNames, received: Received): Promise<void> {
    const next = sorted(received, this.options.reliability.max_attempts);
    if (next.kind === 'job')
      await this.#replace(names, next.job, copyOf(next.job, next.job.attempt - 1), 'ok');
    else await this.#acknowledgements.nak(received.token);
  }
}

const settledAs = <Done extends Settled>(isKnown: boolean, done: Done): Done | 'lost' =>
  isKnown ? done : 'lost';
