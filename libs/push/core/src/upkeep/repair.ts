import { type Provider, PROVIDERS } from '@carillon/push-providers';
import { CannotOpen, type Claim } from '@carillon/push-store';
import { publishItem } from '../admission/publish-item.js';
import type { PushParts } from '../parts.js';
import { batchItem } from '../pipeline/batcher.js';
import type { NewItem } from '../pipeline/items.js';
import type { Outbox } from '../pipeline/outbox.js';
import type { DeliveryJob } from '../pipeline/payloads.js';
import type { Plan } from '../pipeline/plan.js';
import type { Planner } from '../pipeline/planner.js';
import { retryItem } from '../pipeline/retry-item.js';
import { retryKeyOf } from '../pipeline/retry-rule.js';

const CLAIMS_AT_ONCE = 1000;
const MAX_ROUNDS = 20;
const JOBS_OF_BATCH = 100;
const FORGOTTEN_MS = 600_000;

/**
 * Enqueues lost work again: work that is unfinished in the store and has been untouched for a while. Work that was
 * not lost is then queued twice, which has no effect. Bounded per run; the next run continues.
 */
export class Repair {
  readonly #startedMs: number;

  constructor(
    private readonly parts: PushParts,
    private readonly outbox: Outbox,
    private readonly planner: Planner,
  ) {
    this.#startedMs = parts.now();
  }

