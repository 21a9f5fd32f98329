import { pause } from '@carillon/runtime';
import { copyOf, deathOf, type Delivered, NOTHING, sorted } from '../../broker/delivered.js';
import { encodeJob, type Death, type Envelope } from '../../broker/envelope.js';
import { LeaseRenewals } from '../../broker/lease-renewals.js';
import { PullReceiver } from '../../broker/receiver.js';
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
import { retryDelayMs } from '../../retry-delay.js';
import type { IncomingMessage, SqsCalls } from './calls.js';
import { SqsDeadLetters } from './dead-letters.js';
import { SqsSending } from './sending.js';
import type { SqsPlace, SqsQueues } from './queues.js';
import { textOfBody } from '../aws/texts.js';

/** The longest SQS hides a message. */
const MAX_HIDDEN_MS = 43_200_000;
/** Name of a non-existent queue: the error of SQS is a sign of life. */
const NO_QUEUE = 'no-such-queue';

export interface SqsStoreOptions {
  readonly calls: SqsCalls;
  readonly queues: SqsQueues;
  readonly isFifo: boolean;
  readonly groupId: string;
  readonly visibilitySeconds: number;
  readonly waitSeconds: number;
  readonly mostMessages: number;
  readonly reliability: Reliability;
}

/** Jobs in SQS. A token is a receipt, and with it the group of a FIFO queue. */
export class SqsStore implements JobStore {
  readonly #dead: SqsDeadLetters;
  readonly #sending: SqsSending;
  readonly #receivers = new Map<string, PullReceiver<IncomingMessage>>();
  readonly #renewals = new LeaseRenewals();

  constructor(private readonly options: SqsStoreOptions) {
    const { calls, isFifo, groupId, reliability } = options;
    this.#dead = new SqsDeadLetters(calls, isFifo, reliability.failed_retention);
    this.#sending = new SqsSending(calls, isFifo, groupId);
  }

  async connect(): Promise<void> {
    await this.health();
  }

  add(queue: string, jobs: readonly PreparedJob[]): Promise<string[]> {
    return this.#at(queue, ({ url }) => this.#sending.add(url, jobs));
  }

