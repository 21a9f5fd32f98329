import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FARTHEST_TICKS, Wheel, type WheelItem } from '../src/wheel.js';

class Item implements WheelItem<Item> {
  dueTick = 0;
  next: Item | null = null;
  previous: Item | null = null;
  constructor(readonly name: number) {}
}

/** Model without a wheel. */
class Model {
  readonly due = new Map<number, number>();
  tick = 1;

  put(name: number, dueTick: number): void {
    this.due.set(name, Math.min(Math.max(dueTick, this.tick + 1), this.tick + FARTHEST_TICKS));
  }
}

const names = fc.nat(9);
const ahead = fc.oneof(fc.integer({ min: -3, max: 20 }), fc.integer({ min: 480, max: 1100 }));
/** External actions, and actions of firing elements. */
const action = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), name: names, ahead }),
  fc.record({ kind: fc.constant('remove' as const), name: names }),
);
const step = fc.oneof(
  action,
  fc.record({ kind: fc.constant('advance' as const), ticks: fc.oneof(fc.nat(5), fc.nat(1200)) }),
);

type Action = typeof action extends fc.Arbitrary<infer One> ? One : never;

describe('the wheel', () => {
  it('fires what a list of due ticks would, whatever is put, moved and removed, also while firing', () => {
    const programs = fc.tuple(fc.array(step, { maxLength: 60 }), fc.array(action, { maxLength: 30 }));
    fc.assert(
      fc.property(programs, ([steps, whileFiring]) => {
        const items = Array.from({ length: 10 }, (_, name) => new Item(name));
        const model = new Model();
        const later = [...whileFiring];
        const fired: string[] = [];
        const apply = (one: Action): void => {
          const item = items[one.name] as Item;
          if (one.kind === 'remove') {
            wheel.remove(item);
            model.due.delete(one.name);
          } else {
            wheel.put(item, wheel.tick + one.ahead);
            model.put(one.name, model.tick + one.ahead);
          }
        };
        const wheel = new Wheel<Item>((item) => {
          // Everything that was due before this tick has fired, so the model is at the wheel's tick.
          model.tick = wheel.tick;
          expect(model.due.get(item.name)).toBe(wheel.tick);
          expect([item.dueTick, item.next, item.previous]).toEqual([0, null, null]);
          model.due.delete(item.name);
          fired.push(`${item.name}@${wheel.tick}`);
          const next = later.shift();
          if (next !== undefined) apply(next);
        });
        for (const one of steps) {
          if (one.kind !== 'advance') apply(one);
          else {
            const to = wheel.tick + one.ticks;
            wheel.advance(to);
            model.tick = to;
            expect(wheel.tick).toBe(to);
          }
          for (const [name, due] of model.due) {
            expect(due).toBeGreaterThan(model.tick);
            expect(items[name]?.dueTick).toBe(due);
          }
          for (const item of items) if (!model.due.has(item.name)) expect(item.dueTick).toBe(0);
        }
        // All elements on the wheel fire, including those added while firing.
        for (let turns = 0; turns <= whileFiring.length; turns += 1)
          wheel.advance(wheel.tick + FARTHEST_TICKS);
        expect(model.due.size).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  it('fires a far item at the farthest tick, for its owner to put back', () => {
    const fired: number[] = [];
    const item = new Item(0);
    const wheel = new Wheel<Item>(() => void fired.push(wheel.tick));
    wheel.put(item, 10_000);
    wheel.advance(FARTHEST_TICKS);
    expect(fired).toEqual([]);
    wheel.advance(FARTHEST_TICKS + 1);
    expect(fired).toEqual([FARTHEST_TICKS + 1]);
  });

  it('never fires before the next tick, and nothing when it stands still or is told to go back', () => {
    const fired: number[] = [];
    const item = new Item(0);
    const wheel = new Wheel<Item>(() => void fired.push(wheel.tick));
    wheel.put(item, -5);
    wheel.advance(1);
    wheel.advance(0);
    expect([wheel.tick, fired]).toEqual([1, []]);
    wheel.advance(2);
    expect(fired).toEqual([2]);
  });

  it('lets an item that fires remove and move others of the same tick', () => {
    const [one, two, three] = [new Item(1), new Item(2), new Item(3)];
    const fired: string[] = [];
    const wheel = new Wheel<Item>((item) => {
      fired.push(`${item.name}@${wheel.tick}`);
      if (fired.length > 1) return;
      for (const other of [one, two, three]) if (other !== item) wheel.remove(other);
      wheel.put(two, wheel.tick);
    });
    for (const item of [one, two, three]) wheel.put(item, 5);
    wheel.advance(10);
    expect(fired).toHaveLength(2);
    expect(fired[1]).toBe('2@6');
  });

  it('survives an item that puts itself back for ever', () => {
    let fired = 0;
    const item = new Item(0);
    const wheel = new Wheel<Item>((again) => {
      fired += 1;
      wheel.put(again, wheel.tick);
    });
    wheel.put(item, 2);
    wheel.advance(1001);
    expect(fired).toBe(1000);
  });
});
