import type { HttpRequest } from '@carillon/uws';
import { ServiceError } from '@carillon/errors';
import type { Route } from '../routes/route.js';

export const PREFIX = '/manage/v1';

interface Row {
  readonly route: Route;
  readonly segments: readonly string[];
}

export interface MatchedRoute {
  readonly route: Route;
  /** Decoded once. */
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the row of a request. Segments are compared undecoded, so an encoded `/` or `..` never changes the route. */
export class RouteMatcher {
  readonly #rows: readonly Row[];

  constructor(routes: readonly Route[]) {
    this.#rows = routes.map((route) => ({ route, segments: `${PREFIX}${route.path}`.split('/') }));
  }

  /** @throws ServiceError `not_found` or `method_not_allowed` */
  match({ method, rawPath }: Pick<HttpRequest, 'method' | 'rawPath'>): MatchedRoute {
    const path = rawPath.length > 1 && rawPath.endsWith('/') ? rawPath.slice(0, -1) : rawPath;
    const segments = path.split('/');
    const rows = this.#rows.filter((row) => isMatch(row.segments, segments));
    const best = mostSpecific(rows);
    if (best.length === 0) throw new ServiceError('not_found');
    const wanted = method === 'HEAD' ? 'GET' : method;
    const row = best.find(({ route }) => route.method === wanted);
    if (row === undefined) throw notAllowed(best.map(({ route }) => route.method));
    return { route: row.route, params: paramsOf(row.segments, segments) };
  }
}

const isParameter = (segment: string): boolean => segment.startsWith(':');

const isMatch = (pattern: readonly string[], segments: readonly string[]): boolean =>
  pattern.length === segments.length &&
  pattern.every((one, index) => {
    const segment = segments[index] ?? '';
    return isParameter(one) ? segment !== '' : one === segment;
  });

/** Fixed segments win over parameters: `dead-letters/…` beside `dead-letters/:id`. */
function mostSpecific(rows: readonly Row[]): readonly Row[] {
  const weight = ({ segments }: Row): number => segments.filter(isParameter).length;
  const least = Math.min(...rows.map(weight));
  return rows.filter((row) => weight(row) === least);
}

function notAllowed(methods: readonly string[]): ServiceError {
  const all = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  return new ServiceError('method_not_allowed', { headers: { allow: [...new Set(all)].sort().join(', ') } });
}

function paramsOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  const params = Object.create(null) as Record<string, string>;
  for (const [index, one] of pattern.entries()) {
    if (isParameter(one)) params[one.slice(1)] = decodeURIComponent(segments[index] ?? '');
  }
  return params;
}
