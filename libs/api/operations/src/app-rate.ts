import { ServiceError } from '@carillon/errors';
import type { RateLimit, RateRule } from '@carillon/rate-limit';
import type { Metrics } from '@carillon/runtime';
import type { Caller } from './caller.js';
import type { AppRateKind } from './describe/description.js';
import { orUnavailable } from './unavailable.js';

const WINDOW_MS = 1000;
/** With the subject this makes the names of the shared window, `rl:app:{app}:backend` and `…:read`. */
const IDENTIFIER = 'rl:app';

const EXCEEDED: Record<AppRateKind, string> = {
  backend: 'backend event rate of the app exceeded',
  read: 'read request rate of the app exceeded',
};

/** Keeps the calls of each app within its own limits per second. */
export class AppRate {
  constructor(
    private readonly rateLimit: RateLimit,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Returns null if the call may proceed immediately: no limit, or no cost. Otherwise rejects with 429 if the whole
   * cost exceeds the limit, and with 503 if the limiter is unavailable.
   */
  admit(caller: Caller, kind: AppRateKind, cost: () => number): Promise<void> | null {
    const { maxBackendEventsPerSecond, maxReadRequestsPerSecond } = caller.app.limits;
    const limit = kind === 'backend' ? maxBackendEventsPerSecond : maxReadRequestsPerSecond;
    if (limit === Infinity) return null;
    const events = cost();
    return events === 0 ? null : this.#check(caller, kind, limit, events);
  }

  async #check({ app, via }: Caller, kind: AppRateKind, limit: number, cost: number): Promise<void> {
    const labels = { app_id: app.id, limiter_type: `app_${kind}`, request_context: via };
    const rule: RateRule = { identifier: IDENTIFIER, limit, windowMs: WINDOW_MS };
    this.metrics.counter('rate_limit_checks_total').for(labels).add();
    const verdict = await orUnavailable(
      'rate limiter unavailable',
      this.rateLimit.check(rule, `${app.id}:${kind}`, cost),
    );
    if (verdict.allowed) return;
    this.metrics.counter('rate_limit_triggered_total').for(labels).add();
    throw new ServiceError('rate_limited', { text: EXCEEDED[kind], retryAfterSeconds: 1 });
  }
}
