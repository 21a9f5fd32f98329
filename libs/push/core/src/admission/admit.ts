import { randomUUID } from 'node:crypto';
import { ServiceError } from '@carillon/errors';
import type { RenderedPayload } from '@carillon/push-providers';
import type { PublishState, StoredPublish } from '@carillon/push-store';
import type { PushParts } from '../parts.js';
import { NO_COUNTS } from '../pipeline/lifecycle.js';
import type { Outbox } from '../pipeline/outbox.js';
import type { Planner } from '../pipeline/planner.js';
import type { Lags } from '../watch/lags.js';
import { tellMeta } from '../watch/meta.js';
import { Backpressure } from './backpressure.js';
import { expectedOf } from './expected.js';
import { checkKey, keysOf, knownPublish } from './idempotency.js';
import { type Prepared, prepare } from './prepare.js';
import { publishItem } from './publish-item.js';
import { Quotas, type Taken } from './quotas.js';
import { Readiness, type Workers } from './readiness.js';
import type { PublishRequest } from './request.js';

export interface AdmitOptions {
  /** An operator lifts the quotas for this one. */
  readonly quotaOverride: boolean;
}

/** Result of an accepted publish. */
export interface Accepted {
  readonly publish: StoredPublish;
  /** Number of expected deliveries, also of a refused publish. */
  readonly expected: number;
  readonly rendered: readonly RenderedPayload[];
  readonly duplicate: boolean;
}

/** Destinations of accepted publishes. */
export interface Work {
  readonly outbox: Outbox;
  readonly planner: Planner;
  readonly lags: Lags;
  /** Workers of this process. */
  readonly own: Workers;
}

/** Admits publishes: a publish answered with 202 is stored, and its work is done however often processes die. */
export class Admit {
  readonly #readiness: Readiness;
  readonly #backpressure: Backpressure;
  readonly #quotas: Quotas;

  constructor(
    private readonly parts: PushParts,
    private readonly work: Work,
  ) {
    this.#readiness = new Readiness(parts, work.own);
    this.#backpressure = new Backpressure(parts, work.lags);
    this.#quotas = new Quotas(parts);
  }

  /** Counts publishes against the rate limit of the current second. */
  async checkRate(appId: string, count = 1): Promise<void> {
    const { config, rateLimit, metrics } = this.parts;
    const limit = config.push.default_quotas.acceptance_rps;
    if (limit === 0 || !config.rate_limiter.enabled) return;
    const rule = { identifier: 'push:acceptance', limit, windowMs: 1000 };
    const verdict = await rateLimit.check(rule, appId, count).catch((cause: unknown) => {
      throw new ServiceError('service_unavailable', { text: 'acceptance rate limiter unavailable', cause });
    });
    const used = limit - verdict.remaining;
    metrics.gauge('push_quota_consumed_acceptance').for({ app: appId }).set(used);
    if (verdict.allowed) return;
    metrics.counter('push_quota_acceptance_rejections_total').for({ app: appId }).add();
    tellMeta(this.parts, 'quota-event', { appId, detail: { quota: 'push.acceptance_rate_limit' } });
    const { resetSeconds: retryAfterSeconds } = verdict;
    throw new ServiceError('rate_limited', {
      text: 'push.acceptance_rate_limit exceeded',
      retryAfterSeconds,
    });
  }

  prepare(appId: string, request: PublishRequest): Promise<Prepared> {
    return prepare(this.parts, appId, request);
  }

  /** Checks whether a publish would be accepted now, as far as that is independent of its targets. */
  async checkOpen({ appId, request }: Prepared): Promise<void> {
    await this.#readiness.check(appId, request.targets, 'fastPath');
    await this.#backpressure.check();
  }

  async admit(prepared: Prepared, options: AdmitOptions): Promise<Accepted> {
    const { metrics } = this.parts;
    metrics.known({ app: prepared.appId });
    const fromMs = performance.now();
    const known = await knownPublish(this.parts, prepared);
    if (known !== null) return this.#duplicate(prepared, known);
    await this.checkOpen(prepared);
    const accepted = await this.#accept(prepared, options);
    this.#tell(accepted);
    const { appId: app } = prepared;
    const result = accepted.duplicate ? 'duplicate' : accepted.publish.state;
    metrics.counter('push_publish_accepted_total').for({ app, result }).add();
    metrics
      .histogram('push_publish_acceptance_duration_seconds')
      .for({ app })
      .observe((performance.now() - fromMs) / 1000);
    return accepted;
  }

