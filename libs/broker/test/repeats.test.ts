import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { MAX_UNIQUE_MS } from '../src/index.js';
import { Repeats } from '../src/repeats.js';
import { event } from './samples.js';

const unique = (eventId: string, uniqueForMs: number, appId = 'shop') =>
  event('orders', { eventId, uniqueForMs, appId });

it('an event is a repeat exactly while the first one says that it is unique, however many come between', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: MAX_UNIQUE_MS }),
      fc.array(fc.integer({ min: 0, max: 50_000 }), { maxLength: 10 }),
      (uniqueForMs, pausesMs) => {
        let nowMs = 1_000_000;
        const repeats = new Repeats(() => nowMs);
        let firstAtMs = -Infinity;
        for (const [at, pauseMs] of pausesMs.entries()) {
          nowMs += pauseMs;
          const isRepeat = nowMs < firstAtMs + uniqueForMs;
          expect(repeats.isRepeat(unique('x', uniqueForMs))).toBe(isRepeat);
          if (!isRepeat) firstAtMs = nowMs;
          expect(repeats.isRepeat(unique(`other ${at}`, MAX_UNIQUE_MS))).toBe(false);
        }
      },
    ),
  );
});

it('apps are kept apart', () => {
  const repeats = new Repeats();
  expect(repeats.isRepeat(unique('x', 1000))).toBe(false);
  expect(repeats.isRepeat(unique('x', 1000, 'other'))).toBe(false);
  expect(repeats.isRepeat(unique('x', 1000, 'other'))).toBe(true);
});

it('an event whose id was made for it is none, and is not remembered', () => {
  const repeats = new Repeats();
  const made = event('orders');
  expect([repeats.isRepeat(made), repeats.isRepeat(made)]).toEqual([false, false]);
  expect(repeats.isRepeat({ ...made, uniqueForMs: 1000 })).toBe(false);
});

it('the last 65 536 are remembered, and what is remembered does not grow with what comes', () => {
  const repeats = new Repeats(() => 0);
  for (let at = 0; at < 300_000; at += 1) repeats.isRepeat(unique(`${at}`, MAX_UNIQUE_MS));
  for (let at = 300_000 - 65_536; at < 300_000; at += 1) {
    expect(repeats.isRepeat(unique(`${at}`, MAX_UNIQUE_MS))).toBe(true);
  }
  expect(repeats.isRepeat(unique('0', MAX_UNIQUE_MS))).toBe(false);
});
