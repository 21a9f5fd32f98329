import type { ErrorClass } from '@carillon/push-providers';
import type {
  Claim,
  ClaimStep,
  Counters,
  DeliveryEvent,
  StoredDeadLetter,
  StoredPublish,
} from '@carillon/push-store';
import type { PushParts } from '../parts.js';
import { sha256 } from '../hash.js';
import { deliveryAnew } from './batcher.js';
import { deadLetterOf, replayOf, tellDead } from './dead-letters.js';
import { applyToDevices } from './device-effects.js';
import type { NewItem } from './items.js';
import { withCounts } from './lifecycle.js';
import type { Outbox } from './outbox.js';
import type { Feedback } from './payloads.js';
import { retryItem } from './retry-item.js';
import { nextAttemptAtMs as nextAttemptOf, retryKeyOf } from './retry-rule.js';
import { deliveryStage } from './stages.js';
import { checkCounts } from '../watch/invariants.js';
import { tellIfOver, tellMeta } from '../watch/meta.js';

const MINUTE_MS = 60_000;

/** Whether a publish invalidated so many devices that they are hardly the cause. */
const guardTripped = ({ failed, planned }: Counters): boolean =>
  failed >= Math.max(10, Math.ceil(planned * 0.2));

/** Applies results: deliveries, counters and events atomically; then devices and retries. */
export class FeedbackWorker {
  constructor(
    private readonly parts: PushParts,
    private readonly outbox: Outbox,
  ) {}

  /** All of one publish. Applying any of it again changes nothing. */
  async apply(appId: string, publishId: string, results: readonly Feedback[]): Promise<void> {
    const { mostSteps } = this.parts.store;
    const claims: Claim[] = [];
    const taken = new Set<string>();
    let trips = false;
    for (let from = 0; from < results.length; from += mostSteps) {
      const change = await this.#change(appId, publishId, results.slice(from, from + mostSteps));
      claims.push(...change.claims);
      for (const key of change.taken) taken.add(key);
      // The result of the whole batch decides for all of its devices.
      trips ||= change.trips;
    }
    this.#count(results, taken);
    await applyToDevices(this.parts, { appId, publishId, results, taken, trips });
    await this.outbox.hand(this.#retries(results, claims));
  }

  /** One change of the publish. */
  async #change(appId: string, publishId: string, results: readonly Feedback[]) {
    const steps = results.map((one) => this.#stepOf(one));
    let trips = false;
    let taken: ReadonlySet<string> = new Set();
    let before: StoredPublish | null = null;
    let last: StoredPublish | null = null;
    let letters: readonly StoredDeadLetter[] = [];
    const claims = await this.parts.store.changePublish(appId, publishId, steps, (publish, applied) => {
      taken = applied;
      const own = results.filter(({ job }) => applied.has(job.deliveryKey));
      const after = withCounts(publish, countsOf(own), this.parts.now());
      trips =
        guardTripped(after.counters) &&
        // Those that were applied before, too: should that have died behind it, devices are spared all the same.
        results.some(({ failureClass }) => failureClass === 'device_terminal');
      checkCounts(this.parts, after);
      [before, last, letters] = [publish, after, this.#deadLetters(own, after)];
      return { publish: after, events: this.#events(own), deadLetters: letters };
    });
    tellIfOver(this.parts, before, last);
    for (const letter of letters) tellDead(this.parts, letter);
    return { claims: claims ?? [], taken, trips };
  }

  #events(results: readonly Feedback[]): DeliveryEvent[] {
    const { config, now } = this.parts;
    const kept = config.push.analytics_enabled
      ? results
      : results.filter(({ outcome }) => outcome !== 'accepted');
    return kept.map((one) => ({
      appId: one.appId,
      publishId: one.publishId,
      eventId: sha256(one.batchId, one.job.deliveryKey, one.job.attempt),
      occurredMs: now(),
      provider: one.provider,
      outcome: one.outcome,
      result: JSON.stringify({
        deviceId: one.job.deviceId,
        attempt: one.job.attempt,
        class: one.errorClass,
        failureClass: one.failureClass,
      }),
    }));
  }

  /** Deliveries rejected for reasons other than the device. */
  #deadLetters(results: readonly Feedback[], publish: StoredPublish): StoredDeadLetter[] {
    const { secrets, config, now } = this.parts;
    const refused = results.filter(
      ({ outcome, failureClass, errorClass }) =>
        outcome === 'rejected' &&
        failureClass !== 'device_terminal' &&
        failureClass !== 'device_transient' &&
        !QUIET.has(errorClass),
    );
    return refused.map((one) => {
      const { appId, provider, job } = one;
      const item = deliveryAnew(one, '#replay:1');
      const replayable = one.failureClass === 'credential_auth';
      return deadLetterOf(
        {
          appId,
          publishId: publish.publishId,
          provider,
          stage: deliveryStage(provider),
          key: item.key,
          reason: one.errorClass ?? 'rejected',
          occurredMs: now(),
          replay: replayable
            ? replayOf(item, config.push.queue_partition_count, job.deliveryKey, 'failed')
            : null,
        },
        secrets,
      );
    });
  }

  /** Deliveries waiting for another attempt; repeats of an earlier try are identical. */
  #retries(results: readonly Feedback[], claims: readonly Claim[]): NewItem[] {
    const { config, metrics } = this.parts;
    const states = new Map(claims.map((claim) => [claim.deliveryKey, claim]));
    const again = results.filter(({ outcome, job }) => {
      const claim = states.get(job.deliveryKey);
      return outcome === 'retryable' && claim?.state === 'retry' && claim.attempt === job.attempt + 1;
    });
    return again.map((one): NewItem => {
      const { appId, publishId, provider, batchId, job, expiresAtMs, rendered } = one;
      const { firstAttemptAtMs, nextAttemptAtMs, retryKey } = this.#next(one);
      metrics.counter('push_retry_scheduled_total').for({ provider, app: appId }).add();
      return retryItem({
        appId,
        publishId,
        provider,
        batchId,
        job: { ...job, attempt: job.attempt + 1, firstAttemptAtMs },
        firstAttemptAtMs,
        nextAttemptAtMs,
        maxAttempts: config.push.retry.max_attempts,
        expiresAtMs,
        rendered,
        retryKey,
      });
    });
  }

