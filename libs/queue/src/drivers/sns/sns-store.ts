import { firstOf, NOTHING } from '../../broker/delivered.js';
import { encodeJob } from '../../broker/envelope.js';
import type { Claim, ClaimedJob, JobStore, PreparedJob, Settled } from '../../job-store.js';
import { UNKNOWN_STATS, type DeadLetter, type JobEvent, type QueueStats } from '../../port.js';
import { bodyOf, writeInBatches } from '../aws/batches.js';
import { messageBody, plainName } from '../aws/texts.js';
import { QUEUE_ATTRIBUTE, type SnsCalls, type TopicMessage } from './calls.js';

/** Type of the attribute, which counts towards the size of a message. */
const ATTRIBUTE_TYPE = 'String';

/**
 * Jobs published to a topic of SNS; its subscriptions deliver them to the queues that consumers read. Nothing can be
 * claimed here: the queue over this store refuses handlers.
 */
export class SnsStore implements JobStore {
  constructor(
    private readonly calls: SnsCalls,
    private readonly isFifo: boolean,
  ) {}

  connect(): Promise<void> {
    return this.calls.check();
  }

  add(queue: string, jobs: readonly PreparedJob[]): Promise<string[]> {
    const name = messageBody(queue);
    const attributeBytes = Buffer.byteLength(QUEUE_ATTRIBUTE + ATTRIBUTE_TYPE + name);
    const messageOf = (job: PreparedJob): TopicMessage => ({
      body: bodyOf('SNS', encodeJob(firstOf(job)), attributeBytes),
      queue: name,
      fifo: this.isFifo ? { groupId: plainName(job.owner ?? queue), deduplicationId: job.id } : null,
    });
    return writeInBatches(jobs, messageOf, (messages) => this.calls.publish(messages), attributeBytes);
  }

  async claim(): Promise<Claim> {
    return NOTHING;
  }

  async settle(): Promise<Settled> {
    return 'lost';
  }

  async renew(_queue: string, jobs: readonly ClaimedJob[]): Promise<readonly ClaimedJob[]> {
    return jobs;
  }

  async release(): Promise<void> {}

  async wait(): Promise<void> {}

  async stats(): Promise<QueueStats> {
    return UNKNOWN_STATS;
  }

  async listDeadLetters(): Promise<readonly DeadLetter[]> {
    return [];
  }

  async replayDeadLetters(): Promise<number> {
    return 0;
  }

  async removeDeadLetters(): Promise<number> {
    return 0;
  }

  async listEvents(): Promise<readonly JobEvent[]> {
    return [];
  }

  health(): Promise<void> {
    return this.calls.check();
  }

  async close(): Promise<void> {
    this.calls.close();
  }
}
