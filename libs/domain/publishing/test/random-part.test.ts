import { expect, it } from 'vitest';
import { randomPart } from '../src/random-part.js';

it('random bytes are given out once, and stay what they were', () => {
  const parts = Array.from({ length: 2000 }, () => randomPart(16));
  const texts = parts.map((part) => part.toString('hex'));
  expect(new Set(texts).size).toBe(parts.length);
  randomPart(4096);
  expect(parts.map((part) => part.toString('hex'))).toEqual(texts);
  expect(randomPart(4096)).toHaveLength(4096);
});