  #tell({ publish, expected, duplicate }: Accepted): void {
    const { appId, publishId, state, errorReason } = publish;
    if (duplicate) return;
    if (state === 'quota_exceeded')
      tellMeta(this.parts, 'quota-event', { appId, publishId, detail: { quota: errorReason } });
    else tellMeta(this.parts, 'push-accepted', { appId, publishId, detail: { state, expected } });
  }

  async #accept(prepared: Prepared, options: AdmitOptions): Promise<Accepted> {
    const { store, config } = this.parts;
    const { appId, request, rendered } = prepared;
    const counts = await expectedOf(this.parts, appId, request.targets);
    const expected = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const fanoutRegime = expected < config.push.fanout_fast_threshold ? 'fastPath' : 'shardPath';
    if (fanoutRegime === 'shardPath') await this.#readiness.check(appId, request.targets, fanoutRegime);
    const nowMs = this.parts.now();
    const isLate = request.expiresAtMs !== null && request.expiresAtMs <= nowMs;
    const wanted = { appId, targets: request.targets, counts, expected };
    const lifted = options.quotaOverride;
    const taken =
      (lifted ? null : await this.#quotas.refusal(wanted)) ??
      (await this.#quotas.take(appId, isLate ? 0 : expected, lifted));
    const refused = typeof taken === 'string' ? taken : null;
    const state: PublishState = refused === null ? (isLate ? 'expired' : 'queued') : 'quota_exceeded';
    const publish = this.#publish(prepared, state, expected, fanoutRegime, refused);
    const isScheduled = state === 'queued' && request.notBeforeMs !== null && request.notBeforeMs > nowMs;
    const existing = await store.admit({
      publish,
      log: state === 'queued' ? this.#log(prepared, expected) : null,
      idempotency: keysOf(this.parts, prepared),
      dueMs: isScheduled ? request.notBeforeMs : null,
    });
    if (existing !== null) {
      if (typeof taken !== 'string') await this.#quotas.giveBack(taken);
      return this.#duplicate(prepared, existing);
    }
    if (state === 'queued' && typeof taken !== 'string')
      await this.#hand(prepared, expected, taken, isScheduled);
    return { publish, expected, rendered, duplicate: false };
  }

  /** Enqueues the work; work that cannot be enqueued now is found by the repair. */
  async #hand(prepared: Prepared, expected: number, taken: Taken, isScheduled: boolean): Promise<void> {
    const { config, store, log, now } = this.parts;
    const { appId, publishId, request } = prepared;
    const threshold = config.push.fanout_sync_threshold;
    const isDirect = request.targets.every(({ type }) => type === 'device' || type === 'recipient');
    try {
      if (!isScheduled && threshold > 0 && expected <= threshold && isDirect) {
        await this.work.planner.plan(appId, publishId);
        return;
      }
      const delayMs = isScheduled ? (request.notBeforeMs ?? 0) - now() : 0;
      if (isScheduled && !this.work.outbox.canDelay(delayMs)) return;
      await this.work.outbox.put([publishItem(appId, publishId, isScheduled ? request.notBeforeMs : null)]);
    } catch (cause) {
      if (config.push.repair_interval_secs > 0) {
        log.warn('push work could not be given out, the repair will', { app_id: appId, error: cause });
        return;
      }
      await store.withdraw(appId, publishId);
      await this.#quotas.giveBack(taken);
      throw new ServiceError('service_unavailable', { text: 'push queue unavailable', cause });
    }
  }

  async #duplicate(prepared: Prepared, publish: StoredPublish): Promise<Accepted> {
    const { store, metrics, now } = this.parts;
    const { appId, rendered } = prepared;
    await checkKey(this.parts, prepared);
    metrics.counter('push_duplicate_suppressed_total').for().add();
    const log = publish.state === 'queued' ? await store.log(appId, publish.publishId) : null;
    if (log !== null && (log.notBeforeMs ?? 0) <= now()) {
      await this.work.outbox.put([publishItem(appId, publish.publishId, null)]).catch(() => undefined);
    }
    return { publish, expected: publish.counters.planned, rendered, duplicate: true };
  }

  #publish(
    { appId, publishId }: Prepared,
    state: PublishState,
    planned: number,
    fanoutRegime: 'fastPath' | 'shardPath',
    errorReason: string | null,
  ): StoredPublish {
    const nowMs = this.parts.now();
    const counters = { ...NO_COUNTS, planned: state === 'queued' ? planned : 0 };
    return {
      appId,
      publishId,
      state,
      counters,
      planningComplete: false,
      fanoutRegime,
      retryAfterMs: null,
      errorReason,
      createdMs: nowMs,
      updatedMs: nowMs,
    };
  }

  #log({ appId, publishId, request, rendered }: Prepared, expected: number) {
    const { config, secrets, now } = this.parts;
    return {
      appId,
      publishId,
      eventId: randomUUID(),
      occurredMs: now(),
      targets: secrets.seal(JSON.stringify(request.targets), ['push_publish_log', appId, publishId]),
      rendered: JSON.stringify(rendered),
      notBeforeMs: request.notBeforeMs,
      expiresAtMs: request.expiresAtMs,
      expected,
      fastThreshold: config.push.fanout_fast_threshold,
      shardSize: config.push.fanout_shard_size,
    };
  }
}
