import {
  encode,
  queueNames,
  WEBHOOK_DELIVERY_JOB,
  type WebhookDeliveryJob,
  type WebhookDeliveryJobBody,
} from '@carillon/contract';
import { JobConflict, type NewJob, type Queue } from '@carillon/queue';
import { isPassing } from '../passing.js';

/** What became of jobs that were to be put into the queue. */
export interface PutJobs {
  /** False: at least one is not there, and trying again is all there is to do. */
  readonly isSafe: boolean;
  /** Jobs the queue cannot hold. */
  readonly refused: number;
}

/** The jobs of deliveries in the queue. Putting the same one again changes nothing, where the queue can tell. */
export class DeliveryJobs {
  constructor(private readonly queue: Queue) {}

  /** The first attempts of deliveries. */
  async begin(deliveries: readonly WebhookDeliveryJobBody[]): Promise<PutJobs> {
    const made = deliveries.map((body) => this.#job(body, body.delivery_id, 0));
    const jobs = made.filter((job) => job !== null);
    const refused = made.length - jobs.length;
    if (jobs.length === 0) return { isSafe: true, refused };
    try {
      await this.queue.enqueueBatch(queueNames.webhooks, jobs);
      return { isSafe: true, refused };
    } catch (error) {
      if (isPassing(error)) return { isSafe: false, refused };
      return { isSafe: await this.#oneByOne(jobs), refused };
    }
  }

  /** The next attempt of a delivery. False: the queue cannot take it now. */
  async again(job: WebhookDeliveryJob, firstAttemptMs: number, waitMs: number): Promise<boolean> {
    const attempt = job.attempt + 1;
    const { delivery_id, app_id, entry, body } = job;
    const due_ms = Date.now() + waitMs;
    const next = { delivery_id, app_id, entry, body, attempt, due_ms, first_attempt_ms: firstAttemptMs };
    const made = this.#job(next, `${delivery_id}.${attempt}`, waitMs);
    return made !== null && this.#oneByOne([made]);
  }

  /** False: at least one is not there. */
  async #oneByOne(jobs: readonly NewJob[]): Promise<boolean> {
    for (const { data, ...options } of jobs) {
      try {
        await this.queue.enqueue(queueNames.webhooks, data, options);
      } catch (error) {
        if (isPassing(error)) return false;
        // It is there already, from the time before: the app or the wait differed, the delivery is the same.
        if (!(error instanceof JobConflict)) throw error;
      }
    }
    return true;
  }

  /** Null: the queue cannot hold it. */
  #job(body: WebhookDeliveryJobBody, jobId: string, delayMs: number): NewJob | null {
    const { capabilities, limits } = this.queue;
    const encoded = encode(WEBHOOK_DELIVERY_JOB, body, limits.maxJobBytes);
    if (!encoded.ok) return null;
    const isDelayed = delayMs > 0 && capabilities.delayedDelivery && delayMs <= limits.maxDelayMs;
    return {
      data: encoded.text,
      partitionKey: body.app_id,
      ...(capabilities.deduplication ? { jobId } : {}),
      ...(isDelayed ? { delayMs } : {}),
    };
  }
}
