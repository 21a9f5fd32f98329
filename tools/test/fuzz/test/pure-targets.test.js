import { describe, expect, it } from 'vitest';
import { superlinear } from '../src/growth.js';
import { runPure } from '../src/pure-run.js';
import { describeFailure } from '../src/report.js';
import { PROOF, seedOfTheDay } from '../src/seed.js';
import { PURE_TARGETS } from '../src/targets/index.js';

const INPUTS = Math.ceil((PROOF ? 100_000 : 10_000) / PURE_TARGETS.length);
const seed = seedOfTheDay();

describe(`with mutated inputs of seed ${seed}`, () => {
  it.each(PURE_TARGETS)('what must hold of $name does', { timeout: 120_000 }, (target) => {
    const { failures, inputs, outcomes } = runPure(target, { seed, inputs: INPUTS });
    expect(failures.map(describeFailure)).toEqual([]);
    expect(inputs).toBeGreaterThan(INPUTS);
    const missed = target.outcomes.filter((outcome) => !outcomes.has(outcome));
    expect(missed.length).toBeLessThanOrEqual(PROOF ? 0 : target.outcomes.length / 2);
  });
});

describe('growing inputs', () => {
  it.each(PURE_TARGETS)('cost $name no more than in proportion', (target) => {
    expect(superlinear(target)).toEqual([]);
  });
});
