import { ServiceError } from '@carillon/errors';
import type { PushParts } from '../parts.js';
import type { Lags } from '../watch/lags.js';

const KEPT_MS = 1000;

/** Refuses publishes while there is too much work before them, or it waits or takes too long. */
export class Backpressure {
  #dead: { readonly untilMs: number; readonly count: Promise<number> } | null = null;

  constructor(
    private readonly parts: PushParts,
    private readonly lags: Lags,
  ) {}

  /** @throws ServiceError `rate_limited` */
  async check(): Promise<void> {
    const { push } = this.parts.config;
    if (push.backpressure.forced) throw this.#refused('push pipeline is applying backpressure');
    const thresholdMs = push.backpressure_lag_threshold_secs * 1000;
    for (const { stage, depth, readyMs, activeMs } of await this.lags.read()) {
      const most = stage === 'publish_log' ? push.publish_log_max_lag : push.critical_queue_max_lag;
      if (depth >= most) throw this.#refused(`push ${stage} lag exceeded`);
      const isOld = thresholdMs > 0 && Math.max(readyMs, activeMs) >= thresholdMs;
      if (isOld) throw this.#refused(`push ${stage} age exceeded`);
    }
    // Regardless of their age: dead letters are not processed.
    if ((await this.#deadLetters()) >= push.critical_queue_max_lag) {
      throw this.#refused('push dead_letters lag exceeded');
    }
  }

  #refused(text: string): ServiceError {
    const { retry_after_seconds: retryAfterSeconds } = this.parts.config.push.backpressure;
    return new ServiceError('rate_limited', { text, retryAfterSeconds });
  }

  #deadLetters(): Promise<number> {
    const { store, config, now } = this.parts;
    if (this.#dead !== null && this.#dead.untilMs > now()) return this.#dead.count;
    const count = store.countDeadLetters(config.push.critical_queue_max_lag);
    this.#dead = { untilMs: now() + KEPT_MS, count };
    count.catch(() => {
      this.#dead = null;
    });
    return count;
  }
}
