import { describe, expect, it } from 'vitest';
import { scenarios } from '../scenarios/index.js';
import { againstFloor, bench, freePort } from './bench-process.js';

const SMALL = [
  '--connections',
  '20',
  '--duration',
  '1',
  '--warmup',
  '0',
  '--rounds',
  '1',
  '--load-processes',
  '2',
];

/** Rows that must be above 0 on both sides for the run to have done anything. */
const DONE = /** @type {Record<string, string>} */ ({ conns: 'connections' });

describe('scenarios, the floor against itself', () => {
  for (const { name, defaults } of scenarios) {
    it(`${name} does its work on both sides without a failure`, async () => {
      const openLoop = (defaults.rate ?? 0) > 0;
      const small = openLoop ? [...SMALL, '--rate', '50'] : SMALL;
      const { code, out, error } = await bench([name, ...againstFloor(await freePort()), ...small, '--json']);
      expect(error).toContain('round 1 of 1: floor');
      expect(code).toBe(0);
      expect(out).not.toContain('top-secret');
      const summary = JSON.parse(out);
      expect(summary.scenario).toBe(name);
      for (const side of [summary.target, summary.floor]) {
        expect(side[DONE[name] ?? 'per_second']).toBeGreaterThan(0);
        expect(side.failed).toBe(0);
        expect(side.missing ?? 0).toBe(0);
        expect(typeof side.p50_ms === 'number').toBe(openLoop);
      }
      expect(summary.problems).toEqual([]);
      expect(summary.ratio).toHaveProperty(summary.headline);
    });
  }
});
