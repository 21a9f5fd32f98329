import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { BEAT_MS, BEFORE_END_MS, type Need, needOf, type Pulse, untilNeedMs } from '../src/pulse.js';

const pulses = fc.record({
  silentMs: fc.nat(2 * BEAT_MS),
  leftMs: fc.oneof(fc.constant(Infinity), fc.integer({ min: -1000, max: 3 * BEFORE_END_MS })),
  isAsked: fc.boolean(),
});
const later = ({ silentMs, leftMs, isAsked }: Pulse, ms: number): Pulse => ({
  silentMs: silentMs + ms,
  leftMs: leftMs - ms,
  isAsked,
});

it('needs something at the time that was said, and nothing before', () => {
  fc.assert(
    fc.property(pulses, (pulse) => {
      const untilMs = untilNeedMs(pulse);
      expect(needOf(later(pulse, untilMs))).not.toBeNull();
      if (untilMs > 0) expect(needOf(later(pulse, untilMs - 1))).toBeNull();
    }),
  );
});

it('is asked for another token once, that long before the end, and never silent for longer than a beat', () => {
  fc.assert(
    fc.property(fc.integer({ min: BEFORE_END_MS + 1, max: 4 * BEFORE_END_MS }), (leftMs) => {
      let pulse: Pulse = { silentMs: 0, leftMs, isAsked: false };
      const needs: [Need, number][] = [];
      while (needs.at(-1)?.[0] !== 'ended') {
        const ms = untilNeedMs(pulse);
        expect(ms).toBeLessThanOrEqual(BEAT_MS);
        pulse = later(pulse, ms);
        const need = needOf(pulse);
        if (need !== null) needs.push([need, pulse.leftMs]);
        pulse = { ...pulse, silentMs: 0, isAsked: pulse.isAsked || need === 'ending' };
      }
      expect(needs.filter(([need]) => need === 'ending')).toEqual([['ending', BEFORE_END_MS]]);
      expect(needs.at(-1)).toEqual(['ended', 0]);
    }),
  );
});

it('is not asked for another token where it came with little left', () => {
  fc.assert(
    fc.property(fc.nat(BEAT_MS), fc.nat(BEFORE_END_MS), (silentMs, leftMs) => {
      expect(needOf({ silentMs, leftMs, isAsked: true })).not.toBe('ending');
    }),
  );
});
