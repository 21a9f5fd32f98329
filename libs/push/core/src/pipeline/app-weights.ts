import type { PushParts } from '../parts.js';

const WEIGHT = 10;
const WEIGHT_OVER_QUOTA = 1;
const KEPT_MS = 5000;
const MAX_APPS = 10_000;

/** Scheduling weight of an app at the dispatch workers: lower once its daily quota is used up. */
export class AppWeights {
  readonly #kept = new Map<string, { readonly untilMs: number; readonly weight: number }>();

  constructor(private readonly parts: PushParts) {}

  async of(appId: string): Promise<number> {
    const { config, store, metrics, now } = this.parts;
    const daily = config.push.default_quotas.delivery_quota_daily;
    if (daily === 0) return WEIGHT;
    const kept = this.#kept.get(appId);
    if (kept !== undefined && kept.untilMs > now()) return kept.weight;
    const used = await store.quotaUsed(appId, dayOf(now()));
    metrics.gauge('push_quota_consumed_delivery').for({ app: appId }).set(used);
    const weight = used >= daily ? WEIGHT_OVER_QUOTA : WEIGHT;
    if (this.#kept.size >= MAX_APPS) this.#kept.clear();
    this.#kept.set(appId, { untilMs: now() + KEPT_MS, weight });
    return weight;
  }
}

/** The day of a quota, in UTC. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
