import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { expiryOf } from '../src/expiry.js';

const EARLY_MS = 30_000;
const every = fc.integer({ min: 1000, max: EARLY_MS });

it('tells once that a token is ending, before it has ended', () => {
  fc.assert(
    fc.property(every, fc.nat(100_000), fc.nat(EARLY_MS), (everyMs, extraMs, phase) => {
      const expiresMs = EARLY_MS + everyMs + extraMs;
      const looks: ('ended' | 'ending' | null)[] = [];
      for (let now = phase % everyMs; now < expiresMs + everyMs; now += everyMs)
        looks.push(expiryOf(expiresMs, now, everyMs));
      expect(looks.filter((said) => said === 'ending')).toHaveLength(1);
      expect(looks.at(-1)).toBe('ended');
      expect(looks.indexOf('ending')).toBeLessThan(looks.indexOf('ended'));
    }),
  );
});

it('tells nothing of a token that never ends', () => {
  fc.assert(
    fc.property(fc.nat(), every, (now, everyMs) => {
      expect(expiryOf(null, now, everyMs)).toBeNull();
    }),
  );
});
