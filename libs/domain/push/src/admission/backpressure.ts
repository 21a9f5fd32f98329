import { ServiceError } from '@carillon/errors';
import { PROVIDERS } from '@carillon/push-providers';
import type { PushParts } from '../parts.js';
import { queuesOf, type Stage } from '../pipeline/items.js';
import { deliveryStage } from '../pipeline/stages.js';

const KEPT_MS = 1000;

interface Lag {
  readonly stage: string;
  readonly depth: number;
  readonly ageMs: number;
}

/** Refuses publishes while the work before them waits too long; looks again every second. */
export class Backpressure {
  #kept: { readonly untilMs: number; readonly lags: Promise<readonly Lag[]> } | null = null;

  constructor(private readonly parts: PushParts) {}

  /** @throws ServiceError `rate_limited` */
  async check(): Promise<void> {
    const { push } = this.parts.config;
    if (push.backpressure.forced) throw this.#refused('push pipeline is applying backpressure');
    const lags = await this.#lags();
    const thresholdMs = push.backpressure_lag_threshold_secs * 1000;
    for (const { stage, depth, ageMs } of lags) {
      const most = stage === 'publish_log' ? push.publish_log_max_lag : push.critical_queue_max_lag;
      if (depth >= most) throw this.#refused(`push ${stage} lag exceeded`);
      if (thresholdMs > 0 && ageMs >= thresholdMs) throw this.#refused(`push ${stage} age exceeded`);
    }
  }

  #refused(text: string): ServiceError {
    const { retry_after_seconds: retryAfterSeconds } = this.parts.config.push.backpressure;
    return new ServiceError('rate_limited', { text, retryAfterSeconds });
  }

  #lags(): Promise<readonly Lag[]> {
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
    const { config, store } = this.parts;
    const active = PROVIDERS.filter((provider) => config.push[`${provider}_enabled`]);
    const stages: [string, Stage][] = [
      ['publish_log', 'publish'],
      ['shard_jobs', 'shards'],
      ['delivery_results', 'results'],
      ['retry_schedule', 'retry'],
      ...active.map((provider): [string, Stage] => [deliveryStage(provider), provider]),
    ];
    const lags = await Promise.all(stages.map(([name, stage]) => this.#lagOf(name, stage)));
    const most = config.push.critical_queue_max_lag;
    // However old they are: nobody has to work on them.
    return [...lags, { stage: 'dead_letters', depth: await store.countDeadLetters(most), ageMs: 0 }];
  }

  async #lagOf(name: string, stage: Stage): Promise<Lag> {
    const { config, queue, metrics } = this.parts;
    const queues = queuesOf(stage, config.push.queue_partition_count);
    const stats = await Promise.all(queues.map((one) => queue.stats(one)));
    const depth = stats.reduce((sum, { ready }) => sum + (ready ?? 0), 0);
    const ageMs = Math.max(0, ...stats.map(({ oldestReadyAgeMs }) => oldestReadyAgeMs ?? 0));
    metrics
      .gauge('push_queue_oldest_age_seconds')
      .for({ stage: name, state: 'ready' })
      .set(ageMs / 1000);
    return { stage: name, depth, ageMs };
  }
}