  /** An in-memory queue lost all work of an earlier process, so that its work is repaired immediately. */
  get #hasLostQueue(): boolean {
    const { queue, store } = this.parts;
    return store.durable && !queue.capabilities.durable;
  }

  async run(): Promise<void> {
    await this.#publishes();
    await this.#claims();
  }

  /** Planning that was not started or was interrupted: planning again enqueues the rest, including its shards. */
  async #publishes(): Promise<void> {
    const { store, config, metrics, now } = this.parts;
    const { repair_batch_size: most, repair_min_age_secs: seconds } = config.push;
    const queued = await store.forgottenPublishes('queued', this.#before(seconds * 1000), now(), most);
    const begun = await store.forgottenPublishes('begun', this.#before(FORGOTTEN_MS), now(), most);
    const found = [...queued, ...begun];
    metrics.counter('push_repair_scanned_total').for({ category: 'publishes' }).add(found.length);
    for (const { appId, publishId } of found) {
      await this.outbox.hand([publishItem(appId, publishId, null, `#repair:${this.#round()}`)]);
      metrics.counter('push_repair_requeued_total').for({ stage: 'publish_log', reason: 'missing' }).add();
    }
  }

  /** Since when nothing may have happened. */
  #before(idleMs: number): number {
    const beforeMs = this.parts.now() - idleMs;
    return this.#hasLostQueue ? Math.max(beforeMs, this.#startedMs) : beforeMs;
  }

  async #claims(): Promise<void> {
    for (let rounds = 0; rounds < MAX_ROUNDS; rounds += 1) {
      if ((await this.#someClaims()) < CLAIMS_AT_ONCE) return;
    }
  }

  /** Returns the number found. */
  async #someClaims(): Promise<number> {
    const { store, metrics, now } = this.parts;
    const untouchedMs = this.#before(FORGOTTEN_MS);
    // Claims of an earlier process are free once their lease is over.
    const freeMs = untouchedMs === this.#startedMs ? now() : untouchedMs;
    const found = await store.forgottenClaims({ untouchedMs, freeMs }, CLAIMS_AT_ONCE);
    const byPublish = new Map<string, Claim[]>();
    for (const claim of found) {
      const name = JSON.stringify([claim.appId, claim.publishId]);
      byPublish.set(name, [...(byPublish.get(name) ?? []), claim]);
    }
    for (const claims of byPublish.values()) await this.#giveOut(claims);
    metrics
      .counter('push_repair_requeued_total')
      .for({ stage: 'delivery_jobs', reason: 'forgotten' })
      .add(found.length);
    return found.length;
  }

  /** Claims of one publish. */
  async #giveOut(claims: readonly Claim[]): Promise<void> {
    const { store, metrics, now } = this.parts;
    const [first] = claims;
    if (first === undefined) return;
    const { appId, publishId } = first;
    const plan = await this.#load(appId, publishId);
    const why = plan === null ? 'publish_gone' : this.#isHeld(plan) ? 'throttled' : null;
    if (why !== null) metrics.counter('push_repair_skipped_total').for({ reason: why }).add(claims.length);
    else if (plan !== null) await this.outbox.hand(this.#itemsOf(plan, claims));
    const keys = claims.map(({ deliveryKey }) => deliveryKey);
    await store.touchClaims(appId, publishId, keys, now());
  }

  /** Null: missing, or unreadable. Then only the watchdog can end it. */
  async #load(appId: string, publishId: string): Promise<Plan | null> {
    try {
      return await this.planner.load(appId, publishId);
    } catch (error) {
      if (!(error instanceof CannotOpen) && !(error instanceof SyntaxError)) throw error;
      this.parts.log.error('a push cannot be read', { app_id: appId, error });
      return null;
    }
  }

  /** Its batches wait for the provider to be asked again. */
  #isHeld({ publish: { state, retryAfterMs } }: Plan): boolean {
    return state === 'throttled' && (retryAfterMs ?? 0) > this.parts.now();
  }

  #itemsOf(plan: Plan, claims: readonly Claim[]): NewItem[] {
    const named = this.planner.jobsOfPublish(plan);
    const jobOf = (claim: Claim): DeliveryJob | null => jobAgain(plan, claim, named);
    const items: NewItem[] = [];
    for (const provider of PROVIDERS) {
      const own = claims.filter((claim) => claim.provider === provider);
      const retries = own.filter(({ state }) => state === 'retry').map(jobOf);
      const jobs = own.filter(({ state }) => state !== 'retry').map(jobOf);
      items.push(
        ...this.#retries(
          plan,
          provider,
          retries.filter((job) => job !== null),
        ),
      );
      items.push(
        ...this.#batches(
          plan,
          provider,
          jobs.filter((job) => job !== null),
        ),
      );
    }
    return items;
  }

  #batches({ log, rendered }: Plan, provider: Provider, jobs: readonly DeliveryJob[]): NewItem[] {
    const { appId, publishId, expiresAtMs } = log;
    const items: NewItem[] = [];
    for (let from = 0; from < jobs.length; from += JOBS_OF_BATCH) {
      const some = jobs.slice(from, from + JOBS_OF_BATCH);
      const batchId = this.#batchId(some[0]);
      const payload = rendered.get(provider) ?? {};
      items.push(
        batchItem({ appId, publishId, provider, batchId, rendered: payload, expiresAtMs, jobs: some }),
      );
    }
    return items;
  }

  /** Enqueued as retries: the retry rule decides whether there is another attempt. */
  #retries({ log, rendered }: Plan, provider: Provider, jobs: readonly DeliveryJob[]): NewItem[] {
    const { appId, publishId, expiresAtMs } = log;
    const nowMs = this.parts.now();
    return jobs.map((job) => {
      const batchId = this.#batchId(job);
      return retryItem({
        appId,
        publishId,
        provider,
        batchId,
        job,
        firstAttemptAtMs: job.firstAttemptAtMs ?? nowMs,
        nextAttemptAtMs: nowMs,
        maxAttempts: this.parts.config.push.retry.max_attempts,
        expiresAtMs,
        rendered: rendered.get(provider) ?? {},
        retryKey: retryKeyOf(appId, publishId, provider, batchId, job.deliveryKey, job.attempt),
      });
    });
  }

  #batchId(job: DeliveryJob | undefined): string {
    return `repair-${this.#round()}-${job?.deliveryKey.slice(0, 16)}`;
  }

  /** Round number, equal for concurrent repairs, so that a deduplicating queue keeps one copy. */
  #round(): number {
    const { config, now } = this.parts;
    return Math.floor(now() / (config.push.repair_interval_secs * 1000));
  }
}

/** Returns the job of a claim; null: the publish has no matching target. */
function jobAgain(
  { publish, log }: Plan,
  { deliveryKey, deviceId, attempt, firstAttemptMs }: Claim,
  named: ReadonlyMap<string, DeliveryJob>,
): DeliveryJob | null {
  // A process of before did not keep when it was first tried, which was hardly before it could be.
  const couldBeMs = attempt === 1 ? null : Math.max(publish.createdMs, log.notBeforeMs ?? 0);
  const firstAttemptAtMs = firstAttemptMs ?? couldBeMs;
  const job =
    deviceId === null
      ? named.get(deliveryKey)
      : { deliveryKey, deviceId, attempt, firstAttemptAtMs, recipient: null, audience: null };
  return job === undefined ? null : { ...job, attempt, firstAttemptAtMs };
}
