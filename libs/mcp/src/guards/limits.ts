import type { Config } from '@carillon/config';
import { rateLimitSubject, type HttpResponse } from '@carillon/uws';
import type { RateLimit, RateVerdict } from '@carillon/rate-limit';
import { CODES, RpcFailure, unavailable } from '../rpc/failure.js';
import type { Principal } from './principals.js';

const MINUTE_MS = 60_000;
const MAX_FAILED_LOGINS = 20;
/** Per principal and process. */
const MAX_RUNNING = 32;

const FAILED_LOGINS = { identifier: 'mcp-login', limit: MAX_FAILED_LOGINS, windowMs: MINUTE_MS };

const tooMany = (seconds: number, what: string): RpcFailure =>
  new RpcFailure(429, CODES.rate, what, { headers: { 'retry-after': String(seconds) } });

/** Rate limits of calls. Fails closed: requests that cannot be counted are refused. */
export class Limits {
  readonly #running = new Map<string, number>();

  constructor(
    private readonly rateLimit: RateLimit,
    private readonly config: Config['rate_limiter'],
    private readonly perMinute: () => number,
  ) {}

  /** Limits by address, before authentication. @throws RpcFailure */
  async ofAddress(ip: string | null): Promise<void> {
    const { enabled, api_rate_limit: limit } = this.config;
    if (!enabled) return;
    const rule = {
      identifier: limit.identifier,
      limit: limit.max_requests,
      windowMs: limit.window_seconds * 1000,
    };
    const verdict = await counted(this.rateLimit.check(rule, rateLimitSubject(ip)));
    if (!verdict.allowed) throw tooMany(verdict.resetSeconds, 'too many requests');
  }

  /** A token that is not valid, by address. @throws RpcFailure when there were too many of them. */
  async failedLogin(ip: string | null): Promise<void> {
    const verdict = await counted(this.rateLimit.check(FAILED_LOGINS, rateLimitSubject(ip)));
    if (!verdict.allowed) throw tooMany(verdict.resetSeconds, 'too many failed tokens');
  }

  /**
   * Limits by principal with a token bucket; requests without a token count by address.
   * @throws RpcFailure
   */
  async ofPrincipal(
    principal: Principal,
    ip: string | null,
    response: HttpResponse,
    requests = 1,
  ): Promise<void> {
    const limit = this.perMinute();
    if (limit === 0 || requests === 0) return;
    const rule = { identifier: 'mcp', limit, windowMs: MINUTE_MS };
    const subject = principal.isAnonymous ? `anonymous:${rateLimitSubject(ip)}` : `token:${principal.name}`;
    const verdict = await counted(this.rateLimit.take(rule, subject, requests));
    response.setHeader('x-ratelimit-limit', verdict.limit);
    response.setHeader('x-ratelimit-remaining', verdict.remaining);
    response.setHeader('x-ratelimit-reset', verdict.resetSeconds);
    if (!verdict.allowed) throw tooMany(verdict.resetSeconds, 'too many requests of this token');
  }

  /** Takes a slot for a running request; the returned function releases it. @throws RpcFailure */
  run({ name }: Principal): () => void {
    const running = this.#running.get(name) ?? 0;
    if (running >= MAX_RUNNING) throw tooMany(1, 'too many requests at once');
    this.#running.set(name, running + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = (this.#running.get(name) ?? 1) - 1;
      if (left === 0) this.#running.delete(name);
      else this.#running.set(name, left);
    };
  }
}

async function counted(verdict: Promise<RateVerdict>): Promise<RateVerdict> {
  try {
    return await verdict;
  } catch {
    throw unavailable('the rate limiter is unavailable');
  }
}
