import { randomUUID } from 'node:crypto';
import { firstOf } from '../../broker/delivered.js';
import { encodeJob, type Envelope } from '../../broker/envelope.js';
import type { PreparedJob } from '../../job-store.js';
import { bodyOf, writeInBatches } from '../aws/batches.js';
import { plainName } from '../aws/texts.js';
import type { OutgoingMessage, SqsCalls } from './calls.js';

/** The longest SQS delays a message, where it can. */
const MAX_DELAY_MS = 900_000;

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
    const messageOf = (job: PreparedJob): OutgoingMessage => {
      const { id, deduplicationKey, owner } = job;
      const group = owner === null || owner === undefined ? this.groupId : plainName(owner);
      return this.#message(firstOf(job), group, plainName(deduplicationKey ?? id));
    };
    return writeInBatches(named, messageOf, (messages) => this.calls.send(url, messages));
  }

  async copy(url: string, copy: Envelope, group: string): Promise<void> {
    const [failure] = await this.calls.send(url, [this.#message(copy, group || this.groupId, randomUUID())]);
    if (failure) throw failure;
  }

  /** A delay beyond the limit of SQS is set by the first delivery. */
  #message(envelope: Envelope, groupId: string, deduplicationId: string): OutgoingMessage {
    const { waitMs } = envelope;
    const canDelay = !this.isFifo && waitMs <= MAX_DELAY_MS;
    const body = bodyOf('SQS', encodeJob(canDelay ? { ...envelope, waitMs: 0 } : envelope));
    const delaySeconds = canDelay ? Math.ceil(waitMs / 1000) : 0;
    return this.isFifo ? { body, delaySeconds, groupId, deduplicationId } : { body, delaySeconds };
  }
}

function withIdOfKey(job: PreparedJob): PreparedJob {
  const { stableId, deduplicationKey } = job;
  return stableId || deduplicationKey === null ? job : { ...job, id: plainName(deduplicationKey) };
}
