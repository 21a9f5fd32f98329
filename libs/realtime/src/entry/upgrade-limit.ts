import type { Config } from '@carillon/config';
import { ServiceError } from '@carillon/errors';
import { RateLimitUnavailable, type RateLimit, type RateRule } from '@carillon/rate-limit';
import type { CounterSeries, Metrics } from '@carillon/runtime';
import { clientAddress, rateLimitSubject, type HttpRequest } from '@carillon/uws';

/** Result of the rate limit for one upgrade request. */
export interface UpgradeVerdict {
  /** Headers for the response, whatever it is. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null: within the limit. */
  readonly refusal: ServiceError | null;
}

interface UpgradeLimitOptions {
  readonly rule: RateRule;
  /** Number of trusted proxies. */
  readonly trustHops: number;
}

/** Rate limit of upgrade requests by client address, for all protocols. */
export class UpgradeLimit {
  readonly #checks: CounterSeries;
  readonly #refusals: CounterSeries;

  constructor(
    private readonly options: UpgradeLimitOptions,
    private readonly limiter: RateLimit,
    metrics: Metrics,
  ) {
    const labels = {
      app_id: 'global',
      limiter_type: 'websocket_rate_limit',
      request_context: 'websocket_upgrade',
    };
    this.#checks = metrics.counter('rate_limit_checks_total').for(labels);
    this.#refusals = metrics.counter('rate_limit_triggered_total').for(labels);
  }

  /** Null if upgrades are not limited. */
  static of({ rate_limiter }: Config, limiter: RateLimit, metrics: Metrics): UpgradeLimit | null {
    if (!rate_limiter.enabled) return null;
    const { max_requests, window_seconds, identifier, trust_hops } = rate_limiter.websocket_rate_limit;
    const rule = { identifier, limit: max_requests, windowMs: window_seconds * 1000 };
    return new UpgradeLimit({ rule, trustHops: trust_hops }, limiter, metrics);
  }

  /** Fails closed: an unavailable limiter refuses, so that an attacker gains nothing by bringing it down. */
  async check(request: HttpRequest): Promise<UpgradeVerdict> {
    this.#checks.add();
    try {
      const subject = rateLimitSubject(clientAddress(request.peer, request.headers, this.options.trustHops));
      const { allowed, limit, remaining, resetSeconds } = await this.limiter.check(
        this.options.rule,
        subject,
      );
      const headers = {
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(remaining),
        'x-ratelimit-reset': String(resetSeconds),
      };
      return { headers, refusal: allowed ? null : this.#refuse(headers, resetSeconds) };
    } catch (error) {
      if (!(error instanceof RateLimitUnavailable)) throw error;
      return { headers: {}, refusal: new ServiceError('service_unavailable', { cause: error }) };
    }
  }

  #refuse(headers: Readonly<Record<string, string>>, retryAfterSeconds: number): ServiceError {
    this.#refusals.add();
    return new ServiceError('rate_limited', {
      headers,
      retryAfterSeconds,
      message: 'Request quota used up, retry later',
    });
  }
}
