import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { FlushWheel } from '../../src/appends/flush-wheel.js';

it('everything runs once, never before its time and soon after it', () => {
  const jobs = fc.array(fc.record({ inMs: fc.nat(3000), subject: fc.string() }), { maxLength: 50 });
  fc.assert(
    fc.property(jobs, fc.array(fc.nat(2500), { maxLength: 20 }), (asked, pauses) => {
      let nowMs = 0;
      const wheel = new FlushWheel({ tickMs: 5, shards: 3, nowMs: () => nowMs });
      const ran: number[] = [];
      for (const { inMs, subject } of asked) wheel.at(inMs, subject, () => void ran.push(inMs));
      for (const pause of [...pauses, 4000]) {
        nowMs += pause;
        wheel.turn();
        for (const inMs of ran) expect(inMs).toBeLessThanOrEqual(nowMs);
        const due = asked.filter(({ inMs }) => inMs + 5 <= nowMs);
        expect(ran.length).toBeGreaterThanOrEqual(due.length);
      }
      expect(ran).toHaveLength(asked.length);
      expect(wheel.size).toBe(0);
      wheel.stop();
    }),
  );
});
