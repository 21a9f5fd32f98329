import { randomUUID } from 'node:crypto';
import { letterOf, replayOf } from '../../broker/delivered.js';
import { encodeDead, encodeJob, type Death } from '../../broker/envelope.js';
import { MAX_BYTES, MAX_JOBS } from '../../job-store.js';
import type { DeadLetter } from '../../port.js';
import { BATCH } from '../aws/batches.js';
import type { IncomingMessage, SqsCalls } from './calls.js';
import type { SqsPlace } from './queues.js';
import { messageBody, textOfBody } from '../aws/texts.js';

/** Others do not see a letter while it is looked at. */
const LOOK_SECONDS = 30;
/** Long-poll time: a long poll queries all servers of SQS, a short one only some. */
const LONG_SECONDS = 1;

/** The dead of a queue: a queue of their own, in which SQS keeps them for two weeks. */
export class SqsDeadLetters {
  constructor(
    private readonly calls: SqsCalls,
    private readonly isFifo: boolean,
    private readonly retention: number,
  ) {}

  /** Resolves when the letter is stored, or none are to be kept. */
  async bury({ deadUrl }: SqsPlace, text: string, death: Death): Promise<void> {
    if (this.retention === 0) return;
    const [failure] = await this.calls.send(deadUrl, [this.#message(encodeDead(text, death))]);
    if (failure) throw failure;
  }

  /**
   * Returns the oldest letters among those that SQS returns; more are read than requested, so that the oldest are
   * among them.
   */
  async list({ deadUrl }: SqsPlace, limit: number): Promise<readonly DeadLetter[]> {
    const found = await this.#look(deadUrl, Math.max(limit, BATCH));
    await this.#putBack(deadUrl, found);
    const oldest = inOrder(found).slice(0, limit);
    return oldest.map(({ id, text }) => letterOf(id, text));
  }

  async replay(place: SqsPlace, limit: number): Promise<number> {
    const [replayed, rest] = split(inOrder(await this.#look(place.deadUrl, Math.max(limit, BATCH))), limit);
    await this.#putBack(place.deadUrl, rest);
    for (const { text, receipt } of replayed) {
      const { job, text: original } = replayOf(text);
      const message = this.#message(job === null ? original : encodeJob(job));
      const [failure] = await this.calls.send(place.url, [message]);
      if (failure) throw failure;
      await this.calls.remove(place.deadUrl, receipt);
    }
    return replayed.length;
  }

  async remove({ deadUrl }: SqsPlace, ids: readonly string[]): Promise<number> {
    const wanted = new Set(ids);
    const found = await this.#look(deadUrl, Math.min(MAX_JOBS, ids.length + BATCH));
    const named = found.filter(({ id }) => wanted.has(id));
    await Promise.all(named.map(({ receipt }) => this.calls.remove(deadUrl, receipt)));
    await this.#putBack(
      deadUrl,
      found.filter(({ id }) => !wanted.has(id)),
    );
    return named.length;
  }

  #message(text: string) {
    const body = messageBody(text);
    if (!this.isFifo) return { body, delaySeconds: 0 };
    // Of one group only a few are given out at a time.
    return { body, delaySeconds: 0, groupId: randomUUID(), deduplicationId: randomUUID() };
  }

  async #look(url: string, limit: number): Promise<readonly Found[]> {
    const found: Found[] = [];
    let bytes = 0;
    while (found.length < limit && bytes < MAX_BYTES) {
      const some = await this.calls.receive(url, {
        most: Math.min(limit - found.length, BATCH),
        waitSeconds: found.length === 0 ? LONG_SECONDS : 0,
        visibilitySeconds: LOOK_SECONDS,
      });
      if (some.length === 0) break;
      found.push(...some.map((message) => ({ ...message, text: textOfBody(message.body) })));
      bytes += some.reduce((sum, { body }) => sum + body.length, 0);
    }
    return found;
  }

  async #putBack(url: string, found: readonly Found[]): Promise<void> {
    await this.calls.hide(
      url,
      found.map(({ receipt }) => receipt),
      0,
    );
  }
}

interface Found extends IncomingMessage {
  readonly text: string;
}

const inOrder = (found: readonly Found[]): readonly Found[] =>
  found.toSorted((one, other) => (one.sentAtMs ?? 0) - (other.sentAtMs ?? 0));

const split = (found: readonly Found[], at: number) => [found.slice(0, at), found.slice(at)] as const;
