import { randomUUID } from 'node:crypto';
import { firstOf } from '../../broker/delivered.js';
import { encodeJob, type Envelope } from '../../broker/envelope.js';
import { written } from '../../broker/written.js';
import { InvalidJob } from '../../failures.js';
import type { PreparedJob } from '../../job-store.js';
import { BATCH, type OutgoingMessage, type SqsCalls } from './calls.js';
import { messageBody, plainName } from './texts.js';

/** What one request may carry, and one message. */
const MOST_BYTES = 262_144;
/** The longest SQS delays a message, where it can. */
const MOST_DELAY_MS = 900_000;

/** Writes jobs to a queue of SQS, standard or FIFO. */
export class SqsSending {
  constructor(
    private readonly calls: SqsCalls,
    private readonly isFifo: boolean,
    private readonly groupId: string,
  ) {}

  /**
   * New jobs. In a FIFO queue one with an id or a key that was there in the last five minutes is not written again; the
   * id is made of the key where only that is given.
   */
  async add(url: string, jobs: readonly PreparedJob[]): Promise<string[]> {
    const named = this.isFifo ? jobs.map(withIdOfKey) : jobs;
    const messages = named.map((job) => {
      const { id, deduplicationKey, owner } = job;
      const group = owner === null || owner === undefined ? this.groupId : plainName(owner);
      return this.#message(firstOf(job), group, plainName(deduplicationKey ?? id));
    });
    const outcomes = await this.#sendAll(url, messages);
    const failures = new Map(named.map((job, index) => [job, outcomes[index] ?? null]));
    return written(named, async (job) => {
      const failure = failures.get(job);
      if (failure) throw failure;
    });
  }

  async copy(url: string, copy: Envelope, group: string): Promise<void> {
    const [failure] = await this.calls.send(url, [this.#message(copy, group || this.groupId, randomUUID())]);
    if (failure) throw failure;
  }

  /** Where SQS itself cannot wait so long, the first delivery sets the wait. */
  #message(envelope: Envelope, groupId: string, deduplicationId: string): OutgoingMessage {
    const { waitMs } = envelope;
    const canDelay = !this.isFifo && waitMs <= MOST_DELAY_MS;
    const body = messageBody(encodeJob(canDelay ? { ...envelope, waitMs: 0 } : envelope));
    if (Buffer.byteLength(body) > MOST_BYTES) throw new InvalidJob(`SQS takes at most ${MOST_BYTES} bytes`);
    const delaySeconds = canDelay ? Math.ceil(waitMs / 1000) : 0;
    return this.isFifo ? { body, delaySeconds, groupId, deduplicationId } : { body, delaySeconds };
  }

  /** In order, in as many requests as it takes. */
  async #sendAll(url: string, messages: readonly OutgoingMessage[]): Promise<readonly (Error | null)[]> {
    const outcomes: (Error | null)[] = [];
    for (const some of requests(messages)) {
      try {
        outcomes.push(...(await this.calls.send(url, some)));
      } catch (error) {
        const failure = error instanceof Error ? error : new Error('not written');
        outcomes.push(...some.map(() => failure));
      }
    }
    return outcomes;
  }
}

function withIdOfKey(job: PreparedJob): PreparedJob {
  const { stableId, deduplicationKey } = job;
  return stableId || deduplicationKey === null ? job : { ...job, id: plainName(deduplicationKey) };
}

function* requests(messages: readonly OutgoingMessage[]): Generator<readonly OutgoingMessage[]> {
  let some: OutgoingMessage[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = Buffer.byteLength(message.body);
    if (some.length === BATCH || (some.length > 0 && bytes + size > MOST_BYTES)) {
      yield some;
      some = [];
      bytes = 0;
    }
    some.push(message);
    bytes += size;
  }
  if (some.length > 0) yield some;
}
