import { expect, it } from 'vitest';
import { BaseBudget } from '../src/index.js';

class Holder {
  forgotten = 0;

  constructor(public length: number) {}

  clear(): void {
    this.length = 0;
    this.forgotten += 1;
  }
}

it('has those forget that were not used for longest, until the rest fits', () => {
  const budget = new BaseBudget(100);
  const [a, b, c] = [new Holder(40), new Holder(40), new Holder(0)];
  for (const holder of [a, b, c, a]) budget.used(holder);
  c.length = 30;
  budget.used(c);
  expect([a.forgotten, b.forgotten, c.forgotten, budget.total]).toEqual([0, 1, 0, 70]);
  budget.left(a);
  expect(budget.total).toBe(30);
  c.length = 101;
  budget.used(c);
  expect([c.forgotten, budget.total]).toEqual([1, 0]);
});
