import { describe, expect, it } from 'vitest';
import { Breaker } from '../src/pipeline/breaker.js';
import { FairShare } from '../src/pipeline/fair-share.js';
import { AdaptiveWindow } from '../src/pipeline/window.js';

const FAILED = { anyAccepted: false, anyFailure: true, quotaUntilMs: null };
const FINE = { anyAccepted: true, anyFailure: false, quotaUntilMs: null };
const DEVICE = { anyAccepted: false, anyFailure: false, quotaUntilMs: null };
const settings = { failure_threshold: 5, cooldown_secs: 60, half_open_max_inflight: 10 };

describe('a circuit breaker', () => {
  it('opens after so many failed batches in a row, and lets few try after the cooldown (49)', () => {
    const breaker = new Breaker(settings);
    for (let batch = 0; batch < 4; batch += 1) expect(breaker.leave(1, FAILED, 0)).toBe(false);
    breaker.leave(1, FINE, 0);
    for (let batch = 0; batch < 4; batch += 1) breaker.leave(1, FAILED, 0);
    breaker.leave(1, DEVICE, 0);
    expect(breaker.leave(1, FAILED, 0)).toBe(true);
    expect(breaker.enter(500, 59_999)).toEqual({ allowed: 0, untilMs: 60_000 });
    expect(breaker.enter(8, 60_000).allowed).toBe(8);
    expect(breaker.enter(500, 60_000).allowed).toBe(2);
    expect(breaker.enter(500, 60_000).allowed).toBe(0);
    breaker.leave(8, FAILED, 60_001);
    expect(breaker.state(60_002)).toBe('open');
    breaker.leave(2, FINE, 120_002);
    expect(breaker.state(120_003)).toBe('closed');
  });

  it('stays open as long as the provider wants to be left alone', () => {
    const breaker = new Breaker(settings);
    expect(breaker.leave(1, { ...DEVICE, quotaUntilMs: 5000 }, 0)).toBe(true);
    expect(breaker.enter(1, 4999).allowed).toBe(0);
    expect(breaker.enter(1, 5000).allowed).toBe(1);
  });
});

describe('the window of a provider', () => {
  it('halves when it throttles, at most every half minute, and grows by one a quiet minute', () => {
    const window = new AdaptiveWindow(() => 0);
    const round = (throttled: boolean, nowMs: number) => {
      expect(window.enter(nowMs)).toBe(true);
      window.leave(throttled, nowMs);
    };
    round(true, 0);
    round(true, 29_999);
    expect(window.size).toBe(50);
    round(true, 30_000);
    expect(window.size).toBe(25);
    round(false, 90_000);
    expect(window.size).toBe(26);
  });

  it('is never empty', () => {
    const window = new AdaptiveWindow(() => 0);
    for (let time = 0; time < 20; time += 1) {
      window.enter(time * 30_000);
      window.leave(true, time * 30_000);
    }
    expect(window.size).toBe(1);
    expect(window.enter(0)).toBe(true);
    expect(window.enter(0)).toBe(false);
  });
});

describe('the share of an app', () => {
  it('is everything while it is alone, and so much beside others', () => {
    const fair = new FairShare();
    for (let batch = 0; batch < 20; batch += 1) expect(fair.enter('large')).toBe(true);
    expect(fair.enter('small')).toBe(true);
    expect(fair.enter('large')).toBe(false);
    for (let batch = 0; batch < 13; batch += 1) fair.leave('large');
    expect(fair.enter('large')).toBe(true);
  });
});
