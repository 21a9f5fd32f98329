import { describe, expect, it } from 'vitest';
import { scenarios } from '../scenarios/index.js';
import { againstFloor, bench, freePort } from './bench-process.js';

const SMALL = '--connections 20 --warmup 0 --rounds 1 --load-processes 2';

/** What a scenario needs beside that to be short, and to show all it can. @type {Record<string, string>} */
const ARGUMENTS = {
  fleet: '--duration 1 --rate 50',
  conns: '--duration 1 --settle 0.1',
  'fanout-many': '--duration 1 --rate 48 --batch 4 --channels 5',
  fanout: '--duration 1 --rate 48 --batch 16',
  latency: '--duration 1 --rate 50',
  publish: '--duration 1 --batch 10',
  slow: '--duration 1 --rate 50',
  soak: '--minutes 0.04 --rate 50 --churn 20',
};

/** The rows that show that something was done on each side. @type {Record<string, string[]>} */
const DONE = {
  connect: ['per_second'],
  conns: ['connections'],
  frames: ['per_second'],
  fleet: ['per_second', 'alone_p50_ms', 'p50_ms'],
  http: ['per_second'],
  publish: ['per_second', 'batch_cost', 'paced_per_second', 'p99_ms'],
  slow: ['calm_p99_ms', 'p99_ms', 'slow_received'],
  soak: ['per_second', 'lives_per_second', 'p99_ms', 'rss_end_mib'],
};

describe('scenarios, the floor against itself', () => {
  for (const { name, alone } of scenarios.filter(({ serviceOnly }) => serviceOnly !== true)) {
    it(`${name} does its work without a failure or a loss`, async () => {
      const more = `${SMALL} ${ARGUMENTS[name] ?? '--duration 1'}`.split(' ');
      const { code, out, error } = await bench([name, ...againstFloor(await freePort()), ...more, '--json']);
      expect(error).toContain('round 1 of 1: target');
      expect(code).toBe(0);
      expect(out).not.toContain('top-secret');
      const summary = JSON.parse(out);
      expect(summary.scenario).toBe(name);
      for (const side of alone ? [summary.target] : [summary.target, summary.floor]) {
        for (const row of DONE[name] ?? ['per_second', 'p50_ms'])
          expect([row, side[row] > 0]).toEqual([row, true]);
        expect(side.failed).toBe(0);
        expect(side.missing ?? 0).toBe(0);
      }
      expect(summary.problems).toEqual([]);
      expect(Object.keys(summary.floor).length > 0).toBe(alone !== true);
      expect(Object.keys(summary.ratio).includes(summary.headline)).toBe(alone !== true);
    });
  }
});
