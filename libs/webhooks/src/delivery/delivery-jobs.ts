import {
  encode,
  queueNames,
  WEBHOOK_DELIVERY_JOB,
  type WebhookDeliveryJob,
  type WebhookDeliveryJobBody,
} from '@carillon/contracts';
import { JobConflict, type Job, type NewJob, type Queue, QueueClient } from '@carillon/queue';
import { isPassing } from '../passing.js';

/** Bytes of a later attempt beyond the first. */
const SPARE_BYTES = 128;

/** Result of enqueuing jobs. */
export interface PutJobs {
  /** False: at least one is not there, and trying again is all there is to do. */
  readonly isSafe: boolean;
  /** Jobs the queue cannot hold. */
  readonly refused: number;
}

/** Delivery jobs in the queue. Enqueuing is idempotent, where the queue supports deduplication. */
export class DeliveryJobs {
  readonly #client: QueueClient;

  constructor(private readonly queue: Queue) {
    this.#client = new QueueClient(queue);
  }

  /** New deliveries, in order. */
  async begin(deliveries: readonly WebhookDeliveryJobBody[]): Promise<PutJobs> {
    const made = deliveries.map((delivery) => this.#job(delivery));
    const jobs = made.filter((job) => job !== null);
    const refused = made.length - jobs.length;
    if (jobs.length === 0) return { isSafe: true, refused };
    try {
      await this.#client.emitJobs(queueNames.webhooks, jobs);
      return { isSafe: true, refused };
    } catch (error) {
      if (isPassing(error)) return { isSafe: false, refused };
      return { isSafe: await this.#oneByOne(jobs), refused };
    }
  }

  /** Returns the job data for the next attempt; null if the queue cannot hold it. */
  next(job: WebhookDeliveryJob, firstAttemptMs: number, waitMs: number): string | null {
    const { delivery_id, app_id, entry, body, trace } = job;
    const attempt = job.attempt + 1;
    const due_ms = Date.now() + waitMs;
    return this.#text(
      { delivery_id, app_id, entry, body, trace, attempt, due_ms, first_attempt_ms: firstAttemptMs },
      0,
    );
  }

  /** False: at least one is not there. */
  async #oneByOne(jobs: readonly NewJob[]): Promise<boolean> {
    for (const job of jobs) {
      try {
        await this.#client.emitJobs(queueNames.webhooks, [job]);
      } catch (error) {
        if (isPassing(error)) return false;
        // An earlier run created it: the app differed, the delivery is the same.
        if (!(error instanceof JobConflict)) throw error;
      }
    }
    return true;
  }

  /** Null: the queue cannot hold it. */
  #job(job: WebhookDeliveryJobBody): NewJob | null {
    const data = this.#text(job, SPARE_BYTES);
    if (data === null) return null;
    return {
      data,
      partitionKey: job.app_id,
      // The batch it is made of stays until it is in the queue.
      isFollowUp: true,
      ...(this.queue.capabilities.deduplication ? { jobId: job.delivery_id } : {}),
    };
  }

  #text(body: WebhookDeliveryJobBody, spareBytes: number): string | null {
    const encoded = encode(WEBHOOK_DELIVERY_JOB, body, this.queue.limits.maxJobBytes - spareBytes);
    return encoded.ok ? encoded.text : null;
  }
}

/** Creation time of a delivery as far as known: the total time limit starts there. */
export function bornAtMs({ enqueuedAtMs }: Job, { first_attempt_ms }: WebhookDeliveryJob): number {
  return Math.min(enqueuedAtMs ?? Infinity, first_attempt_ms ?? Infinity, Date.now());
}
