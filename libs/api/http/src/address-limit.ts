import type { Config } from '@carillon/config';
import { ServiceError } from '@carillon/errors';
import { orUnavailable } from '@carillon/api-operations';
import type { RateLimit, RateRule, RateVerdict } from '@carillon/rate-limit';
import type { Metrics } from '@carillon/runtime';
import {
  errorAnswer,
  rateLimitSubject,
  type Answer,
  type HttpRequest,
  type HttpResponse,
} from '@carillon/uws';

/** Decision of the adapter before it reads a body. */
export type Admission = (request: HttpRequest, response: HttpResponse) => Promise<Answer | null> | null;

const LABELS = { app_id: 'global', limiter_type: 'api_rate_limit', request_context: 'http_api' } as const;

/** Routes used by clients and servers of apps, of all protocols. */
const API_ROUTES = /^\/(?:apps|channels|keys|messages|presence|push|time)(?:\/|$)/;

/**
 * Rate limit per client address on the routes of apps; other routes are not counted. Every answer carries the state
 * of its window. Fails closed: 503 if the limiter is unavailable.
 */
export function addressLimit(
  { api_rate_limit: limit }: Config['rate_limiter'],
  rateLimit: RateLimit,
  metrics: Metrics,
): Admission {
  const rule: RateRule = {
    identifier: limit.identifier,
    limit: limit.max_requests,
    windowMs: limit.window_seconds * 1000,
  };
  const checks = metrics.counter('rate_limit_checks_total').for(LABELS);
  const refusals = metrics.counter('rate_limit_triggered_total').for(LABELS);
  const check = async (request: HttpRequest, response: HttpResponse): Promise<Answer | null> => {
    checks.add();
    const verdict = await orUnavailable(
      'rate limiter unavailable',
      rateLimit.check(rule, rateLimitSubject(request.ip)),
    );
    showWindow(response, verdict);
    if (verdict.allowed) return null;
    refusals.add();
    return errorAnswer(tooMany(verdict));
  };
  return (request, response) => (API_ROUTES.test(request.route) ? check(request, response) : null);
}

function showWindow(response: HttpResponse, { limit, remaining, resetSeconds }: RateVerdict): void {
  response.setHeader('x-ratelimit-limit', limit);
  response.setHeader('x-ratelimit-remaining', remaining);
  response.setHeader('x-ratelimit-reset', resetSeconds);
}

const tooMany = ({ resetSeconds }: RateVerdict) =>
  new ServiceError('rate_limited', {
    text: 'Too Many Requests',
    message: 'Request quota used up, retry later',
    retryAfterSeconds: resetSeconds,
  });
