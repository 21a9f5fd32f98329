import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { Seen } from '../src/cluster/seen.js';

it('an event is known again among the last 4096 of its app', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4095 }), fc.integer({ min: 0, max: 20_000 }), (between, before) => {
      const seen = new Seen();
      for (let at = 0; at < before; at += 1) seen.isCopy('shop', `before-${at}`);
      expect(seen.isCopy('shop', 'x')).toBe(false);
      for (let at = 0; at < between; at += 1) expect(seen.isCopy('shop', `between-${at}`)).toBe(false);
      expect(seen.isCopy('shop', 'x')).toBe(true);
      expect(seen.isCopy('other', 'x')).toBe(false);
    }),
    { numRuns: 20 },
  );
});

it('what is remembered does not grow with what comes', () => {
  const seen = new Seen();
  for (let at = 0; at < 600_000; at += 1) seen.isCopy(`app-${at % 5000}`, `${at}`);
  expect(seen.isCopy('app-0', '0')).toBe(false);
  expect(seen.isCopy('app-4999', '599999')).toBe(true);
});
