import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Absences, SETTLE_MS } from '../../src/absence/absences.js';
import { ManualClock, turn } from '../manual-clock.js';

interface World {
  readonly clock: ManualClock;
  readonly absences: Absences<string>;
  /** `+place` and `-place`, with when. */
  readonly told: string[];
  /** Subscribers in other processes. */
  readonly others: Map<string, number>;
  here: number;
}

function world(options: { maxOpen?: number; gone?: () => Promise<boolean | null> } = {}): World {
  const clock = new ManualClock();
  const told: string[] = [];
  const others = new Map<string, number>();
  const made: World = {
    clock,
    told,
    others,
    here: 0,
    absences: new Absences(
      {
        keyOf: (place) => place,
        isGone: options.gone ?? (async (place) => (others.get(place) ?? 0) === 0 && made.here === 0),
        tell: (place, what) => told.push(`${what === 'came' ? '+' : '-'}${place} ${clock.now()}`),
      },
      clock,
      options.maxOpen,
    ),
  };
  return made;
}

describe('who comes and goes', () => {
  it('is told at once to have come, and after three seconds to have gone', async () => {
    const { absences, clock, told } = world();
    absences.came('a');
    await turn();
    await clock.pass(10_000);
    absences.went('a');
    await clock.pass(SETTLE_MS - 1);
    expect(told).toEqual(['+a 0']);
    await clock.pass(1);
    expect(told).toEqual(['+a 0', '-a 13000']);
    expect([absences.size, clock.timers]).toEqual([0, 0]);
  });

  it('and comes back within three seconds is not told of at all', async () => {
    const { absences, clock, told } = world();
    absences.came('a');
    await turn();
    for (let times = 0; times < 5; times += 1) {
      absences.went('a');
      await clock.pass(SETTLE_MS - 1);
      absences.came('a');
      await clock.pass(SETTLE_MS - 1);
    }
    await clock.pass(60_000);
    expect(told).toEqual(['+a 0']);
    expect(absences.size).toBe(0);
  });

  it('is waited for from the last time it went', async () => {
    const { absences, clock, told } = world();
    absences.went('a');
    await clock.pass(2000);
    absences.came('a');
    absences.went('a');
    await clock.pass(2999);
    expect(told).toEqual([]);
    await clock.pass(1);
    expect(told).toEqual(['-a 5000']);
  });

  it('goes unmentioned when somebody is there all the same', async () => {
    const { absences, clock, told, others } = world();
    absences.came('a');
    others.set('a', 1);
    absences.went('a');
    await clock.pass(SETTLE_MS);
    expect(told).toEqual(['+a 0']);
    expect(absences.size).toBe(0);
  });

  it('is told of in turn when it comes back just as it is found gone', async () => {
    const answers: ((gone: boolean) => void)[] = [];
    const gone = () => new Promise<boolean>((resolve) => void answers.push(resolve));
    const { absences, clock, told } = world({ gone });
    absences.went('a');
    await clock.pass(SETTLE_MS);
    absences.came('a');
    answers.shift()?.(true);
    await turn();
    expect(told).toEqual(['-a 3000', '+a 3000']);
    absences.went('a');
    await clock.pass(SETTLE_MS);
    absences.came('a');
    answers.shift()?.(false);
    await turn();
    expect(told).toEqual(['-a 3000', '+a 3000']);
    expect(absences.size).toBe(0);
  });

  it('is asked for three times when nobody can tell, then taken to be gone', async () => {
    const { absences, clock, told } = world({ gone: async () => null });
    absences.went('a');
    await clock.pass(2 * SETTLE_MS);
    expect(told).toEqual([]);
    await clock.pass(SETTLE_MS);
    expect(told).toEqual(['-a 9000']);
  });

  it('is gone at once when too much is unsettled, and whoever stays unsettled is not forgotten', async () => {
    const { absences, clock, told } = world({ maxOpen: 2 });
    for (const place of ['a', 'b', 'c']) absences.went(place);
    await turn();
    expect(told).toEqual(['-c 0']);
    await clock.pass(SETTLE_MS);
    expect(told).toEqual(['-c 0', '-a 3000', '-b 3000']);
  });

  it('is told of in turns, with three seconds of absence before each going, whatever happens when', async () => {
    const step = fc.record({ waitMs: fc.nat({ max: 6000 }), place: fc.constantFrom('a', 'b') });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { absences, clock, told } = world();
        const isHere = new Map<string, boolean>();
        const expected: string[] = [];
        const wentAtMs = new Map<string, number>();
        const goneBy = (nowMs: number): void => {
          for (const [place, atMs] of [...wentAtMs].sort(([, one], [, other]) => one - other)) {
            if (atMs + SETTLE_MS > nowMs) continue;
            expected.push(`-${place} ${atMs + SETTLE_MS}`);
            wentAtMs.delete(place);
          }
        };
        for (const { waitMs, place } of steps) {
          await clock.pass(waitMs);
          goneBy(clock.now());
          if (isHere.get(place) === true) {
            isHere.set(place, false);
            wentAtMs.set(place, clock.now());
            absences.went(place);
          } else {
            isHere.set(place, true);
            if (!wentAtMs.delete(place)) expected.push(`+${place} ${clock.now()}`);
            absences.came(place);
          }
          await turn();
        }
        await clock.pass(SETTLE_MS);
        goneBy(clock.now());
        expect(told).toEqual(expected);
        expect([absences.size, clock.timers]).toEqual([0, 0]);
      }),
      { numRuns: 100 },
    );
  });
});
