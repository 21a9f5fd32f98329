import { timingSafeEqual } from 'node:crypto';
import { ServiceError } from '@carillon/errors';
import type { HttpRequest } from '@carillon/uws';

export interface CrossSiteRules {
  /** Origin of `management.public_url`; null: scheme and `Host` of the request count. */
  readonly publicOrigin: string | null;
  readonly isTls: boolean;
}

const SAME_SITE: ReadonlySet<string> = new Set(['none', 'same-origin']);
const failed = (text: string): ServiceError => new ServiceError('csrf_failed', { text });

/** @throws ServiceError `csrf_failed` if the request comes from a page of another site. */
export function checkOrigin({ headers }: Pick<HttpRequest, 'headers'>, rules: CrossSiteRules): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && !SAME_SITE.has(site)) throw failed('Sec-Fetch-Site must be same-origin or none');
  const origin = headers['origin'];
  if (origin === undefined) return;
  const expected = rules.publicOrigin ?? originOfHost(headers['host'], rules.isTls);
  if (expected === null || origin.toLowerCase() !== expected)
    throw failed('Origin is not the origin of the management API; see management.public_url');
}

/** @throws ServiceError `csrf_failed` if a request that may change something lacks the token of its session. */
export function checkCsrfToken(
  { method, headers }: Pick<HttpRequest, 'headers' | 'method'>,
  token: string,
): void {
  if (method === 'GET' || method === 'HEAD') return;
  const given = Buffer.from(headers['x-csrf-token'] ?? '');
  const expected = Buffer.from(token);
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw failed('X-CSRF-Token is not the token of the session');
}

function originOfHost(host: string | undefined, isTls: boolean): string | null {
  const text = `${isTls ? 'https' : 'http'}://${host ?? ''}`;
  return host !== undefined && URL.canParse(text) ? new URL(text).origin : null;
}
