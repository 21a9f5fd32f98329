import { textOf } from '@carillon/nats';
import type { NextMsgRequest, SeqMsgRequest, StoredMsg } from '@nats-io/jetstream';
import { encodeDead, encodeJob, type Death } from '../../broker/envelope.js';
import { letterOf, replayOf } from '../../broker/delivered.js';
import { MAX_BYTES } from '../../job-store.js';
import type { DeadLetter } from '../../port.js';
import type { NatsQueueNames } from './names.js';
import { hasCode, type JetStreamSession, NOT_FOUND, publish } from './session.js';

/** The dead letters of a queue: a stream that keeps the newest. */
export class NatsDeadLetters {
  constructor(
    private readonly session: () => Promise<JetStreamSession>,
    private readonly retention: number,
  ) {}

  /** Stores the letter, unless none are kept. A repetition with the same token stores nothing more. */
  async bury({ deadSubject }: NatsQueueNames, token: string, text: string, death: Death): Promise<void> {
    if (this.retention === 0) return;
    await publish(await this.session(), deadSubject, encodeDead(text, death), token);
  }

  async list(names: NatsQueueNames, limit: number): Promise<readonly DeadLetter[]> {
    const stored = await this.#read(names, limit);
    return stored.map(({ seq, data }) => letterOf(String(seq), textOf(data)));
  }

  async replay(names: NatsQueueNames, limit: number): Promise<number> {
    let count = 0;
    while (count < limit) {
      const some = await this.#read(names, limit - count);
      if (some.length === 0) break;
      for (const { seq, data } of some) {
        const { job, text } = replayOf(textOf(data));
        await publish(await this.session(), names.subject, job === null ? text : encodeJob(job));
        await this.#remove(names, seq);
        count += 1;
      }
    }
    return count;
  }

  async remove(names: NatsQueueNames, ids: readonly string[]): Promise<number> {
    const sequences = ids.filter((id) => /^[1-9]\d{0,15}$/.test(id)).map(Number);
    const removed = await Promise.all(sequences.map((sequence) => this.#remove(names, sequence)));
    return removed.filter(Boolean).length;
  }

  /** Reads the oldest letters, fewer when they are large. */
  async #read({ deadStream, deadSubject }: NatsQueueNames, limit: number): Promise<readonly StoredMsg[]> {
    const session = await this.session();
    const stored: StoredMsg[] = [];
    let bytes = 0;
    for (let from = 1; stored.length < limit && bytes < MAX_BYTES;) {
      const one = await messageFrom(session, deadStream, deadSubject, from);
      if (one === null) break;
      stored.push(one);
      bytes += one.data.byteLength;
      from = one.seq + 1;
    }
    return stored;
  }

  async #remove({ deadStream }: NatsQueueNames, sequence: number): Promise<boolean> {
    const { manager } = await this.session();
    try {
      return await manager.streams.deleteMessage(deadStream, sequence, false);
    } catch (error) {
      if (hasCode(error, ...NOT_FOUND)) return false;
      throw error;
    }
  }
}

/** Returns the first message of the subject with at least this sequence; null if none exists. */
export function messageFrom(
  { manager }: JetStreamSession,
  stream: string,
  subject: string,
  sequence: number,
): Promise<StoredMsg | null> {
  const request: NextMsgRequest & SeqMsgRequest = { seq: sequence, next_by_subj: subject };
  return manager.streams.getMessage(stream, request);
}
