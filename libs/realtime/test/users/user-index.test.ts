import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserIndex } from '../../src/users/user-index.js';
import { subscriber, hub } from '../samples.js';

const steps = fc.array(fc.tuple(fc.boolean(), fc.constantFrom('a', 'b', '__proto__'), fc.nat(4)), {
  maxLength: 60,
});

describe('the index of users', () => {
  it('is what sets by user would be, and tells the first and the last', () => {
    const home = hub();
    const connections = Array.from({ length: 5 }, (_, index) => subscriber(home, `1.${index}`));
    fc.assert(
      fc.property(steps, (program) => {
        const index = new UserIndex();
        const model = new Map<string, Set<object>>();
        for (const [adds, user, which] of program) {
          const one = connections[which] ?? subscriber();
          const before = model.get(user) ?? new Set();
          const after = new Set(before);
          if (adds) {
            after.add(one);
            expect(index.add(user, one)).toBe(before.size === 0);
          } else {
            expect(index.remove(user, one)).toBe(after.delete(one) && after.size === 0);
          }
          if (after.size === 0) model.delete(user);
          else model.set(user, after);
          expect(index.size).toBe(model.size);
          for (const name of ['a', 'b', '__proto__']) {
            expect(index.has(name)).toBe(model.has(name));
            expect(new Set(index.of(name))).toEqual(model.get(name) ?? new Set());
            expect(index.of(name)).toHaveLength(model.get(name)?.size ?? 0);
          }
        }
      }),
    );
  });

  it('gives a list that may be gone through while connections leave', () => {
    const index = new UserIndex();
    const home = hub();
    const all = Array.from({ length: 3 }, (_, which) => subscriber(home, `1.${which}`));
    for (const one of all) index.add('a', one);
    let seen = 0;
    for (const one of index.of('a')) {
      index.remove('a', one);
      seen += 1;
    }
    expect([seen, index.size]).toEqual([3, 0]);
  });
});
