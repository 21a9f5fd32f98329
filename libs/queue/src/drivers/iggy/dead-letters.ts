import {
  endOf,
  type IggyClient,
  type PartitionAddress,
  pollMessages,
  type PolledMessage,
  storedOffset,
  storeOffset,
} from '@carillon/iggy';
import { letterOf, replayOf } from '../../broker/delivered.js';
import { encodeDead, encodeJob, type Death } from '../../broker/envelope.js';
import { MAX_BYTES } from '../../job-store.js';
import type { DeadLetter } from '../../port.js';

export interface DeadLetterTopic {
  readonly client: IggyClient;
  readonly address: PartitionAddress;
  readonly consumer: string;
  readonly send: (text: string) => Promise<void>;
}

/** Letters per request. */
const BATCH = 50;

/**
 * Dead letters of a queue: a topic, whose offsets are their ids. Removed ones lie below a stored offset, so that `remove`
 * stops at the first letter that was not named; older ones than the retention are not listed.
 */
export class IggyDeadLetters {
  constructor(private readonly retention: number) {}

  /** Resolves when the dead letter is stored, or immediately when none are kept. */
  async bury({ send }: DeadLetterTopic, text: string, death: Death): Promise<void> {
    if (this.retention > 0) await send(encodeDead(text, death));
  }

  async list(topic: DeadLetterTopic, limit: number): Promise<readonly DeadLetter[]> {
    const letters = await this.#oldest(topic, limit);
    return letters.map(({ offset, payload }) => letterOf(String(offset), payload.toString('utf8')));
  }

  async replay(
    topic: DeadLetterTopic,
    limit: number,
    send: (text: string) => Promise<void>,
  ): Promise<number> {
    const letters = await this.#oldest(topic, limit);
    for (const { offset, payload } of letters) {
      const { job, text } = replayOf(payload.toString('utf8'));
      await send(job === null ? text : encodeJob(job));
      await storeOffset(topic.client, topic.address, topic.consumer, offset);
    }
    return letters.length;
  }

  async remove(topic: DeadLetterTopic, ids: readonly string[]): Promise<number> {
    const { low, high } = await this.#bounds(topic);
    const wanted = new Set(ids);
    let end = low;
    while (end < high && wanted.has(String(end))) end += 1;
    if (end > low) await storeOffset(topic.client, topic.address, topic.consumer, end - 1);
    return end - low;
  }

  async #bounds({ client, address, consumer }: DeadLetterTopic): Promise<{ low: number; high: number }> {
    const [stored, high] = await Promise.all([
      storedOffset(client, address, consumer),
      endOf(client, address, consumer),
    ]);
    return { low: Math.max(stored === null ? 0 : stored + 1, high - this.retention), high };
  }

  /** Fewer than `limit` when they are large together. */
  async #oldest(topic: DeadLetterTopic, limit: number): Promise<readonly PolledMessage[]> {
    const { low, high } = await this.#bounds(topic);
    const letters: PolledMessage[] = [];
    let bytes = 0;
    for (let value = low; value < high && letters.length < limit && bytes < MAX_BYTES;) {
      const { client, address, consumer } = topic;
      const count = Math.min(BATCH, limit - letters.length);
      const { messages } = await pollMessages(client, address, {
        consumer,
        kind: 'offset',
        value,
        count,
        autoCommit: false,
      });
      const last = messages.at(-1);
      if (last === undefined) break;
      letters.push(...messages);
      for (const { payload } of messages) bytes += payload.byteLength;
      value = last.offset + 1;
    }
    return letters;
  }
}