  /** Time and key of the next attempt. */
  #next(one: Feedback) {
    const { config, now } = this.parts;
    const { appId, publishId, provider, batchId, job } = one;
    const firstAttemptAtMs = job.firstAttemptAtMs ?? now();
    const retryKey = retryKeyOf(appId, publishId, provider, batchId, job.deliveryKey, job.attempt + 1);
    const failed = { ...one, attempt: job.attempt, firstAttemptAtMs, retryKey };
    return {
      firstAttemptAtMs,
      retryKey,
      nextAttemptAtMs: nextAttemptOf(failed, config.push.retry, now()),
    };
  }

  #stepOf(one: Feedback): ClaimStep {
    const { job, outcome, told } = one;
    const { deliveryKey, attempt } = job;
    const from = told ? 'open' : 'sending';
    if (outcome !== 'retryable') return { deliveryKey, from, attempt, to: { state: 'done', outcome } };
    // Rounded up to the minute, so that rows of a batch are written together; they are not read until long overdue.
    const dueMs = Math.ceil(this.#next(one).nextAttemptAtMs / MINUTE_MS) * MINUTE_MS;
    return { deliveryKey, from, attempt, to: { state: 'retry', attempt: attempt + 1, dueMs } };
  }

  #count(results: readonly Feedback[], taken: ReadonlySet<string>): void {
    const { metrics } = this.parts;
    const own = results.filter(({ job }) => taken.has(job.deliveryKey));
    if (own.length < results.length)
      metrics
        .counter('push_duplicate_suppressed_total')
        .for()
        .add(results.length - own.length);
    const outcomes = new Map<string, number>();
    for (const { outcome } of own) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    const [first] = own;
    for (const [status, count] of outcomes)
      metrics
        .counter('push_delivery_status_total')
        .for({ status, app: first?.appId ?? '' })
        .add(count);
    for (const { provider, appId: app, publishId, outcome, failureClass } of own) {
      if (outcome === 'rejected' && failureClass !== 'device_terminal')
        tellMeta(this.parts, 'provider-rejected', {
          appId: app,
          publishId,
          provider,
          detail: { failureClass },
        });
      if (failureClass === null) continue;
      metrics
        .counter('push_provider_failures_total')
        .for({ provider, failure_class: failureClass, app })
        .add();
    }
  }
}

/** Refusals that are neither a fault to look at nor worth another try. */
const QUIET: ReadonlySet<ErrorClass | null> = new Set<ErrorClass | null>(['device_rate_limited', 'dropped']);

function countsOf(results: readonly Feedback[]): Partial<Counters> {
  const of = (wanted: Feedback['outcome']): number =>
    results.filter(({ outcome }) => outcome === wanted).length;
  const [succeeded, failed, expired] = [of('accepted'), of('rejected'), of('expired')];
  return {
    dispatched: succeeded + failed + expired,
    succeeded,
    failed,
    expired,
    retryScheduled: of('retryable'),
    planned: -of('cancelled'),
  };
}
