import { expect, it } from 'vitest';
import { simulate } from './simulate.js';

const LONG_MS = 3_600_000;

it('simulator: finds no violation in 200 seeds of every pair', { timeout: LONG_MS }, async () => {
  const { code, events } = await simulate('--seeds', '1..200', '--budget', '3000');
  expect(events.filter(({ type }) => type === 'violation')).toEqual([]);
  expect(code).toBe(0);
});

it('simulator: finds every mutant within 1,000 seeds of its fault class', { timeout: LONG_MS }, async () => {
  const { code, events } = await simulate('--mutant', 'all', '--search');
  expect(events.filter(({ type, found }) => type === 'mutant' && found !== true)).toEqual([]);
  expect(code).toBe(0);
});