  claim(queue: string, _token: string, limit: number): Promise<Claim> {
    return this.#at(queue, async (place) => {
      const jobs: ClaimedJob[] = [];
      let dead = 0;
      for (const message of this.#receiver(queue, place).take(limit)) {
        const delivered = deliveredOf(message);
        const next = sorted(delivered, this.options.reliability.max_attempts);
        if (next.kind === 'job') jobs.push(next.job);
        else if (next.kind === 'early') await this.#hide(place, delivered.token, next.waitMs);
        else {
          await this.#dead.bury(place, delivered.text, next.death);
          await this.#remove(place, delivered.token);
          dead += 1;
        }
      }
      return { ...NOTHING, jobs, dead };
    });
  }

  async wait(queue: string, ms: number, signal: AbortSignal): Promise<void> {
    const receiver = this.#receivers.get(queue);
    await (receiver === undefined ? pause(ms, signal) : receiver.wait(ms, signal));
  }

  settle(queue: string, job: ClaimedJob, outcome: Outcome): Promise<Settled> {
    return this.#lastly(queue, job, async (place) => {
      switch (outcome.kind) {
        case 'ok':
          await this.#remove(place, job.token);
          return 'ok';
        case 'defer': {
          const attempts = outcome.data === undefined ? job.attempt - 1 : 0;
          await this.#replace(place, job, copyOf(job, attempts, outcome.delayMs, outcome.data));
          return 'deferred';
        }
        case 'dead':
        case 'retry': {
          const death = deathOf(job, outcome);
          if (death !== null) return this.#bury(place, job, death);
          const pauseMs = retryDelayMs(job.id, job.attempt, this.options.reliability);
          return (await this.#hide(place, job.token, pauseMs)) ? 'retry' : 'lost';
        }
        default:
          return outcome satisfies never;
      }
    });
  }

  async renew(queue: string, jobs: readonly ClaimedJob[]): Promise<readonly ClaimedJob[]> {
    const failed = await this.#renewals.renew(jobs, (own) =>
      this.#at(queue, ({ url }) => {
        const receipts = own.map(({ token }) => receiptOf(token));
        return this.options.calls.hide(url, receipts, this.options.visibilitySeconds);
      }),
    );
    const lost = new Set(failed);
    return jobs.filter(({ token }) => lost.has(receiptOf(token)));
  }

  /**
   * Unbegun jobs continue as copies, since a delivery counts as an attempt; in a FIFO queue they keep their position.
   */
  async release(queue: string, jobs: readonly Returned[]): Promise<void> {
    for (const { job, begun } of jobs) {
      await this.#lastly(queue, job, async (place) => {
        if (begun || this.options.isFifo) await this.#hide(place, job.token, 0);
        else await this.#replace(place, job, copyOf(job, job.attempt - 1));
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

  stats(queue: string): Promise<QueueStats> {
    return this.#at(queue, async ({ url, deadUrl }) => {
      const [jobs, dead] = await Promise.all([
        this.options.calls.count(url),
        this.options.calls.count(deadUrl),
      ]);
      return {
        ready: jobs.ready,
        active: jobs.hidden,
        delayed: jobs.delayed,
        deadLetter: dead.ready + dead.hidden,
        completed: null,
        oldestReadyAgeMs: null,
        oldestActiveAgeMs: null,
      };
    });
  }

  listDeadLetters(queue: string, limit: number): Promise<readonly DeadLetter[]> {
    return this.#at(queue, (place) => this.#dead.list(place, limit));
  }

  replayDeadLetters(queue: string, limit: number): Promise<number> {
    return this.#at(queue, (place) => this.#dead.replay(place, limit));
  }

  removeDeadLetters(queue: string, ids: readonly string[]): Promise<number> {
    return this.#at(queue, (place) => this.#dead.remove(place, ids));
  }

  async listEvents(): Promise<readonly JobEvent[]> {
    return [];
  }

  async health(): Promise<void> {
    await this.options.calls.find(NO_QUEUE);
  }

  async close(): Promise<void> {
    this.options.calls.close();
  }

  /** With the queues there; after a failure they are looked for again. */
  async #at<Result>(queue: string, work: (place: SqsPlace) => Promise<Result>): Promise<Result> {
    const place = await this.options.queues.of(queue);
    try {
      return await work(place);
    } catch (error) {
      if (error instanceof QueueUnavailable) this.options.queues.forget(queue);
      throw error;
    }
  }

  /** Settles a delivery after a renewal in flight. */
  #lastly<Result>(
    queue: string,
    job: ClaimedJob,
    settle: (place: SqsPlace) => Promise<Result>,
  ): Promise<Result> {
    return this.#renewals.settle(job, () => this.#at(queue, settle));
  }

  /** FIFO queues receive one message at a time: several of one group would be processed concurrently. */
  #receiver(queue: string, { url }: SqsPlace): PullReceiver<IncomingMessage> {
    const there = this.#receivers.get(queue);
    if (there !== undefined) return there;
    const { calls, isFifo, mostMessages, waitSeconds } = this.options;
    const made = new PullReceiver<IncomingMessage>((room) => {
      const most = isFifo ? 1 : Math.min(room, mostMessages);
      return calls.receive(url, { most, waitSeconds });
    });
    this.#receivers.set(queue, made);
    return made;
  }

  #remove({ url }: SqsPlace, token: string): Promise<void> {
    return this.options.calls.remove(url, receiptOf(token));
  }

  /** False: it is no more ours to hide. */
  async #hide({ url }: SqsPlace, token: string, ms: number): Promise<boolean> {
    const seconds = Math.ceil(Math.min(ms, MAX_HIDDEN_MS) / 1000);
    return (await this.options.calls.hide(url, [receiptOf(token)], seconds)).length === 0;
  }

  async #bury(place: SqsPlace, job: ClaimedJob, death: Death): Promise<'dead'> {
    await this.#dead.bury(place, encodeJob(copyOf(job, 0)), death);
    await this.#remove(place, job.token);
    return 'dead';
  }

  /** First the copy, then the end of the message: in between there are two, never none. */
  async #replace(place: SqsPlace, { token }: ClaimedJob, copy: Envelope): Promise<void> {
    await this.#sending.copy(place.url, copy, groupOf(token));
    await this.#remove(place, token);
  }
}

const receiptOf = (token: string): string => token.split(' ', 1)[0] ?? '';
const groupOf = (token: string): string => token.slice(receiptOf(token).length + 1);

/** Neither a receipt nor a group has a space in it. */
const deliveredOf = ({ receipt, groupId, body, count, sentAtMs }: IncomingMessage): Delivered => ({
  token: `${receipt} ${groupId ?? ''}`,
  text: textOfBody(body),
  count,
  writtenAtMs: sentAtMs,
});
