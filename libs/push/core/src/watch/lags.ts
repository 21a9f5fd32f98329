import type { Provider } from '@carillon/push-providers';
import type { PushParts } from '../parts.js';
import { queuesOf, type Stage } from '../pipeline/items.js';
import { enabledProviders } from '../stages.js';
import { deliveryStage } from '../pipeline/stages.js';

const KEPT_MS = 1000;

/** Waiting and active work of a stage. */
export interface Lag {
  readonly stage: string;
  /** For delivery stages. */
  readonly provider: Provider | null;
  /** Ready jobs, without delayed ones. */
  readonly depth: number;
  readonly readyMs: number;
  readonly activeMs: number;
}

/** Age of the oldest ready and active work by stage; refreshed every second. */
export class Lags {
  #kept: { readonly untilMs: number; readonly lags: Promise<readonly Lag[]> } | null = null;

  constructor(private readonly parts: PushParts) {}

  read(): Promise<readonly Lag[]> {
    const nowMs = this.parts.now();
    if (this.#kept !== null && this.#kept.untilMs > nowMs) return this.#kept.lags;
    const lags = this.#read();
    this.#kept = { untilMs: nowMs + KEPT_MS, lags };
    lags.catch(() => {
      this.#kept = null;
    });
    return lags;
  }

  async #read(): Promise<readonly Lag[]> {
    const active = enabledProviders(this.parts.config);
    const lags = await Promise.all([
      this.#lagOf('publish_log', 'publish'),
      this.#lagOf('shard_jobs', 'shards'),
      this.#lagOf('delivery_results', 'results'),
      this.#lagOf('retry_schedule', 'retry'),
      ...active.map((provider) => this.#lagOf(deliveryStage(provider), provider, provider)),
    ]);
    this.#show(lags);
    return lags;
  }

  async #lagOf(stage: string, of: Stage, provider: Provider | null = null): Promise<Lag> {
    const { config, queue } = this.parts;
    const queues = queuesOf(of, config.push.queue_partition_count);
    const stats = await Promise.all(queues.map((one) => queue.stats(one)));
    return {
      stage,
      provider,
      depth: stats.reduce((sum, { ready }) => sum + (ready ?? 0), 0),
      readyMs: Math.max(0, ...stats.map(({ oldestReadyAgeMs }) => oldestReadyAgeMs ?? 0)),
      activeMs: Math.max(0, ...stats.map(({ oldestActiveAgeMs }) => oldestActiveAgeMs ?? 0)),
    };
  }

  #show(lags: readonly Lag[]): void {
    const { metrics } = this.parts;
    const age = metrics.gauge('push_queue_oldest_age_seconds');
    for (const { stage, provider, readyMs, activeMs } of lags) {
      age.for({ stage, state: 'ready' }).set(readyMs / 1000);
      age.for({ stage, state: 'active' }).set(activeMs / 1000);
      const oldest = Math.max(readyMs, activeMs) / 1000;
      if (stage === 'publish_log') metrics.gauge('push_publish_log_lag_seconds').for().set(oldest);
      if (provider !== null) metrics.gauge('push_delivery_jobs_lag_seconds').for({ provider }).set(oldest);
    }
  }
}
