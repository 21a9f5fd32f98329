import type { Channel, GetMessage } from 'amqplib';
import { letterOf, replayOf } from '../../broker/delivered.js';
import { encodeDead, encodeJob, type Death } from '../../broker/envelope.js';
import { fingerprint } from '../../fingerprint.js';
import { MAX_BYTES, MAX_JOBS } from '../../job-store.js';
import type { DeadLetter } from '../../port.js';
import { headersOf } from './headers.js';
import type { RabbitQueueNames } from './names.js';
import type { RabbitSession } from './session.js';

/** The dead of a queue: a queue of their own that drops the oldest beyond its length. */
export class RabbitDeadLetters {
  constructor(private readonly retention: number) {}

  /** Resolves when the letter is stored, or none are to be kept. */
  async bury(session: RabbitSession, { dead }: RabbitQueueNames, text: string, death: Death): Promise<void> {
    if (this.retention > 0) await session.publish(dead, encodeDead(text, death), {});
  }

  /** Takes the letters out and returns them: they are invisible to others meanwhile. */
  list(session: RabbitSession, { dead }: RabbitQueueNames, limit: number): Promise<readonly DeadLetter[]> {
    return session.alone(async (channel) => {
      const letters: DeadLetter[] = [];
      await eachOf(channel, dead, limit, async (message) => {
        letters.push(letterOf(idOf(message), textOf(message)));
        return letters.length < limit;
      });
      return letters;
    });
  }

  replay(session: RabbitSession, { dead, queue }: RabbitQueueNames, limit: number): Promise<number> {
    return session.alone(async (channel) => {
      let count = 0;
      await eachOf(channel, dead, limit, async (message) => {
        const { job, text } = replayOf(textOf(message));
        await session.publish(queue, job === null ? text : encodeJob(job), headersOf(1));
        channel.ack(message);
        count += 1;
        return true;
      });
      return count;
    });
  }

  /** Among the oldest, where `list` finds them. */
  remove(session: RabbitSession, { dead }: RabbitQueueNames, ids: readonly string[]): Promise<number> {
    const wanted = new Set(ids);
    return session.alone(async (channel) => {
      let count = 0;
      await eachOf(channel, dead, MAX_JOBS, async (message) => {
        if (wanted.delete(idOf(message))) {
          channel.ack(message);
          count += 1;
        }
        return wanted.size > 0;
      });
      return count;
    });
  }
}

/** Iterates from the oldest letter, until stopped, at the end, or at the size limit. */
async function eachOf(
  channel: Channel,
  queue: string,
  limit: number,
  use: (message: GetMessage) => Promise<boolean>,
): Promise<void> {
  let bytes = 0;
  for (let count = 0; count < limit && bytes < MAX_BYTES; count += 1) {
    const message = await channel.get(queue);
    if (message === false) return;
    bytes += message.content.byteLength;
    if (!(await use(message))) return;
  }
}

const textOf = ({ content }: GetMessage): string => content.toString('utf8');

/** Foreign messages may have no id. */
function idOf({ properties, content }: GetMessage): string {
  const { messageId } = properties as { messageId?: unknown };
  return typeof messageId === 'string' && messageId !== ''
    ? messageId
    : fingerprint(content.toString('utf8'));
}
