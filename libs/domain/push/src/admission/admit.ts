import { randomUUID } from 'node:crypto';
import { ServiceError } from '@carillon/errors';
import { CLOUDS, type RenderedPayload } from '@carillon/push-providers';
import type { IdempotencyRow, PublishState, StoredPublish } from '@carillon/push-store';
import { canonicalJson, sha256 } from '../hash.js';
import type { PushParts } from '../parts.js';
import { dayOf } from '../pipeline/app-weights.js';
import { NO_COUNTS } from '../pipeline/lifecycle.js';
import type { Outbox } from '../pipeline/outbox.js';
import type { Planner } from '../pipeline/planner.js';
import { renderedFor } from '../stages.js';
import type { Lags } from '../watch/lags.js';
import { Backpressure } from './backpressure.js';
import { expectedOf } from './expected.js';
import { publishItem } from './publish-item.js';
import { Readiness, type Workers } from './readiness.js';
import { renderPublish } from './render.js';
import type { PublishRequest } from './request.js';

const DAY_MS = 86_400_000;

export interface AdmitOptions {
  /** An operator lifts the quotas for this one. */
  readonly quotaOverride: boolean;
}

/** What a publish is answered with. */
export interface Accepted {
  readonly publish: StoredPublish;
  /** How many it reaches, of one that is refused too. */
  readonly expected: number;
  readonly rendered: readonly RenderedPayload[];
  readonly duplicate: boolean;
}

/** A publish that has been read and rendered, and may be accepted. */
export interface Prepared {
  readonly appId: string;
  readonly publishId: string;
  readonly request: PublishRequest;
  readonly rendered: readonly RenderedPayload[];
  readonly bodyHash: string;
}

/** What accepted publishes go to. */
export interface Work {
  readonly outbox: Outbox;
  readonly planner: Planner;
  readonly lags: Lags;
  /** What runs in this process. */
  readonly own: Workers;
}

/** Accepts publishes: what was answered with 202 is kept, and its work is done however often processes die. */
export class Admit {
  readonly #readiness: Readiness;
  readonly #backpressure: Backpressure;

  constructor(
    private readonly parts: PushParts,
    private readonly work: Work,
  ) {
    this.#readiness = new Readiness(parts, work.own);
    this.#backpressure = new Backpressure(parts, work.lags);
  }

