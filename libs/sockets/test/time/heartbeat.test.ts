import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { heartbeatVerdict, type HeartbeatRules, type Pulse } from '../../src/time/heartbeat.js';

const RULES: HeartbeatRules = {
  activityTicks: 240,
  answerTicks: 60,
  authorizationTicks: Infinity,
  idleTicks: Infinity,
};
const SIGNIN: HeartbeatRules = { ...RULES, authorizationTicks: 1000 };

const pulse = (more: Partial<Pulse> = {}): Pulse => ({
  connectedTick: 10,
  activeTick: 10,
  probedTick: 0,
  isAuthorized: false,
  ...more,
});

describe('a heartbeat', () => {
  it.each([
    ['new', pulse(), RULES, 11, 'wait 250'],
    ['silent almost long enough', pulse(), RULES, 249, 'wait 250'],
    ['silent long enough', pulse(), RULES, 250, 'probe'],
    ['silent for longer', pulse(), RULES, 900, 'probe'],
    ['active meanwhile', pulse({ activeTick: 200 }), RULES, 250, 'wait 440'],
    ['probed just now', pulse({ probedTick: 250 }), RULES, 251, 'wait 310'],
    ['probed and silent', pulse({ probedTick: 250 }), RULES, 309, 'wait 310'],
    ['probed and silent too long', pulse({ probedTick: 250 }), RULES, 310, 'no_answer'],
    [
      'answered in the tick of the probe',
      pulse({ probedTick: 250, activeTick: 250 }),
      RULES,
      310,
      'wait 490',
    ],
    ['answered', pulse({ probedTick: 250, activeTick: 251 }), RULES, 310, 'wait 491'],
    ['silent again after an answer', pulse({ probedTick: 250, activeTick: 251 }), RULES, 491, 'probe'],
    [
      'probed, with less silence allowed than time to answer',
      pulse({ probedTick: 20 }),
      { ...RULES, activityTicks: 10 },
      21,
      'wait 31',
    ],
    ['not authorized, with time left', pulse({ activeTick: 1000 }), SIGNIN, 1005, 'wait 1010'],
    ['not authorized in time', pulse({ activeTick: 1009 }), SIGNIN, 1010, 'not_authorized'],
    ['authorized', pulse({ activeTick: 1009, isAuthorized: true }), SIGNIN, 1010, 'wait 1249'],
    ['neither authorized nor answering', pulse({ probedTick: 950 }), SIGNIN, 1010, 'not_authorized'],
    ['not authorized but nobody asks', pulse({ activeTick: 5000 }), RULES, 5001, 'wait 5240'],
  ] as const)('%s', (_name, about, rules, tick, expected) => {
    const verdict = heartbeatVerdict(about, rules, tick);
    expect(verdict.kind === 'wait' ? `wait ${verdict.untilTick}` : verdict.kind).toBe(expected);
  });

  /** Plays a life: at each tick the client is active or not, and the verdict of the tick is carried out. */
  it('probes only the silent, ends only who gave no sign for the whole answer time, and looks often enough', () => {
    const life = fc.record({
      activityTicks: fc.integer({ min: 1, max: 12 }),
      answerTicks: fc.integer({ min: 1, max: 8 }),
      authorizationTicks: fc.option(fc.integer({ min: 1, max: 60 }), { nil: Infinity }),
      idleTicks: fc.constant(Infinity),
      /** Ticks at which something came, and the tick it authorized itself. */
      active: fc.uniqueArray(fc.integer({ min: 2, max: 120 })),
      authorizesAt: fc.integer({ min: 2, max: 120 }),
    });
    fc.assert(
      fc.property(life, ({ active, authorizesAt, ...rules }) => {
        const state = { connectedTick: 1, activeTick: 1, probedTick: 0, isAuthorized: false };
        const signs = new Set(active);
        let lookAt = 2;
        let probes = 0;
        for (let tick = 2; tick <= 120; tick += 1) {
          if (tick >= lookAt) {
            const verdict = heartbeatVerdict(state, rules, tick);
            const silence = tick - state.activeTick;
            if (verdict.kind === 'wait') {
              expect(verdict.untilTick).toBeGreaterThan(tick);
              lookAt = verdict.untilTick;
            } else if (verdict.kind === 'probe') {
              expect(silence).toBeGreaterThanOrEqual(rules.activityTicks);
              state.probedTick = tick;
              probes += 1;
              lookAt = tick + 1;
            } else if (verdict.kind === 'no_answer') {
              expect(probes).toBeGreaterThan(0);
              expect(silence).toBeGreaterThanOrEqual(rules.activityTicks + rules.answerTicks);
              expect(tick - state.probedTick).toBe(rules.answerTicks);
              return;
            } else {
              expect(state.isAuthorized).toBe(false);
              expect(tick).toBe(1 + rules.authorizationTicks);
              return;
            }
          }
          // It is still open, so nothing was overdue.
          expect(tick - state.activeTick).toBeLessThan(rules.activityTicks + rules.answerTicks);
          if (!state.isAuthorized) expect(tick).toBeLessThan(1 + rules.authorizationTicks);
          if (signs.has(tick)) state.activeTick = tick;
          if (tick === authorizesAt) state.isAuthorized = true;
        }
      }),
      { numRuns: 1000 },
    );
  });
});
