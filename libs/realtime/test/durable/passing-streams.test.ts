import { expect, it } from 'vitest';
import { PassingStreams } from '../../src/durable/passing-streams.js';

function scene() {
  const calls: string[] = [];
  const passing = new PassingStreams({
    followHere: (_, channel) => void calls.push(`+${channel}`),
    leave: (_, channel) => void calls.push(`-${channel}`),
  });
  return { calls, passing };
}

it('follows each once, and lets go of the one without a record for longest', () => {
  const { calls, passing } = scene();
  for (let n = 0; n < 10_000; n += 1) passing.follow('shop', `c${n}`);
  passing.follow('shop', 'c0');
  expect(calls).toHaveLength(10_000);
  passing.follow('shop', 'more');
  expect(calls.slice(-2)).toEqual(['+more', '-c1']);
});

it('lets go of what an app had, but for what somebody has by itself by now', () => {
  const { calls, passing } = scene();
  for (const channel of ['a', 'b']) passing.follow('shop', channel);
  passing.follow('other', 'c');
  passing.settled('shop', 'a');
  passing.forget('shop');
  expect(calls).toEqual(['+a', '+b', '+c', '-b']);
});
