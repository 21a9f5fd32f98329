import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeDelta, type DeltaAlgorithm } from '../src/index.js';
import { DECODERS } from './decoders.js';

const ALGORITHMS: readonly DeltaAlgorithm[] = ['fossil', 'xdelta3'];

/** Texts with much in common, as messages of a channel have, and texts with nothing in common. */
const word = fc.constantFrom(
  '{"event":"tick",',
  '"channel":"market"',
  'aaaaaaaaaaaaaaaaaaaaa',
  '👍',
  '"p":',
  '0',
  'ß',
);
const text = fc.oneof(
  fc.array(word, { maxLength: 60 }).map((words) => words.join('')),
  fc.string({ unit: 'binary' }),
);
const pair = fc.oneof(
  fc.tuple(text, text),
  fc
    .tuple(text, text, text, text)
    .map(([start, one, other, end]) => [`${start}${one}${end}`, `${start}${other}${end}`] as const),
);

const padded = (price: number): string =>
  `{"event":"tick","data":"${'x'.repeat(300)} ${price} ${'y'.repeat(300)}"}`;
const tick = (price: number): string => `{"event":"tick","channel":"mkt","data":"{\\"p\\":${price}}"}`;

function decoded(algorithm: DeltaAlgorithm, base: string, target: string): string[] {
  const delta = Buffer.from(encodeDelta(algorithm, base, target), 'base64');
  return Object.values(DECODERS[algorithm]).map((decode) => decode(Buffer.from(base), delta).toString());
}

describe.each(ALGORITHMS)('a difference as %s', (algorithm) => {
  it('gives the target back with the decoders of others', () => {
    fc.assert(
      fc.property(pair, ([base, target]) => {
        // Frames are never empty.
        fc.pre(base !== '' && target !== '');
        const wanted = Buffer.from(target).toString();
        expect(new Set(decoded(algorithm, base, target))).toEqual(new Set([wanted]));
      }),
      { numRuns: 500 },
    );
  });

  it('is short where little changed', () => {
    expect(encodeDelta(algorithm, padded(100), padded(101)).length).toBeLessThan(60);
  });

  it('finds pieces that moved', () => {
    const [one, other] = [
      'The first of two long sentences stands here. ',
      'And then there is another one after it. ',
    ];
    const delta = encodeDelta(algorithm, one + other, other + one);
    expect(delta.length).toBeLessThan(60);
    expect(new Set(decoded(algorithm, one + other, other + one))).toEqual(new Set([other + one]));
  });
});

it('is, as fossil, what the page shows', () => {
  const delta = encodeDelta('fossil', tick(100), tick(105));
  expect(Buffer.from(delta, 'base64').toString()).toBe('q\nm@0,1:53@n,2_rFVh;');
  expect(delta).toBe('cQptQDAsMTo1M0BuLDJfckZWaDs=');
});
