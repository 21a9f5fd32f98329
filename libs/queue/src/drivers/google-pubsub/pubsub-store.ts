import type { IncomingMessage } from '@carillon/google';
import { pause } from '@carillon/runtime';
import { copyOf, deathOf, type Delivered, firstOf, NOTHING, sorted } from '../../broker/delivered.js';
import { decodeJob, encodeJob, type Death, type Envelope } from '../../broker/envelope.js';
import { LeaseRenewals } from '../../broker/lease-renewals.js';
import { PullReceiver } from '../../broker/receiver.js';
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
import { type DeadLetter, type JobEvent, type QueueStats, UNKNOWN_STATS } from '../../port.js';
import { retryDelayMs } from '../../retry-delay.js';
import type { PubsubCalls } from './calls.js';
import { PubsubDeadLetters } from './dead-letters.js';
import type { PubsubQueueNames } from './names.js';
import type { QueueTopics } from './queue-topics.js';

/** The longest Pub/Sub hides a message; a longer wait continues as a copy. */
export const MAX_HIDDEN_MS = 600_000;
/** A wait that ends less than so long too early, by the clocks of two machines, is over. */
const CLOCK_SLACK_MS = 1000;
/** A pull ends then at the latest, so that it does not hold up a stop. */
const PULL_WAIT_MS = 1000;

export interface PubsubStoreOptions {
  readonly calls: PubsubCalls;
  readonly topics: QueueTopics;
  readonly leaseSeconds: number;
  readonly reliability: Reliability;
}

/** Jobs in Pub/Sub: a topic and a subscription per queue. A token is the acknowledgement id of a delivery. */
export class PubsubStore implements JobStore {
  readonly #dead: PubsubDeadLetters;
  readonly #receivers = new Map<string, PullReceiver<IncomingMessage>>();
  readonly #renewals = new LeaseRenewals();

  constructor(private readonly options: PubsubStoreOptions) {
    this.#dead = new PubsubDeadLetters(options.calls, options.reliability.failed_retention);
  }

  connect(): Promise<void> {
    return this.health();
  }

