import { expect, it } from 'vitest';
import { Comings, userOf } from '../load/comings.js';

/** @param {string} what @param {string} user */
const frame = (what, user) =>
  JSON.stringify({
    event: `pusher_internal:member_${what}`,
    channel: 'presence-bench-0',
    data: JSON.stringify({ user_id: user }),
  });

it('counts who comes and goes once and in turn, and says when that was meant to be', () => {
  const comings = new Comings();
  const user = userOf(1234, '0-1');
  expect(comings.take(frame('added', user))).toBe(1234);
  expect(comings.take(frame('removed', user))).toBe(null);
  expect([comings.right, comings.wrong]).toEqual([2, 0]);
});

it('finds who is told of twice, or to have gone without having come', () => {
  const comings = new Comings();
  const user = userOf(1, '0-1');
  for (const what of ['removed', 'added', 'added', 'removed', 'removed']) comings.take(frame(what, user));
  expect([comings.right, comings.wrong]).toEqual([2, 3]);
});

it('takes nothing else for a change of its own users', () => {
  const comings = new Comings();
  comings.take(frame('added', 'watcher-1'));
  comings.take('{"event":"news","channel":"presence-bench-0","data":"{}"}');
  expect([comings.right, comings.wrong]).toEqual([0, 0]);
});
