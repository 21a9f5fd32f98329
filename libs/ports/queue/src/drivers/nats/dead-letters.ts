import { encodeDead, encodeJob, type Death } from '../../broker/envelope.js';
import { letterOf, replayOf } from '../../broker/delivered.js';
import { MOST_BYTES } from '../../job-store.js';
import type { DeadLetter } from '../../port.js';
import { isError, type JetStream, NO_MESSAGE, numberOf, objectOf, textOf } from './jetstream.js';
import type { NatsQueueNames } from './names.js';

interface Stored {
  readonly place: number;
  readonly text: string;
}

/** The dead of a queue: a stream of their own that keeps the newest. */
export class NatsDeadLetters {
  constructor(
    private readonly jetStream: JetStream,
    private readonly retention: number,
  ) {}

  /** Resolves when the letter is stored, or none are to be kept. */
  async bury(names: NatsQueueNames, text: string, death: Death): Promise<void> {
    if (this.retention === 0) return;
    await this.jetStream.publish(names.deadSubject, encodeDead(text, death));
  }

  async list(names: NatsQueueNames, limit: number): Promise<readonly DeadLetter[]> {
    const stored = await this.#read(names, limit);
    return stored.map(({ place, text }) => letterOf(String(place), text));
  }

  async replay(names: NatsQueueNames, limit: number): Promise<number> {
    let count = 0;
    while (count < limit) {
      const some = await this.#read(names, limit - count);
      if (some.length === 0) break;
      for (const { place, text } of some) {
        const { job, text: original } = replayOf(text);
        await this.jetStream.publish(names.subject, job === null ? original : encodeJob(job));
        await this.#remove(names, place);
        count += 1;
      }
    }
    return count;
  }

  async remove(names: NatsQueueNames, ids: readonly string[]): Promise<number> {
    const places = ids.filter((id) => /^[1-9]\d{0,15}$/.test(id)).map(Number);
    const removed = await Promise.all(places.map((place) => this.#remove(names, place)));
    return removed.filter(Boolean).length;
  }

  /** The oldest, fewer when they are large. */
  async #read({ deadStream, deadSubject }: NatsQueueNames, limit: number): Promise<readonly Stored[]> {
    const stored: Stored[] = [];
    let bytes = 0;
    for (let from = 1; stored.length < limit && bytes < MOST_BYTES;) {
      const one = await messageFrom(this.jetStream, deadStream, deadSubject, from);
      if (one === null) break;
      stored.push({ place: one.place, text: one.text });
      bytes += one.text.length;
      from = one.place + 1;
    }
    return stored;
  }

  async #remove({ deadStream }: NatsQueueNames, place: number): Promise<boolean> {
    try {
      const request = { seq: place, no_erase: true };
      const { success } = await this.jetStream.api(`STREAM.MSG.DELETE.${deadStream}`, request);
      return success === true;
    } catch (error) {
      if (GONE.some((code) => isError(error, code))) return false;
      throw error;
    }
  }
}

const GONE = [NO_MESSAGE, 10043, 10057];

interface Found extends Stored {
  readonly writtenAtMs: number;
}

/** The first message from that place on; null: there is none. */
export async function messageFrom(
  jetStream: JetStream,
  stream: string,
  subject: string,
  from: number,
): Promise<Found | null> {
  try {
    const request = { seq: from, next_by_subj: subject };
    const { message } = await jetStream.api(`STREAM.MSG.GET.${stream}`, request);
    const { seq, data, time } = objectOf(message);
    return {
      place: numberOf(seq),
      text: Buffer.from(textOf(data), 'base64').toString('utf8'),
      writtenAtMs: Date.parse(textOf(time)),
    };
  } catch (error) {
    if (isError(error, NO_MESSAGE)) return null;
    throw error;
  }
}
