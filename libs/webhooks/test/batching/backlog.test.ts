import { expect, it } from 'vitest';
import { Backlog } from '../../src/batching/backlog.js';

it('an app that has its share loses its own events, and nobody else’s', () => {
  const backlog = new Backlog({ maxEvents: 8, maxBytes: 800, shares: 4 });
  expect([backlog.admit('shop', 10), backlog.admit('shop', 10), backlog.admit('shop', 10)]).toEqual([
    true,
    true,
    false,
  ]);
  expect([backlog.admit('bank', 190), backlog.admit('bank', 20), backlog.admit('bank', 10)]).toEqual([
    true,
    false,
    true,
  ]);
  backlog.release('shop', 1, 10);
  expect(backlog.admit('shop', 10)).toBe(true);
  expect(backlog.events).toBe(4);
});
