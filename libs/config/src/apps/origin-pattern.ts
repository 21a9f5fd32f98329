/**
 * Returns the problem of an origin pattern, of `cors.origin` or of an app's `allowed_origins`; null if it is valid:
 * `*`, `any`, `scheme://host[:port]`, `host[:port]`, `*.domain`, or any of these with one `*`. Surrounding space is
 * ignored.
 */
export function originPatternProblem(source: string): string | null {
  const pattern = source.trim();
  if (pattern === '') return 'pattern must not be empty';
  if (pattern.split('*').length > 2) return 'pattern may contain at most one "*"';
  const scheme = pattern.indexOf('://');
  if (scheme >= 0) {
    const complete = scheme > 0 && pattern.length > scheme + '://'.length;
    return complete ? null : 'scheme and host must not be empty';
  }
  return pattern.startsWith('*.') ? domainProblem(pattern) : null;
}

function domainProblem(pattern: string): string | null {
  if (pattern === '*.') return 'wildcard domain must not be empty';
  return pattern.includes('..') ? 'wildcard domain must not contain ".."' : null;
}
