import { originPatternProblem } from './apps/origin-pattern.js';

/** One entry of an origin list, ready to be compared; texts are in lower case. */
export type OriginPattern =
  | { readonly kind: 'any' }
  | { readonly kind: 'exact'; readonly text: string; readonly hasScheme: boolean }
  | { readonly kind: 'domain'; readonly domain: string; readonly text: string }
  | { readonly kind: 'wildcard'; readonly before: string; readonly after: string; readonly text: string };

export type ParsedOriginPattern = { readonly pattern: OriginPattern } | { readonly message: string };

/** Parses one entry of an origin list, or returns why it is invalid. */
export function parseOriginPattern(source: string): ParsedOriginPattern {
  const message = originPatternProblem(source);
  if (message !== null) return { message };
  const text = source.trim().toLowerCase();
  if (text === '*' || text === 'any') return { pattern: { kind: 'any' } };
  const hasScheme = text.includes('://');
  if (!hasScheme && text.startsWith('*.'))
    return { pattern: { kind: 'domain', domain: text.slice(2), text } };
  const [before = '', after] = text.split('*');
  if (after === undefined) return { pattern: { kind: 'exact', text, hasScheme } };
  return { pattern: { kind: 'wildcard', before, after, text } };
}

function matchesOne(pattern: OriginPattern, origin: string, host: string): boolean {
  if (pattern.kind === 'any') return true;
  if (pattern.kind === 'wildcard') {
    const { before, after } = pattern;
    const long = origin.length >= before.length + after.length;
    return long && origin.startsWith(before) && origin.endsWith(after);
  }
  if (origin === pattern.text) return true;
  if (pattern.kind === 'exact') return !pattern.hasScheme && host === pattern.text;
  return host === pattern.domain || host.endsWith(`.${pattern.domain}`);
}

/**
 * Whether any of the patterns allows the value of an `Origin` header. A missing header is the empty text, which only
 * `*` and `any` allow. The caller defines the meaning of an empty list (an app: everything; CORS: nothing).
 */
export function matchesOrigin(patterns: readonly OriginPattern[], originHeader: string): boolean {
  const origin = originHeader.toLowerCase();
  const scheme = origin.indexOf('://');
  const host = scheme === -1 ? origin : origin.slice(scheme + 3);
  return patterns.some((pattern) => matchesOne(pattern, origin, host));
}
