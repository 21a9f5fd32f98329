import {
  ensureTopics,
  type IggyClient,
  IggySender,
  MessageTooLarge,
  type PartitionAddress,
  type StreamOptions,
} from '@carillon/iggy';
import { randomUUID } from 'node:crypto';
import { continuationOf } from '../../broker/continuation.js';
import { firstOf, NOTHING, sorted } from '../../broker/delivered.js';
import { encodeJob } from '../../broker/envelope.js';
import { Wakeups } from '../../broker/wakeups.js';
import { written } from '../../broker/written.js';
import { InvalidJob, QueueUnavailable } from '../../failures.js';
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
import type { ClaimKey } from './claim-record.js';
import { type DeadLetterTopic, IggyDeadLetters } from './dead-letters.js';
import { iggyQueueNames } from './names.js';
import { QueueReader, type WonJob } from './queue-reader.js';

export interface IggyStoreOptions {
  readonly client: IggyClient;
  readonly stream: StreamOptions;
  readonly topicPrefix: string;
  readonly consumerPrefix: string;
  readonly partitions: number;
  readonly partition: number;
  readonly batchSize: number;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly reliability: Reliability;
}

/** One queue with its topics created. */
interface Place {
  readonly jobs: PartitionAddress;
  readonly claims: PartitionAddress;
  readonly consumer: string;
  readonly send: (text: string) => Promise<void>;
  readonly dead: DeadLetterTopic;
}

/** A job that this process works on. */
interface HeldJob {
  readonly reader: QueueReader;
  readonly key: ClaimKey;
  /** The copy or dead letter that replaces it is written. */
  isReplaced: boolean;
}

/** Records of the claims log are needed until the jobs before them are settled. */
const CLAIMS_EXPIRY_MS = 7 * 24 * 3_600_000;

/** Jobs in Iggy. A job that is not settled as done continues as a copy at the end of its topic. */
export class IggyStore implements JobStore {
  readonly #dead: IggyDeadLetters;
  readonly #places = new Map<string, Promise<Place>>();
  readonly #readers = new Map<string, Promise<QueueReader>>();
  readonly #held = new Map<string, HeldJob>();
  readonly #wakeups = new Wakeups();

  constructor(private readonly options: IggyStoreOptions) {
    this.#dead = new IggyDeadLetters(options.reliability.failed_retention);
  }

  /** Logs in, so that wrong credentials are found at the start. */
  async connect(): Promise<void> {
    await this.#asking(() => ensureTopics(this.options.client, this.options.stream, []));
  }

  add(queue: string, jobs: readonly PreparedJob[]): Promise<string[]> {
    return this.#at(queue, ({ send }) => written(jobs, (job) => send(encodeJob(firstOf(job)))));
  }