  /** Counts so many publishes in the second they came in. */
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
    const { resetSeconds: retryAfterSeconds } = verdict;
    throw new ServiceError('rate_limited', {
      text: 'push.acceptance_rate_limit exceeded',
      retryAfterSeconds,
    });
  }

  /** Renders the publish for every provider. */
  async prepare(appId: string, request: PublishRequest): Promise<Prepared> {
    const { templateId } = request.payload;
    const template = templateId === null ? null : await this.parts.store.template(appId, templateId);
    if (templateId !== null && template === null) {
      throw new ServiceError('invalid_input', { text: 'the template does not exist' });
    }
    const providers = renderedFor(this.parts.config);
    const rendered = renderPublish(request.payload, request.overrides, template, providers);
    const { publishId, idempotencyKey: _key, overrides, ...said } = request;
    const sorted = [...overrides].toSorted(([one], [other]) => (one < other ? -1 : 1));
    const bodyHash = sha256(canonicalJson({ ...said, overrides: sorted }));
    return { appId, publishId: publishId ?? randomUUID(), request, rendered, bodyHash };
  }

  /** Whether a publish would be taken now, as far as that does not depend on whom it reaches. */
  async checkOpen({ appId, request }: Prepared): Promise<void> {
    await this.#readiness.check(appId, request.targets, 'fastPath');
    await this.#backpressure.check();
  }

  async admit(prepared: Prepared, options: AdmitOptions): Promise<Accepted> {
    const { metrics } = this.parts;
    metrics.known({ app: prepared.appId });
    const fromMs = performance.now();
    const known = await this.#known(prepared);
    if (known !== null) return this.#duplicate(prepared, known);
    await this.checkOpen(prepared);
    const accepted = await this.#accept(prepared, options);
    const { appId: app } = prepared;
    const result = accepted.duplicate ? 'duplicate' : accepted.publish.state;
    metrics.counter('push_publish_accepted_total').for({ app, result }).add();
    metrics
      .histogram('push_publish_acceptance_duration_seconds')
      .for({ app })
      .observe((performance.now() - fromMs) / 1000);
    return accepted;
  }

  async #accept(prepared: Prepared, options: AdmitOptions): Promise<Accepted> {
    const { store, config } = this.parts;
    const { appId, request, rendered } = prepared;
    const counts = await expectedOf(this.parts, appId, request.targets);
    const expected = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const fanoutRegime = expected < config.push.fanout_fast_threshold ? 'fastPath' : 'shardPath';
    if (fanoutRegime === 'shardPath') await this.#readiness.check(appId, request.targets, fanoutRegime);
    const refused = options.quotaOverride ? null : await this.#overQuota(prepared, expected, counts);
    const nowMs = this.parts.now();
    const isLate = request.expiresAtMs !== null && request.expiresAtMs <= nowMs;
    const state: PublishState = refused === null ? (isLate ? 'expired' : 'queued') : 'quota_exceeded';
    const publish = this.#publish(prepared, state, expected, fanoutRegime, refused);
    const isScheduled = state === 'queued' && request.notBeforeMs !== null && request.notBeforeMs > nowMs;
    const existing = await store.admit({
      publish,
      log: state === 'queued' ? this.#log(prepared, expected) : null,
      idempotency: this.#keys(prepared),
      dueMs: isScheduled ? request.notBeforeMs : null,
    });
    if (existing !== null) return this.#duplicate(prepared, existing);
    if (state === 'queued') await this.#hand(prepared, expected, isScheduled);
    return { publish, expected, rendered, duplicate: false };
  }

  /** Gives the work out; what cannot be given out now is found by the repair. */
  async #hand(prepared: Prepared, expected: number, isScheduled: boolean): Promise<void> {
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
      throw new ServiceError('service_unavailable', { text: 'push queue unavailable', cause });
    }
  }

  /** Null: nobody published this before. */
  async #known(prepared: Prepared): Promise<StoredPublish | null> {
    const { store, now } = this.parts;
    const { appId, bodyHash, request } = prepared;
    if (request.publishId === null && request.idempotencyKey === null) return null;
    const rows = await store.idempotency(
      appId,
      this.#keys(prepared).map(({ key }) => key),
      now(),
    );
    for (const row of rows) {
      const publish = row.publishId === null ? null : await store.publish(appId, row.publishId);
      if (publish === null) continue;
      if (row.bodyHash !== null && row.bodyHash !== bodyHash) {
        throw new ServiceError('conflict', {
          text: 'idempotency key was already used with a different payload',
        });
      }
      return publish;
    }
    return null;
  }

  async #duplicate(
    { rendered, request, bodyHash, appId }: Prepared,
    publish: StoredPublish,
  ): Promise<Accepted> {
    const { store, metrics, now } = this.parts;
    if (request.idempotencyKey !== null) {
      const [row] = await store.idempotency(appId, [keyOf(appId, request.idempotencyKey)], now());
      if (row !== undefined && row.bodyHash !== null && row.bodyHash !== bodyHash) {
        throw new ServiceError('conflict', {
          text: 'idempotency key was already used with a different payload',
        });
      }
    }
    metrics.counter('push_duplicate_suppressed_total').for().add();
    const log = publish.state === 'queued' ? await store.log(appId, publish.publishId) : null;
    if (log !== null && (log.notBeforeMs ?? 0) <= now()) {
      await this.work.outbox.put([publishItem(appId, publish.publishId, null)]).catch(() => undefined);
    }
    return { publish, expected: publish.counters.planned, rendered, duplicate: true };
  }

  /** Why it is too much; null: it is not. */
  async #overQuota(
    prepared: Prepared,
    expected: number,
    counts: ReadonlyMap<string, number>,
  ): Promise<string | null> {
    const { store, config, now, metrics, rateLimit } = this.parts;
    const { appId, request } = prepared;
    const { default_quotas: quotas } = config.push;
    if (quotas.inflight_max > 0) {
      const active = await store.countActive(appId, now(), quotas.inflight_max);
      if (active >= quotas.inflight_max) {
        throw new ServiceError('rate_limited', { text: 'push.inflight_max exceeded', retryAfterSeconds: 1 });
      }
    }
    const refused = (what: string): string => {
      metrics.counter('push_quota_delivery_rejections_total').for({ app: appId }).add();
      return `${what} exceeded`;
    };
    if (quotas.fanout_max > 0 && expected > quotas.fanout_max) return refused('push.fanout_max');
    for (const provider of CLOUDS) {
      const { ceiling } = config.push[provider];
      if (ceiling > 0 && (counts.get(provider) ?? 0) > ceiling) return refused(`push.${provider}.ceiling`);
    }
    for (const target of request.targets) {
      if (target.type !== 'device') continue;
      const device = await store.device(appId, target.deviceId);
      if (device === null || device.rateCapacity === null || device.rateRefill === null) continue;
      const windowMs = Math.max(1, Math.ceil((device.rateCapacity / device.rateRefill) * 1000));
      const rule = { identifier: 'push:publish-device', limit: device.rateCapacity, windowMs };
      const verdict = await rateLimit.check(rule, `${appId}:${device.deviceId}`);
      if (verdict.allowed) continue;
      metrics.counter('push_rate_dropped_total').for({ app: appId }).add();
      return refused('pushRatePolicy');
    }
    const daily = quotas.delivery_quota_daily;
    if (daily > 0) {
      const day = dayOf(now());
      const isWithin = await store.useQuota(appId, day, expected, daily);
      const used = await store.quotaUsed(appId, day);
      metrics.gauge('push_quota_consumed_delivery').for({ app: appId }).set(used);
      if (!isWithin) return refused('push.delivery_quota_daily');
    }
    return null;
  }

  #keys({ appId, publishId, request, bodyHash }: Prepared): IdempotencyRow[] {
    const { config, now } = this.parts;
    const { notBeforeMs, expiresAtMs, idempotencyKey } = request;
    const longestMs = now() + config.push.publish_status_ttl_days * DAY_MS;
    const wantedMs = Math.max(now() + DAY_MS, expiresAtMs ?? 0, (notBeforeMs ?? 0) + DAY_MS);
    const common = { publishId, expiresMs: Math.min(wantedMs, Math.max(longestMs, now() + DAY_MS)) };
    const own: IdempotencyRow = { ...common, key: `publish-id:${appId}:${publishId}`, bodyHash: null };
    return idempotencyKey === null
      ? [own]
      : [own, { ...common, key: keyOf(appId, idempotencyKey), bodyHash }];
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

const keyOf = (appId: string, key: string): string => `publish-key:${appId}:${key}`;
