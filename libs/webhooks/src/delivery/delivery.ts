import type { AppRegistry } from '@carillon/app-registry';
import type { Config } from '@carillon/config';
import { decodeWebhookJob, type WebhookDeliveryJob, type WebhookJob } from '@carillon/contracts';
import { deadLetter, defer, type Job, type Queue, type Settlement } from '@carillon/queue';
import type { Logger, Metrics } from '@carillon/runtime';
import { traced, traceHeaders } from '@carillon/tracing';
import type { HttpTarget } from '../target/http-target.js';
import type { LambdaTarget } from '../target/lambda-target.js';
import { bornAtMs, DeliveryJobs } from './delivery-jobs.js';
import type { NamespaceOf } from './entry-filter.js';
import { deliveriesOf } from './expand.js';
import { endpointOf, findApp, findReceiver, type Receiver } from './find-receiver.js';
import { webhookHeaders } from './headers.js';
import type { LastAnswers } from './last-answers.js';
import { retrySettings, retryWaitMs, type AttemptOutcome } from './retry.js';
import { Slots, type Slot } from './slots.js';

/** Jobs held at once: those that run, those that wait for their turn, and batches. */
export const HELD_JOBS = 128;
/** When the app store or the queue cannot be reached. */
const LATER_MS = 1000;
/** Clocks of processes differ, and timers are not exact. */
const EARLY_MS = 100;

export interface DeliveryParts {
  readonly queue: Queue;
  readonly apps: Pick<AppRegistry, 'findById'>;
  readonly settings: Config['webhooks'];
  readonly namespaceOf: NamespaceOf;
  readonly http: HttpTarget;
  readonly lambda: LambdaTarget;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Absent: the process has no cache to record answers in. */
  readonly answers?: LastAnswers;
  /** Absent: as many as a process may have. */
  readonly slots?: Slots;
}

/**
 * Consumes the webhook queue: expands batches into deliveries, and sends deliveries. A delivery is one job over all
 * its attempts. Undeliverable ones become dead letters of the queue.
 */
export class Delivery {
  readonly #jobs: DeliveryJobs;
  readonly #slots: Slots;

  /** Deliveries that found no turn and will come again; kept only where they come to this process. */
  readonly #sentAway = new Set<string>();

  constructor(private readonly parts: DeliveryParts) {
    this.#jobs = new DeliveryJobs(parts.queue);
    this.#slots = parts.slots ?? new Slots();
  }

  /** Deliveries that are due and wait for a turn outside. */
  get sentAway(): number {
    return this.#sentAway.size;
  }

  async handle(job: Job): Promise<Settlement | void> {
    this.#sentAway.delete(job.id);
    const decoded = decodeWebhookJob(job.data, this.parts.queue.limits.maxJobBytes);
    if (!decoded.ok) {
      this.parts.log.error('webhook job not understood', { job_id: job.id, detail: decoded.detail });
      return deadLetter('invalid-envelope');
    }
    const { message } = decoded;
    return traced(
      () => ({ name: `job ${message.kind}`, kind: 'consumer', parent: message.trace }),
      () => (message.kind === 'webhook' ? this.#expand(message) : this.#deliver(message, job)),
    );
  }

  async #expand(batch: WebhookJob): Promise<Settlement | void> {
    const app = await findApp(this.parts.apps, batch.app_id);
    if (app === undefined) return defer(LATER_MS);
    if (typeof app === 'string') return this.#dead(batch.app_id, app);
    const { isSafe, refused } = await this.#jobs.begin(deliveriesOf(batch, app, this.parts.namespaceOf));
    if (!isSafe) return defer(LATER_MS);
    return refused > 0 ? this.#dead(app.id, 'too large') : undefined;
  }

