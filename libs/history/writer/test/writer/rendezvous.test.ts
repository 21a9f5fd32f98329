import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serverOf } from '../../src/index.js';

const ids = fc.uniqueArray(fc.stringMatching(/^[\w.-]{1,20}$/), { minLength: 1, maxLength: 8 });
const LANES = Array.from({ length: 32 }, (_, lane) => lane);

describe('who serves a lane', () => {
  it('is one of the writers, and the same for all who know them, in whatever order', () => {
    fc.assert(
      fc.property(ids, (writers) => {
        for (const lane of LANES) {
          const server = serverOf(lane, writers);
          expect(writers).toContain(server);
          expect(serverOf(lane, [...writers].reverse())).toBe(server);
        }
      }),
    );
  });

  it('changes with a writer that comes or goes only where that one is concerned', () => {
    fc.assert(
      fc.property(ids, fc.stringMatching(/^new-[\w.-]{1,20}$/), (writers, newcomer) => {
        for (const lane of LANES) {
          const before = serverOf(lane, writers);
          const after = serverOf(lane, [...writers, newcomer]);
          expect([before, newcomer]).toContain(after);
        }
      }),
    );
  });

  it('is nobody when there is nobody', () => {
    expect(serverOf(0, [])).toBeNull();
  });

  it('is spread over the writers', () => {
    const writers = ['a', 'b', 'c', 'd'];
    const counts = new Map(writers.map((writer) => [writer, 0]));
    for (let lane = 0; lane < 1024; lane += 1) {
      const server = serverOf(lane, writers) ?? '';
      counts.set(server, (counts.get(server) ?? 0) + 1);
    }
    for (const count of counts.values()) expect(count).toBeGreaterThan(180);
  });
});
