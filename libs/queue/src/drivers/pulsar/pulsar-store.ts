import type { IncomingMessage, PulsarConsumer } from '@carillon/pulsar';
import { randomUUID } from 'node:crypto';
import { continuationOf } from '../../broker/continuation.js';
import { copyOf, firstOf, NOTHING, sorted } from '../../broker/delivered.js';
import { encodeJob } from '../../broker/envelope.js';
import type { BrokerLink } from '../../broker/link.js';
import { Wakeups } from '../../broker/wakeups.js';
import { written } from '../../broker/written.js';
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
import { type DeadLetter, type JobEvent, type QueueStats, UNKNOWN_STATS } from '../../port.js';
import { PulsarDeadLetters } from './dead-letters.js';
import { PulsarLeases, type WriteCopy } from './leases.js';
import { pulsarQueueNames, type PulsarQueueNames } from './names.js';
import { PulsarReceiver } from './receiver.js';
import type { PulsarQueueSession } from './session.js';

export interface PulsarStoreOptions {
  readonly link: BrokerLink<PulsarQueueSession>;
  readonly prefix: string;
  readonly reliability: Reliability;
  readonly timeoutMs: number;
}

interface Place {
  readonly session: PulsarQueueSession;
  readonly names: PulsarQueueNames;
  /** Acknowledges messages that it did not receive. */
  readonly keeper: PulsarConsumer;
}

/** Jobs in Pulsar. Copies, retries and leases are delayed messages on the topic of the queue. */
export class PulsarStore implements JobStore {
  readonly #dead: PulsarDeadLetters;
  readonly #leases: PulsarLeases;
  readonly #receivers = new Map<string, Promise<PulsarReceiver>>();
  readonly #wakeups = new Wakeups();

  constructor(private readonly options: PulsarStoreOptions) {
    const { link, reliability, timeoutMs } = options;
    this.#dead = new PulsarDeadLetters({ retention: reliability.failed_retention, timeoutMs });
    this.#leases = new PulsarLeases(reliability.lease_duration_ms);
    link.whenLost(() => this.#receivers.clear());
  }

  async connect(): Promise<void> {
    await this.health();
  }

  add(queue: string, jobs: readonly PreparedJob[]): Promise<string[]> {
    return this.#at(queue, ({ session, names }) =>
      written(jobs, async (job) => {
        await session.send(names.topic, { text: encodeJob(firstOf(job)) });
      }),
    );
  }

  claim(queue: string, _token: string, limit: number): Promise<Claim> {
    return this.#at(queue, async (place) => {
      const receiver = await this.#receiver(queue, place);
      const found = await Promise.all(
        receiver.take(limit).map((message) => this.#sort(place, receiver, message)),
      );
      if (found.length > 0) await receiver.acknowledged();
      const jobs = found.filter((one) => typeof one !== 'string');
      return { ...NOTHING, jobs, dead: found.filter((one) => one === 'dead').length };
    });
  }

  async wait(queue: string, ms: number, signal: AbortSignal): Promise<void> {
    const receiver = await this.#receivers.get(queue);
    if (receiver?.hasSome !== true) await this.#wakeups.wait(queue, ms, signal);
  }

  settle(queue: string, job: ClaimedJob, outcome: Outcome): Promise<Settled> {
    const next = continuationOf(job, outcome, this.options.reliability);
    return this.#end(queue, job, next.settled, async ({ session, names }) => {
      if (next.settled === 'dead') await this.#dead.bury(session, names, next.text, next.death);
      else if (next.settled !== 'ok') {
        const text = encodeJob({ ...next.copy, waitMs: 0 });
        await session.send(names.topic, { text, deliverAfterMs: next.copy.waitMs });
      }
    });
  }

  renew(queue: string, jobs: readonly ClaimedJob[]): Promise<readonly ClaimedJob[]> {
    return this.#at(queue, async (place) => {
      const owned = jobs.filter((job) => this.#leases.owns(job));
      const acknowledge = (id: string) => place.keeper.acknowledge(id);
      await Promise.all(owned.map((job) => this.#leases.renew(job, writeTo(place), acknowledge)));
      return jobs.filter((job) => !owned.includes(job));
    });
  }

  /** A begun job keeps its attempt; the others continue as if they had never been claimed. */
  async release(queue: string, jobs: readonly Returned[]): Promise<void> {
    await Promise.all(
      jobs.map(({ job, begun }) =>
        this.#end(queue, job, 'ok', async ({ session, names }) => {
          const text = encodeJob(copyOf(job, begun ? job.attempt : job.attempt - 1));
          await session.send(names.topic, { text });
        }),
      ),
    );
  }

  async leave(queue: string): Promise<void> {
    await (await this.#receivers.get(queue))?.close();
  }

  /** Reports that the broker answers; the WebSocket API does not report depths. */
  async stats(): Promise<QueueStats> {
    await this.health();
    return UNKNOWN_STATS;
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
    await (await this.options.link.session()).check();
  }

  async close(): Promise<void> {
    await this.options.link.close();
  }

  /** With the subscription of the queue created. */
  async #at<Result>(queue: string, work: (place: Place) => Promise<Result>): Promise<Result> {
    const session = await this.options.link.session();
    const names = pulsarQueueNames(this.options.prefix, queue);
    return work({ session, names, keeper: await session.keeper(names) });
  }

  #receiver(queue: string, { session, names }: Place): Promise<PulsarReceiver> {
    const found = this.#receivers.get(queue);
    if (found !== undefined) return found;
    const made = PulsarReceiver.open(session, names, () => this.#wakeups.wake(queue));
    this.#receivers.set(queue, made);
    made.catch(() => this.#receivers.delete(queue));
    return made;
  }

  async #sort(
    place: Place,
    receiver: PulsarReceiver,
    message: IncomingMessage,
  ): Promise<ClaimedJob | 'copied' | 'dead'> {
    const { session, names } = place;
    const { payload, redeliveryCount, publishedAtMs: writtenAtMs } = message;
    const text = payload.toString('utf8');
    const delivered = { token: randomUUID(), text, count: redeliveryCount + 1, writtenAtMs };
    const next = sorted(delivered, this.options.reliability.max_attempts);
    if (next.kind === 'job') await this.#leases.begin(next.job, writeTo(place));
    else if (next.kind === 'dead') await this.#dead.bury(session, names, text, next.death);
    else await session.send(names.topic, { text, deliverAfterMs: next.waitMs });
    receiver.acknowledge(message);
    if (next.kind === 'job') return next.job;
    return next.kind === 'dead' ? 'dead' : 'copied';
  }

  /** Writes the replacement first, then settles: in between there are two, never none. */
  async #end<Done extends Settled>(
    queue: string,
    job: ClaimedJob,
    done: Done,
    replace: (place: Place) => Promise<void>,
  ): Promise<Done | 'lost'> {
    if ((await this.#leases.end(job)) === null) return 'lost';
    return this.#at(queue, async (place) => {
      await replace(place);
      const copyId = await this.#leases.end(job);
      if (copyId === null) return 'lost';
      place.keeper.acknowledge(copyId);
      this.#leases.forget(job);
      return done;
    });
  }
}

const writeTo =
  ({ session, names }: Place): WriteCopy =>
  (text, deliverAfterMs) =>
    session.send(names.topic, { text, deliverAfterMs });
