import type { Config } from '@carillon/config';
import { ServiceError } from '@carillon/errors';
import type { RateLimit, RateRule, RateVerdict } from '@carillon/rate-limit';
import { type HttpResponse, rateLimitSubject } from '@carillon/uws';
import type { Principal } from './principals.js';

const MINUTE_MS = 60_000;
const LIMITER_TIMEOUT_MS = 2000;
/** Per principal and process. */
const MAX_RUNNING = 16;

const tooMany = (seconds: number, text: string): ServiceError =>
  new ServiceError('rate_limited', { text, retryAfterSeconds: seconds });

/** Limits of failures per client address and of requests per principal. Fails closed while the limiter is down. */
export class Limits {
  readonly #running = new Map<string, number>();

  constructor(
    private readonly rateLimit: RateLimit,
    private readonly settings: () => Config['management'],
  ) {}

  /** @throws ServiceError `rate_limited` after too many failed logins of the address. */
  async admitLogin(address: string | null): Promise<void> {
    const verdict = await counted(this.rateLimit.check(this.#logins(), rateLimitSubject(address), 0));
    if (verdict.remaining <= 0) throw tooMany(verdict.resetSeconds, 'too many failed logins');
  }

  /** Counts a failed login. */
  async loginFailed(address: string | null): Promise<void> {
    await counted(this.rateLimit.check(this.#logins(), rateLimitSubject(address)));
  }

  /** Counts a failed credential. @throws ServiceError `rate_limited` when there were too many of the address. */
  async credentialFailed(address: string | null): Promise<void> {
    const limit = this.settings().failed_auth_per_minute;
    const rule = { identifier: 'management-auth', limit, windowMs: MINUTE_MS };
    const verdict = await counted(this.rateLimit.check(rule, rateLimitSubject(address)));
    if (!verdict.allowed) throw tooMany(verdict.resetSeconds, 'too many failed credentials');
  }

  /** Counts a request of a principal. @throws ServiceError `rate_limited` */
  async admitRequest({ name }: Principal, response: HttpResponse): Promise<void> {
    const limit = this.settings().rate_limit_per_minute;
    if (limit === 0) return;
    const rule = { identifier: 'management', limit, windowMs: MINUTE_MS };
    const verdict = await counted(this.rateLimit.take(rule, name));
    response.setHeader('x-ratelimit-limit', verdict.limit);
    response.setHeader('x-ratelimit-remaining', verdict.remaining);
    response.setHeader('x-ratelimit-reset', verdict.resetSeconds);
    if (!verdict.allowed) throw tooMany(verdict.resetSeconds, 'too many requests of this principal');
  }

  /** Occupies one of the slots for running requests; the returned function releases it, once. */
  occupy({ name }: Principal): () => void {
    const running = this.#running.get(name) ?? 0;
    if (running >= MAX_RUNNING) throw tooMany(1, 'too many running requests of this principal');
    this.#running.set(name, running + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const left = (this.#running.get(name) ?? 1) - 1;
      if (left === 0) this.#running.delete(name);
      else this.#running.set(name, left);
    };
  }

  #logins(): RateRule {
    const limit = this.settings().login_attempts_per_minute;
    return { identifier: 'management-login', limit, windowMs: MINUTE_MS };
  }
}

async function counted(verdict: Promise<RateVerdict>): Promise<RateVerdict> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the rate limiter did not answer')), LIMITER_TIMEOUT_MS);
  });
  try {
    return await Promise.race([verdict, late]);
  } catch (cause) {
    throw new ServiceError('service_unavailable', { text: 'the rate limiter is unavailable', cause });
  } finally {
    clearTimeout(timer);
  }
}
