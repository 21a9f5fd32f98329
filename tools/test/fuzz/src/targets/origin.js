import { matchesOrigin, originPatternProblem, parseOriginPattern } from '@carillon/config';
import { must, mustEqual } from '../broken.js';
import { isOriginPattern, originMatches } from '../restate/origin.js';
import { splitFields, textOf } from '../text.js';
import { words } from '../words.js';

/** Fields: the value of the header, then patterns. @type {import('../target.js').Target} */
export const origin = {
  name: 'origin',
  tokens: [
    ...words(`
    https:// http:// :// * *. any example.com app. :8443 localhost:3000 .. null
    https://*.example.com *.example.com HTTPS://App.Example.com / @
  `),
    ' ',
    '\u0130',
    '\u212a',
  ],
  outcomes: [
    'allowed by any',
    'allowed by exact',
    'allowed by domain',
    'allowed by wildcard',
    'refused by exact',
    'refused by domain',
    'refused by wildcard',
  ],
  growths: [
    { name: 'origin', before: 'https://', piece: 'a.', after: '␞*.a␞https://*.a' },
    { name: 'schemes', piece: '://', after: '␞a*b' },
    { name: 'pattern', before: 'https://a␞', piece: 'a.' },
    { name: 'stars', before: 'https://a␞', piece: '*' },
    { name: 'patterns', before: 'https://a', piece: '␞b' },
  ],
  check(bytes) {
    const [header = '', ...sources] = splitFields(bytes).map(textOf);
    const valid = sources.filter((source) => {
      const parsed = parseOriginPattern(source);
      mustEqual('pattern' in parsed, isOriginPattern(source), `validity of ${JSON.stringify(source)}`);
      mustEqual(
        originPatternProblem(source) === null,
        'pattern' in parsed,
        'agreement of reader and checker',
      );
      return 'pattern' in parsed;
    });
    const patterns = valid.map(parseOriginPattern).flatMap((one) => ('pattern' in one ? [one.pattern] : []));
    const matched = matchesOrigin(patterns, header);
    mustEqual(
      matched,
      valid.some((source) => originMatches(source, header)),
      'whether the origin is allowed',
    );
    must(patterns.length === valid.length, 'every valid pattern is used');
    const kinds = [...new Set(patterns.map(({ kind }) => kind))].sort().join(' ');
    return `${matched ? 'allowed' : 'refused'} by ${kinds || 'nothing'}`;
  },
  reach(bytes) {
    const [header = '', ...sources] = splitFields(bytes).map(textOf);
    const patterns = sources
      .map(parseOriginPattern)
      .flatMap((one) => ('pattern' in one ? [one.pattern] : []));
    matchesOrigin(patterns, header);
  },
};
