import { ServiceError } from '@carillon/errors';
import { CLOUDS } from '@carillon/push-providers';
import type { PushParts } from '../parts.js';
import { dayOf } from '../pipeline/app-weights.js';
import { tellMeta } from '../watch/meta.js';
import type { Target } from './targets.js';

/** Stands for "count only, without a limit". */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** A publish as quotas see it. */
export interface Wanted {
  readonly appId: string;
  readonly targets: readonly Target[];
  /** Expected deliveries by provider. */
  readonly counts: ReadonlyMap<string, number>;
  readonly expected: number;
}

/** Deliveries that were taken from the quota of a day. */
export interface Taken {
  readonly appId: string;
  readonly day: string;
  readonly amount: number;
}

/** Quotas of an app: active publishes, recipients per publish, deliveries per day. */
export class Quotas {
  constructor(private readonly parts: PushParts) {}

  /**
   * Why a publish is too much; null: it is not.
   *
   * @throws ServiceError `rate_limited` while too many others are under way
   */
  async refusal({ appId, targets, counts, expected }: Wanted): Promise<string | null> {
    const { config } = this.parts;
    const { default_quotas: quotas } = config.push;
    await this.#checkActive(appId, quotas.inflight_max);
    if (quotas.fanout_max > 0 && expected > quotas.fanout_max)
      return this.#refused(appId, 'push.fanout_max exceeded');
    for (const provider of CLOUDS) {
      const { ceiling } = config.push[provider];
      if (ceiling > 0 && (counts.get(provider) ?? 0) > ceiling)
        return this.#refused(appId, `push.${provider}.ceiling exceeded`);
    }
    for (const target of targets) {
      if (target.type === 'device' && !(await this.#withinRate(appId, target.deviceId)))
        return this.#refused(appId, 'pushRatePolicy exceeded');
    }
    return null;
  }

  /** Uses deliveries of the daily quota; resolves with a text if it is exceeded. `lifted`: counts without a limit. */
  async take(appId: string, amount: number, lifted: boolean): Promise<Taken | string> {
    const { store, config, now, metrics } = this.parts;
    const { delivery_quota_daily: daily } = config.push.default_quotas;
    const taken = { appId, day: dayOf(now()), amount: daily === 0 ? 0 : amount };
    if (taken.amount === 0) return taken;
    const isWithin = await store.useQuota(appId, taken.day, amount, lifted ? NO_LIMIT : daily);
    const used = await store.quotaUsed(appId, taken.day);
    metrics.gauge('push_quota_consumed_delivery').for({ app: appId }).set(used);
    return isWithin ? taken : this.#refused(appId, 'push.delivery_quota_daily exceeded');
  }

  /** Returns used deliveries to the quota. */
  async giveBack({ appId, day, amount }: Taken): Promise<void> {
    if (amount > 0) await this.parts.store.useQuota(appId, day, -amount, NO_LIMIT);
  }

  async #checkActive(appId: string, most: number): Promise<void> {
    const { store, now } = this.parts;
    if (most === 0 || (await store.countActive(appId, now(), most)) < most) return;
    tellMeta(this.parts, 'quota-event', { appId, detail: { quota: 'push.inflight_max' } });
    throw new ServiceError('rate_limited', { text: 'push.inflight_max exceeded', retryAfterSeconds: 1 });
  }

  async #withinRate(appId: string, deviceId: string): Promise<boolean> {
    const { store, metrics, rateLimit } = this.parts;
    const device = await store.device(appId, deviceId);
    if (device === null || device.rateCapacity === null || device.rateRefill === null) return true;
    const windowMs = Math.max(1, Math.ceil((device.rateCapacity / device.rateRefill) * 1000));
    const rule = { identifier: 'push:publish-device', limit: device.rateCapacity, windowMs };
    const verdict = await rateLimit.check(rule, `${appId}:${device.deviceId}`);
    if (!verdict.allowed) metrics.counter('push_rate_dropped_total').for({ app: appId }).add();
    return verdict.allowed;
  }

  #refused(appId: string, why: string): string {
    this.parts.metrics.counter('push_quota_delivery_rejections_total').for({ app: appId }).add();
    return why;
  }
}

/** Replaces the expected number of deliveries in the daily quota by the actual one, or by none if cancelled. */
export async function correctUse(
  { store, config }: PushParts,
  appId: string,
  publishId: string,
  planned: number,
): Promise<void> {
  if (config.push.default_quotas.delivery_quota_daily === 0) return;
  const log = await store.log(appId, publishId);
  if (log === null || log.expected === planned) return;
  await store.useQuota(appId, dayOf(log.occurredMs), planned - log.expected, NO_LIMIT);
}