  claim(queue: string, _token: string, limit: number): Promise<Claim> {
    return this.#at(queue, async (place) => {
      const reader = await this.#reader(queue, place);
      const jobs: ClaimedJob[] = [];
      let dead = 0;
      for (const won of await reader.claim(limit)) {
        const found = await this.#sort(place, reader, won);
        if (found === null) dead += 1;
        else jobs.push(found);
      }
      return { ...NOTHING, jobs, dead, nextMs: reader.nextDueMs };
    });
  }

  async wait(queue: string, ms: number, signal: AbortSignal): Promise<void> {
    const reader = await this.#readers.get(queue);
    if (reader?.hasSome !== true) await this.#wakeups.wait(queue, ms, signal);
  }

  async settle(queue: string, job: ClaimedJob, outcome: Outcome): Promise<Settled> {
    const next = continuationOf(job, outcome, this.options.reliability);
    const held = this.#held.get(job.token);
    if (held === undefined) return 'lost';
    if (!held.isReplaced && next.settled !== 'ok') {
      await this.#at(queue, async (place) => {
        if (next.settled === 'dead') await this.#dead.bury(place.dead, next.text, next.death);
        else await place.send(encodeJob(next.copy));
      });
      held.isReplaced = true;
    }
    const isOwn = await held.reader.settle(held.key);
    this.#held.delete(job.token);
    return isOwn ? next.settled : 'lost';
  }

  async renew(queue: string, jobs: readonly ClaimedJob[]): Promise<readonly ClaimedJob[]> {
    const reader = await this.#readers.get(queue);
    const held = jobs.flatMap((job) => this.#held.get(job.token) ?? []);
    const renewed = new Set((await reader?.renew(held.map(({ key }) => key)))?.map(([offset]) => offset));
    return jobs.filter(({ token }) => !renewed.has(this.#held.get(token)?.key[0] ?? -1));
  }

  async release(queue: string, jobs: readonly Returned[]): Promise<void> {
    const reader = await this.#readers.get(queue);
    const released = jobs.flatMap(({ job, begun }) => {
      const held = this.#held.get(job.token);
      this.#held.delete(job.token);
      return held === undefined ? [] : [[held.key[0], held.key[1], begun] as const];
    });
    await reader?.release(released);
  }

  async leave(queue: string): Promise<void> {
    (await this.#readers.get(queue))?.drain();
  }

  /** Reports that a server answers; the API has no depths of unsettled jobs. */
  async stats(): Promise<QueueStats> {
    await this.health();
    return UNKNOWN_STATS;
  }

  listDeadLetters(queue: string, limit: number): Promise<readonly DeadLetter[]> {
    return this.#at(queue, ({ dead }) => this.#dead.list(dead, limit));
  }

  replayDeadLetters(queue: string, limit: number): Promise<number> {
    return this.#at(queue, ({ dead, send }) => this.#dead.replay(dead, limit, send));
  }

  removeDeadLetters(queue: string, ids: readonly string[]): Promise<number> {
    return this.#at(queue, ({ dead }) => this.#dead.remove(dead, ids));
  }

  async listEvents(): Promise<readonly JobEvent[]> {
    return [];
  }

  async health(): Promise<void> {
    await this.#asking(() => this.options.client.ping());
  }

  async close(): Promise<void> {
    const readers = await Promise.allSettled(this.#readers.values());
    this.options.client.close();
    for (const one of readers) if (one.status === 'fulfilled') await one.value.stop();
  }

  /** Null: the job was buried. */
  async #sort(place: Place, reader: QueueReader, won: WonJob): Promise<ClaimedJob | null> {
    const { offset, serial, text, writtenAtMs, waitMs } = won;
    const token = randomUUID();
    // The wait of a copy is over, and was no delivery.
    const count = won.count + (waitMs > 0 ? 1 : 0);
    const next = sorted({ token, text, count, writtenAtMs }, this.options.reliability.max_attempts);
    const key: ClaimKey = [offset, serial];
    if (next.kind === 'job') {
      this.#held.set(token, { reader, key, isReplaced: false });
      return next.job;
    }
    if (next.kind === 'dead') await this.#dead.bury(place.dead, text, next.death);
    await reader.settle(key);
    return null;
  }

  /** With the topics of the queue created; after a failure they are checked again. */
  async #at<Result>(queue: string, work: (place: Place) => Promise<Result>): Promise<Result> {
    return this.#asking(async () => {
      const making = this.#places.get(queue) ?? this.#make(queue);
      this.#places.set(queue, making);
      try {
        return await work(await making);
      } catch (error) {
        this.#places.delete(queue);
        throw error;
      }
    });
  }

  async #make(queue: string): Promise<Place> {
    const { client, stream, topicPrefix, consumerPrefix, partitions, partition } = this.options;
    const { topic, claims, dead, consumer } = iggyQueueNames(topicPrefix, consumerPrefix, queue);
    await ensureTopics(client, stream, [
      { topic, partitions, expiryMs: null },
      { topic: claims, partitions: 1, expiryMs: CLAIMS_EXPIRY_MS },
      { topic: dead, partitions: 1, expiryMs: null },
    ]);
    const at = (name: string, one: number): PartitionAddress => ({
      stream: stream.stream,
      topic: name,
      partition: one,
    });
    const jobs = at(topic, partition);
    const sender = new IggySender({ client, address: jobs });
    const deadSender = new IggySender({ client, address: at(dead, 0) });
    return {
      jobs,
      claims: at(claims, 0),
      consumer,
      send: (text) => sender.send(text),
      dead: { client, address: at(dead, 0), consumer, send: (text) => deadSender.send(text) },
    };
  }

  #reader(queue: string, { jobs, claims, consumer }: Place): Promise<QueueReader> {
    const found = this.#readers.get(queue);
    if (found !== undefined) return found;
    const { client, batchSize, intervalMs, timeoutMs, reliability } = this.options;
    const made = QueueReader.open({
      client,
      jobs,
      claims,
      consumer,
      batchSize,
      intervalMs,
      timeoutMs,
      leaseMs: reliability.lease_duration_ms,
      onReceived: () => this.#wakeups.wake(queue),
    });
    this.#readers.set(queue, made);
    made.catch(() => this.#readers.delete(queue));
    return made;
  }

  /** Every failure but one of a single job is a `QueueUnavailable`. */
  async #asking<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw failureOf(error);
    }
  }
}

function failureOf(error: unknown): Error {
  if (error instanceof MessageTooLarge) return new InvalidJob(error.message);
  const isOwn = error instanceof Error && !['IggyRefused', 'IggyUnavailable'].includes(error.name);
  if (isOwn) return error;
  return new QueueUnavailable(error instanceof Error ? error.message : 'no server answers');
}
