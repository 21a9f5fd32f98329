import { expect, it } from 'vitest';
import { simulate } from './simulate.js';

/** Seeds of every pair that run with each change: about two minutes with the mutants, on two processors. */
const SEEDS = '1..12';
const LONG_MS = 600_000;

it(
  'simulator: finds no violation in the first seeds of every pair [G1] [G2] [G3] [G5] [G6]',
  async () => {
    const { code, events } = await simulate('--seeds', SEEDS);
    const summary = events.find(({ type }) => type === 'summary');
    process.stdout.write(
      `simulator: ${JSON.stringify(summary?.runs)} runs, ${JSON.stringify(summary?.steps)} steps, ${JSON.stringify(summary?.seconds)} s\n`,
    );
    expect(events.filter(({ type }) => type === 'violation')).toEqual([]);
    expect(code).toBe(0);
  },
  LONG_MS,
);

it(
  'simulator: finds every mutant when it runs its recorded seed',
  async () => {
    const { code, events } = await simulate('--mutant', 'all');
    const found = events.filter(({ type }) => type === 'mutant');
    for (const { name, core, seed } of found)
      process.stdout.write(`${[name, 'found by', core, 'with seed', seed].join(' ')}\n`);
    expect(found.filter((one) => one.found !== true)).toEqual([]);
    expect(found.length).toBeGreaterThanOrEqual(10);
    expect(code).toBe(0);
  },
  LONG_MS,
);

it('simulator: rejects the usage when a core does not exist', async () => {
  expect((await simulate('--core', 'absent')).code).toBe(64);
  expect((await simulate('--replay', '7')).code).toBe(64);
});