  add(queue: string, jobs: readonly PreparedJob[]): Promise<string[]> {
    return this.#at(queue, ({ topic }) =>
      written(jobs, (job) => this.options.calls.publish(topic, encodeJob(firstOf(job)))),
    );
  }

  claim(queue: string, _token: string, limit: number): Promise<Claim> {
    return this.#at(queue, async (names) => {
      const jobs: ClaimedJob[] = [];
      let dead = 0;
      for (const message of this.#receiver(queue, names).take(limit)) {
        const found = await this.#sort(names, message);
        if (found === 'dead') dead += 1;
        else if (found !== 'waits') jobs.push(found);
      }
      return { ...NOTHING, jobs, dead };
    });
  }

  async wait(queue: string, ms: number, signal: AbortSignal): Promise<void> {
    const receiver = this.#receivers.get(queue);
    await (receiver === undefined ? pause(ms, signal) : receiver.wait(ms, signal));
  }

  settle(queue: string, job: ClaimedJob, outcome: Outcome): Promise<Settled> {
    return this.#lastly(queue, job, async (names) => {
      switch (outcome.kind) {
        case 'ok':
          await this.#acknowledge(names, job.token);
          return 'ok';
        case 'defer': {
          const attempts = outcome.data === undefined ? job.attempt - 1 : 0;
          await this.#replace(names, job.token, copyOf(job, attempts, outcome.delayMs, outcome.data));
          return 'deferred';
        }
        case 'dead':
        case 'retry': {
          const death = deathOf(job, outcome);
          if (death !== null) return this.#bury(names, job, death);
          return this.#retry(names, job);
        }
        default:
          return outcome satisfies never;
      }
    });
  }

  /** Pub/Sub does not report lost leases: workers rely on their clocks. */
  async renew(queue: string, jobs: readonly ClaimedJob[]): Promise<readonly ClaimedJob[]> {
    await this.#renewals.renew(jobs, async (own) => {
      if (own.length === 0) return;
      const tokens = own.map(({ token }) => token);
      await this.#at(queue, ({ subscription }) =>
        this.options.calls.hide(subscription, tokens, this.options.leaseSeconds),
      );
    });
    return [];
  }

  /** A job that was not begun continues as a copy, since a delivery counts as an attempt. */
  async release(queue: string, jobs: readonly Returned[]): Promise<void> {
    for (const { job, begun } of jobs) {
      await this.#lastly(queue, job, async (names) => {
        if (begun) await this.options.calls.hide(names.subscription, [job.token], 0);
        else await this.#replace(names, job.token, copyOf(job, job.attempt - 1));
      });
    }
  }

  async leave(queue: string): Promise<void> {
    const left = await this.#receivers.get(queue)?.leave();
    for (const message of left ?? []) {
      const next = sorted(deliveredOf(message), this.options.reliability.max_attempts);
      if (next.kind === 'job') await this.release(queue, [{ job: next.job, begun: false }]);
    }
  }

  /** Pub/Sub has no request for the number of messages; its monitoring has. */
  async stats(): Promise<QueueStats> {
    return UNKNOWN_STATS;
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

  health(): Promise<void> {
    return this.options.calls.check();
  }

  close(): Promise<void> {
    return this.options.calls.close();
  }

  /** Runs with the topics of the queue in place; after a failure they are created again. */
  async #at<Result>(queue: string, work: (names: PubsubQueueNames) => Promise<Result>): Promise<Result> {
    const names = await this.options.topics.of(queue);
    try {
      return await work(names);
    } catch (error) {
      if (error instanceof QueueUnavailable) this.options.topics.forget(queue);
      throw error;
    }
  }

  /** Settles a delivery after a renewal in flight. */
  #lastly<Result>(
    queue: string,
    job: ClaimedJob,
    settle: (names: PubsubQueueNames) => Promise<Result>,
  ): Promise<Result> {
    return this.#renewals.settle(job, () => this.#at(queue, settle));
  }

  #receiver(queue: string, { subscription }: PubsubQueueNames): PullReceiver<IncomingMessage> {
    const known = this.#receivers.get(queue);
    if (known !== undefined) return known;
    const { calls, leaseSeconds } = this.options;
    const created = new PullReceiver<IncomingMessage>(async (limit) => {
      const messages = await calls.pull(subscription, limit, PULL_WAIT_MS);
      const ackIds = messages.map(({ ackId }) => ackId);
      // The deadline of the subscription is that of its creation, and 10 s at least.
      if (ackIds.length > 0) await calls.hide(subscription, ackIds, leaseSeconds);
      return messages;
    });
    this.#receivers.set(queue, created);
    return created;
  }

  async #sort(names: PubsubQueueNames, message: IncomingMessage): Promise<ClaimedJob | 'dead' | 'waits'> {
    const delivered = deliveredOf(message);
    const rest = restOf(delivered);
    if (rest !== null) {
      await this.#replace(names, delivered.token, rest);
      return 'waits';
    }
    const next = sorted(delivered, this.options.reliability.max_attempts);
    if (next.kind === 'job') return next.job;
    if (next.kind === 'early') {
      await this.#hide(names, delivered.token, next.waitMs);
      return 'waits';
    }
    await this.#dead.bury(names, delivered.text, next.death);
    await this.#acknowledge(names, delivered.token);
    return 'dead';
  }

  async #retry(names: PubsubQueueNames, job: ClaimedJob): Promise<'retry'> {
    const waitMs = retryDelayMs(job.id, job.attempt, this.options.reliability);
    if (waitMs <= MAX_HIDDEN_MS) await this.#hide(names, job.token, waitMs);
    else await this.#replace(names, job.token, copyOf(job, job.attempt, waitMs));
    return 'retry';
  }

  #acknowledge({ subscription }: PubsubQueueNames, token: string): Promise<void> {
    return this.options.calls.acknowledge(subscription, token);
  }

  #hide({ subscription }: PubsubQueueNames, token: string, ms: number): Promise<void> {
    return this.options.calls.hide(subscription, [token], Math.ceil(Math.min(ms, MAX_HIDDEN_MS) / 1000));
  }

  async #bury(names: PubsubQueueNames, job: ClaimedJob, death: Death): Promise<'dead'> {
    await this.#dead.bury(names, encodeJob(copyOf(job, 0)), death);
    await this.#acknowledge(names, job.token);
    return 'dead';
  }

  /** First the copy, then the end of the message: in between there are two, never none. */
  async #replace(names: PubsubQueueNames, token: string, copy: Envelope): Promise<void> {
    await this.options.calls.publish(names.topic, encodeJob(copy));
    await this.#acknowledge(names, token);
  }
}

const deliveredOf = ({ ackId, data, attempt, publishedAtMs }: IncomingMessage): Delivered => ({
  token: ackId,
  text: data.toString('utf8'),
  count: Math.max(1, attempt),
  writtenAtMs: publishedAtMs,
});

/** Returns the copy for the rest of a wait that exceeds the longest ack deadline; null if nothing is left. */
export function restOf({ text, count, writtenAtMs }: Delivered): Envelope | null {
  const envelope = count > 1 ? decodeJob(text) : null;
  if (envelope === null || envelope.waitMs <= MAX_HIDDEN_MS) return null;
  const waitMs = (writtenAtMs ?? 0) + envelope.waitMs - Date.now();
  return waitMs > CLOCK_SLACK_MS ? { ...envelope, waitMs } : null;
}
