import { unescape } from 'node:querystring';

/** `+` is a space, escapes are UTF-8 bytes, malformed escapes stay as they are. */
export function decodeQueryText(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return spaced.includes('%') ? unescape(spaced) : spaced;
}

/** Names and values in order of the raw query; empty pieces are dropped, no `=` means an empty value. */
export function queryPairs(raw: string): [string, string][] {
  const pairs: [string, string][] = [];
  for (const piece of raw.split('&')) {
    if (piece === '') continue;
    const equals = piece.indexOf('=');
    pairs.push(
      equals === -1
        ? [decodeQueryText(piece), '']
        : [decodeQueryText(piece.slice(0, equals)), decodeQueryText(piece.slice(equals + 1))],
    );
  }
  return pairs;
}

/** The query as handlers read it: when a name repeats, the last value wins. Has no prototype. */
export function parseQuery(raw: string): Record<string, string> {
  const query = Object.create(null) as Record<string, string>;
  if (raw === '') return query;
  for (const [name, value] of queryPairs(raw)) query[name] = value;
  return query;
}
