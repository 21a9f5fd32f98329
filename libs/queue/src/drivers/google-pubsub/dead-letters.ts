import type { IncomingMessage } from '@carillon/google';
import { letterOf, replayOf } from '../../broker/delivered.js';
import { encodeDead, encodeJob, type Death } from '../../broker/envelope.js';
import { MAX_BYTES, MAX_JOBS } from '../../job-store.js';
import type { DeadLetter } from '../../port.js';
import type { PubsubCalls } from './calls.js';
import type { PubsubQueueNames } from './names.js';

/** Minimum number of letters read: Pub/Sub returns some of them per pull, and the oldest must be among them. */
const MIN_LOOK = 100;
const FIRST_WAIT_MS = 1000;
const NEXT_WAIT_MS = 200;

/** Dead letters of a queue, in a topic of their own that keeps them for seven days. */
export class PubsubDeadLetters {
  constructor(
    private readonly calls: PubsubCalls,
    private readonly retention: number,
  ) {}

  /** Resolves when the letter is stored, or none are to be stored. */
  async bury({ deadTopic }: PubsubQueueNames, text: string, death: Death): Promise<void> {
    if (this.retention > 0) await this.calls.publish(deadTopic, encodeDead(text, death));
  }

  /** The oldest first; other readers do not see them meanwhile. */
  async list(names: PubsubQueueNames, limit: number): Promise<readonly DeadLetter[]> {
    const found = await this.#look(names, limit);
    await this.#putBack(names, found);
    return found.slice(0, limit).map(({ messageId, data }) => letterOf(messageId, data.toString('utf8')));
  }

  async replay(names: PubsubQueueNames, limit: number): Promise<number> {
    const found = await this.#look(names, limit);
    await this.#putBack(names, found.slice(limit));
    const replayed = found.slice(0, limit);
    for (const { ackId, data } of replayed) {
      const { job, text } = replayOf(data.toString('utf8'));
      await this.calls.publish(names.topic, job === null ? text : encodeJob(job));
      await this.calls.acknowledge(names.deadSubscription, ackId);
    }
    return replayed.length;
  }

  async remove(names: PubsubQueueNames, ids: readonly string[]): Promise<number> {
    const wanted = new Set(ids);
    const found = await this.#look(names, ids.length);
    const isNamed = ({ messageId }: IncomingMessage): boolean => wanted.has(messageId);
    const named = found.filter(isNamed);
    await Promise.all(named.map(({ ackId }) => this.calls.acknowledge(names.deadSubscription, ackId)));
    await this.#putBack(
      names,
      found.filter((one) => !isNamed(one)),
    );
    return named.length;
  }

  async #look({ deadSubscription }: PubsubQueueNames, asked: number): Promise<readonly IncomingMessage[]> {
    const limit = Math.min(MAX_JOBS, Math.max(asked, MIN_LOOK));
    const found: IncomingMessage[] = [];
    let bytes = 0;
    while (found.length < limit && bytes < MAX_BYTES) {
      const waitMs = found.length === 0 ? FIRST_WAIT_MS : NEXT_WAIT_MS;
      const some = await this.calls.pull(deadSubscription, limit - found.length, waitMs);
      if (some.length === 0) break;
      found.push(...some);
      bytes += some.reduce((sum, { data }) => sum + data.length, 0);
    }
    return found.toSorted((one, other) => one.publishedAtMs - other.publishedAtMs);
  }

  async #putBack({ deadSubscription }: PubsubQueueNames, found: readonly IncomingMessage[]): Promise<void> {
    if (found.length === 0) return;
    await this.calls.hide(
      deadSubscription,
      found.map(({ ackId }) => ackId),
      0,
    );
  }
}
