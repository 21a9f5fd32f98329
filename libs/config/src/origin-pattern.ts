/** One entry of an origin list, ready to be compared; texts are in lower case. */
export type OriginPattern =
  | { readonly kind: 'any' }
  | { readonly kind: 'exact'; readonly text: string; readonly hasScheme: boolean }
  | { readonly kind: 'domain'; readonly domain: string; readonly text: string }
  | { readonly kind: 'wildcard'; readonly before: string; readonly after: string; readonly text: string };

export type ParsedOriginPattern = { readonly pattern: OriginPattern } | { readonly message: string };

/** Reads one entry of an origin list, or says why it can match nothing sensible. */
export function parseOriginPattern(source: string): ParsedOriginPattern {
  const text = source.trim().toLowerCase();
  if (text === '') return { message: 'pattern must not be empty' };
  if (text === '*' || text === 'any') return { pattern: { kind: 'any' } };
  const parts = text.split('*');
  if (parts.length > 2) return { message: 'pattern may contain at most one "*"' };
  const hasScheme = text.includes('://');
  if (!hasScheme && text.startsWith('*.')) {
    const domain = text.slice(2);
    if (domain === '') return { message: 'wildcard domain must not be empty' };
    if (domain.includes('..')) return { message: 'wildcard domain must not contain ".."' };
    return { pattern: { kind: 'domain', domain, text } };
  }
  if (hasScheme) {
    const at = text.indexOf('://');
    if (at === 0 || at + 3 === text.length) return { message: 'scheme and host must not be empty' };
  }
  const [before = '', after] = parts;
  return {
    pattern:
      after === undefined ? { kind: 'exact', text, hasScheme } : { kind: 'wildcard', before, after, text },
  };
}

function matchesOne(pattern: OriginPattern, origin: string, host: string): boolean {
  switch (pattern.kind) {
    case 'any':
      return true;
    case 'exact':
      return origin === pattern.text || (!pattern.hasScheme && host === pattern.text);
    case 'domain':
      return origin === pattern.text || host === pattern.domain || host.endsWith(`.${pattern.domain}`);
    case 'wildcard': {
      const { before, after } = pattern;
      return (
        origin.length >= before.length + after.length && origin.startsWith(before) && origin.endsWith(after)
      );
    }
  }
}

/**
 * Whether any of the patterns allows the value of an `Origin` header; a missing header is the empty text, which
 * only `*` and `any` allow. What an empty list means is the caller's rule (an app: everything; CORS: nothing).
 */
export function matchesOrigin(patterns: readonly OriginPattern[], originHeader: string): boolean {
  const origin = originHeader.toLowerCase();
  const scheme = origin.indexOf('://');
  const host = scheme === -1 ? origin : origin.slice(scheme + 3);
  return patterns.some((pattern) => matchesOne(pattern, origin, host));
}
