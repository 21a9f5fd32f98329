import { wordsOption } from './option.js';

/** Tokens of `info`. */
const TOKENS = {
  subscription_count: 'sockets subscribed, over all processes',
  user_count: 'distinct users, presence channels only, over all processes',
  cache: 'the last event of a cache channel',
} as const;

type Token = keyof typeof TOKENS;

/** Description of `info` with these tokens. */
export function infoDescription(...tokens: readonly Token[]): string {
  const known = tokens.map((token) => `\`${token}\` (${TOKENS[token]})`).join(', ');
  return `Comma list of what the answer is to tell: ${known}. Others are ignored.`;
}

/** The option `info`. */
export const infoOption = (...tokens: readonly Token[]) =>
  wordsOption(tokens)('info', infoDescription(...tokens));

/** The tokens of a list. */
export function infoTokens(text = ''): ReadonlySet<string> {
  return new Set(text.split(',').map((token) => token.trim()));
}
