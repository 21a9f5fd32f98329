import { type IncomingMessage, type PulsarConsumer, PulsarRefused } from '@carillon/pulsar';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { letterOf, replayOf } from '../../broker/delivered.js';
import { encodeDead, encodeJob, type Death } from '../../broker/envelope.js';
import { QueueUnavailable } from '../../failures.js';
import { MAX_BYTES } from '../../job-store.js';
import type { DeadLetter } from '../../port.js';
import type { PulsarQueueNames } from './names.js';
import type { PulsarQueueSession } from './session.js';

export interface PulsarDeadLettersOptions {
  /** Newest dead letters that are kept. */
  readonly retention: number;
  readonly timeoutMs: number;
}

/** `acknowledge` deletes the letter. `stop`: it is kept, and nothing further is read. */
type Verdict = 'acknowledge' | 'keep' | 'stop';

const SUBSCRIPTION = 'dead-letters';
/** Property of messages that mark the end for a reader. */
const FENCE = 'carillon-fence';
/** Messages per request. */
const PERMITS = 64;
/** Dead letters that may exceed the retention before the oldest are deleted. */
const TRIM_EVERY = 100;
const BUSY_PAUSE_MS = 50;
const CONFLICT = 409;

/**
 * Dead letters of a queue: a topic with one durable exclusive subscription, so that one reader at a time sees them in
 * order. The API has no end of a topic: a reader writes a fence and reads until it receives that.
 */
export class PulsarDeadLetters {
  readonly #prepared = new WeakMap<PulsarQueueSession, Map<string, Promise<void>>>();
  #buried = 0;
  #isTrimming = false;

  constructor(private readonly options: PulsarDeadLettersOptions) {}

  /** Resolves when the dead letter is stored, or immediately when none are kept. */
  async bury(
    session: PulsarQueueSession,
    names: PulsarQueueNames,
    text: string,
    death: Death,
  ): Promise<void> {
    if (this.options.retention === 0) return;
    await this.#prepare(session, names.dead);
    await session.send(names.dead, { text: encodeDead(text, death) });
    this.#buried += 1;
    if (this.#buried % TRIM_EVERY !== 0 || this.#isTrimming) return;
    this.#isTrimming = true;
    // Failed deletions are repeated with the next hundred.
    this.#trim(session, names)
      .catch(() => undefined)
      .finally(() => (this.#isTrimming = false));
  }

  async list(
    session: PulsarQueueSession,
    names: PulsarQueueNames,
    limit: number,
  ): Promise<readonly DeadLetter[]> {
    const letters: DeadLetter[] = [];
    let bytes = 0;
    await this.#read(session, names, ({ id, payload }) => {
      letters.push(letterOf(id, payload.toString('utf8')));
      bytes += payload.byteLength;
      return letters.length < limit && bytes < MAX_BYTES ? 'keep' : 'stop';
    });
    return letters;
  }

  async replay(session: PulsarQueueSession, names: PulsarQueueNames, limit: number): Promise<number> {
    let count = 0;
    await this.#read(session, names, async ({ payload }) => {
      if (count >= limit) return 'stop';
      const { job, text } = replayOf(payload.toString('utf8'));
      await session.send(names.topic, { text: job === null ? text : encodeJob(job) });
      count += 1;
      return 'acknowledge';
    });
    return count;
  }

  async remove(
    session: PulsarQueueSession,
    names: PulsarQueueNames,
    ids: readonly string[],
  ): Promise<number> {
    const wanted = new Set(ids);
    let count = 0;
    await this.#read(session, names, ({ id }) => {
      if (wanted.delete(id)) {
        count += 1;
        return 'acknowledge';
      }
      return wanted.size > 0 ? 'keep' : 'stop';
    });
    return count;
  }

  async #trim(session: PulsarQueueSession, names: PulsarQueueNames): Promise<void> {
    const newest: string[] = [];
    await this.#read(session, names, ({ id }, consumer) => {
      newest.push(id);
      const oldest = newest.length > this.options.retention ? newest.shift() : undefined;
      if (oldest !== undefined) consumer.acknowledge(oldest);
      return 'keep';
    });
  }

  /** Creates the subscription at the first use in a session: without one the broker deletes written messages. */
  #prepare(session: PulsarQueueSession, dead: string): Promise<void> {
    const known = this.#prepared.get(session) ?? new Map<string, Promise<void>>();
    this.#prepared.set(session, known);
    const found = known.get(dead);
    if (found !== undefined) return found;
    const made = this.#create(session, dead);
    known.set(dead, made);
    made.catch(() => known.delete(dead));
    return made;
  }

  async #create(session: PulsarQueueSession, dead: string): Promise<void> {
    try {
      const consumer = await subscribe(session, dead, () => undefined);
      await session.unsubscribe(consumer);
    } catch (error) {
      if (!isBusy(error)) throw unavailable(error);
    }
  }

  /** Visits the oldest letters first, until `visit` stops or there are no more. */
  async #read(
    session: PulsarQueueSession,
    { dead }: PulsarQueueNames,
    visit: (message: IncomingMessage, consumer: PulsarConsumer) => Promise<Verdict> | Verdict,
  ): Promise<void> {
    const inbox: IncomingMessage[] = [];
    let wake = ignore;
    const consumer = await this.#open(session, dead, (message) => {
      inbox.push(message);
      wake();
    });
    try {
      const fence = randomUUID();
      await session.send(dead, { text: '', properties: { [FENCE]: fence } });
      for (;;) {
        if (inbox.length === 0) {
          consumer.permit(PERMITS);
          await this.#received((resolve) => (wake = resolve), consumer);
        }
        for (const message of inbox.splice(0)) {
          const mark = message.properties[FENCE];
          const verdict = mark === undefined ? await visit(message, consumer) : 'acknowledge';
          if (verdict === 'acknowledge') consumer.acknowledge(message.id);
          if (verdict === 'stop' || mark === fence) return;
        }
      }
    } finally {
      await session.unsubscribe(consumer);
    }
  }

  async #received(onReceived: (resolve: () => void) => void, consumer: PulsarConsumer): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const { timeoutMs } = this.options;
        timer = setTimeout(() => {
          const what = consumer.isOver ? 'the connection was lost' : `no answer in ${timeoutMs} ms`;
          reject(new QueueUnavailable(`dead letters were not read: ${what}`));
        }, timeoutMs);
        onReceived(resolve);
      });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Waits for another reader to finish. */
  async #open(
    session: PulsarQueueSession,
    dead: string,
    onMessage: (message: IncomingMessage) => void,
  ): Promise<PulsarConsumer> {
    const deadlineMs = performance.now() + this.options.timeoutMs;
    for (;;) {
      try {
        return await subscribe(session, dead, onMessage);
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadlineMs) throw unavailable(error);
        await pause(BUSY_PAUSE_MS);
      }
    }
  }
}

const subscribe = (
  session: PulsarQueueSession,
  topic: string,
  onMessage: (message: IncomingMessage) => void,
): Promise<PulsarConsumer> =>
  session.tryToSubscribe({
    topic,
    subscription: SUBSCRIPTION,
    type: 'Exclusive',
    maxUnacknowledged: null,
    onMessage,
  });

const ignore = (): void => undefined;

const isBusy = (error: unknown): boolean => error instanceof PulsarRefused && error.status === CONFLICT;

const unavailable = (error: unknown): QueueUnavailable =>
  error instanceof QueueUnavailable
    ? error
    : new QueueUnavailable(error instanceof Error ? error.message : 'dead letters were not read');