  async #deliver(job: WebhookDeliveryJob, held: Job): Promise<Settlement | void> {
    const earlyMs = job.due_ms - Date.now();
    if (earlyMs > EARLY_MS) return defer(earlyMs);
    const found = await findReceiver(this.parts.apps, job);
    if (found === undefined) return defer(LATER_MS);
    if (typeof found === 'string') return this.#dead(job.app_id, found, job);
    const destination = { appId: job.app_id, endpoint: endpointOf(found.entry) };
    const slot = await this.#slots.enter(destination, held.signal);
    if (slot.kind === 'busy') {
      if (!this.parts.queue.capabilities.durable) this.#sentAway.add(held.id);
      return defer(slot.againMs);
    }
    try {
      return await this.#attempt(job, held, slot);
    } finally {
      slot.release(0);
    }
  }

  /** Reads the receiver again: the job may have waited, and the current secret applies. */
  async #attempt(job: WebhookDeliveryJob, held: Job, slot: Slot): Promise<Settlement | void> {
    const receiver = await findReceiver(this.parts.apps, job);
    if (receiver === undefined) return defer(LATER_MS);
    if (typeof receiver === 'string') return this.#dead(job.app_id, receiver, job);
    const { metrics } = this.parts;
    const fromMs = performance.now();
    const outcome = await traced(
      () => ({ name: 'webhook', kind: 'client', attributes: { app_id: job.app_id } }),
      () => this.#send(receiver, job, held.signal),
    );
    const tookMs = performance.now() - fromMs;
    slot.release(tookMs);
    const { app_id: appId, entry, attempt } = job;
    this.parts.answers?.record({ appId, entry, attempt, latencyMs: tookMs, outcome });
    metrics.histogram('webhook_delivery_latency_ms').for({ app_id: job.app_id }).observe(tookMs);
    if (outcome.kind === 'delivered') return this.#count(job.app_id, 'ok');
    if (outcome.kind === 'permanent') return this.#dead(job.app_id, outcome.reason, job);
    return this.#later(receiver, job, bornAtMs(held, job), outcome);
  }

  #send({ app, entry }: Receiver, job: WebhookDeliveryJob, signal: AbortSignal): Promise<AttemptOutcome> {
    const { http, lambda, settings } = this.parts;
    const body = Buffer.from(job.body);
    if (entry.url === null) {
      if (entry.lambda === null) return Promise.resolve({ kind: 'permanent', reason: 'no target' });
      return lambda.invoke(entry.lambda, body, signal);
    }
    return http.post({
      url: entry.url,
      headers: { ...webhookHeaders(app, job.delivery_id, body, entry.headers), ...traceHeaders() },
      body,
      timeoutMs: entry.request_timeout_ms ?? settings.request_timeout_ms,
      signal,
    });
  }

  #later(
    { entry }: Receiver,
    job: WebhookDeliveryJob,
    bornMs: number,
    { reason, retryAfterMs }: Extract<AttemptOutcome, { kind: 'failed' }>,
  ): Settlement {
    const { settings, log } = this.parts;
    const { attempt, app_id, delivery_id } = job;
    const failed = { attempt, elapsedMs: Date.now() - bornMs, retryAfterMs, chance: Math.random() };
    const waitMs = retryWaitMs(failed, retrySettings(entry, settings));
    if (waitMs === null) return this.#dead(app_id, `given up: ${reason}`, job);
    const next = this.#jobs.next(job, bornMs, waitMs);
    if (next === null) return this.#dead(app_id, 'too large', job);
    log.debug('webhook failed, trying again', { app_id, delivery_id, attempt, reason, wait_ms: waitMs });
    this.#count(app_id, 'retry');
    return defer(waitMs, next);
  }

  #dead(appId: string, reason: string, job?: WebhookDeliveryJob): Settlement {
    this.#count(appId, 'dead');
    this.parts.log.warn('webhook not delivered', {
      app_id: appId,
      reason,
      retryable: false,
      ...(job === undefined ? {} : { delivery_id: job.delivery_id, attempt: job.attempt }),
    });
    return deadLetter(reason);
  }

  #count(appId: string, outcome: 'ok' | 'retry' | 'dead'): void {
    this.parts.metrics.counter('webhook_deliveries_total').for({ app_id: appId, outcome }).add();
  }
}
