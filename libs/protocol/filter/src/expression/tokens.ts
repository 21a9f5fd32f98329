import { MalformedFilter } from '../malformed.js';

/** A token of an expression: the sign itself, or its kind. */
export interface Token {
  readonly type: string;
  /** Text of names, value of literals and numbers. */
  readonly value: unknown;
}

const SPACE = /[ \t\r\n]+/y;
const SIGN = /\[\?|\[\]|&&|\|\||==|!=|<=|>=|[.*[\]{}(),:@&|!<>]/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /-?\d{1,15}(?!\d)/y;
const QUOTED = /"(?:[^"\\]|\\[^])*"/y;
const RAW = /'(?:[^'\\]|\\[^])*'/y;
const LITERAL = /`(?:[^`\\]|\\[^])*`/y;

/** The words of an expression. Linear in the text. */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(source)?.[0] ?? null;
    at += found?.length ?? 0;
    return found;
  };
  while (at < source.length) {
    if (take(SPACE) === null) tokens.push(nextToken(take));
  }
  tokens.push({ type: 'end', value: null });
  return tokens;
}

function nextToken(take: (pattern: RegExp) => string | null): Token {
  const sign = take(SIGN);
  if (sign !== null) return { type: sign, value: sign };
  const name = take(NAME);
  if (name !== null) return { type: 'name', value: name };
  const number = take(NUMBER);
  if (number !== null) return { type: 'number', value: Number(number) };
  const quoted = take(QUOTED);
  if (quoted !== null) return { type: 'quoted', value: json(quoted) };
  const raw = take(RAW);
  if (raw !== null) return { type: 'literal', value: raw.slice(1, -1).replaceAll("\\'", "'") };
  const literal = take(LITERAL);
  if (literal !== null) return { type: 'literal', value: json(literal.slice(1, -1).replaceAll('\\`', '`')) };
  throw new MalformedFilter('filter.expression has a word that cannot be read');
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new MalformedFilter('filter.expression has a literal that is not JSON');
  }
}
