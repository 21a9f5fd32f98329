import { describe, expect, it } from 'vitest';
import { Breaker } from '../src/pipeline/breaker.js';
import { Breakers, Gates } from '../src/pipeline/breakers.js';
import { AdaptiveWindow } from '../src/pipeline/window.js';

const FAILED = { anyAccepted: false, anyFailure: true, quotaUntilMs: null };
const FINE = { anyAccepted: true, anyFailure: false, quotaUntilMs: null };
const DEVICE = { anyAccepted: false, anyFailure: false, quotaUntilMs: null };
const settings = { failure_threshold: 5, cooldown_secs: 60, half_open_max_inflight: 10 };

const to = (host: string, count: number) => Array.from({ length: count }, () => ({ host }));

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

describe('a circuit breaker that a provider holds with Retry-After', () => {
  const HELD = { anyAccepted: true, anyFailure: false, quotaUntilMs: 1000 };

  it('admits everything when the time of Retry-After has come', () => {
    const breaker = new Breaker(settings);
    expect(breaker.leave(32, HELD, 0)).toBe(true);
    expect(breaker.enter(500, 999)).toEqual({ allowed: 0, untilMs: 1000 });
    expect(breaker.state(1000)).toBe('closed');
    expect(breaker.enter(500, 1000)).toEqual({ allowed: 500, untilMs: 1000 });
  });

  it('keeps the hold when a batch that was in flight is accepted', () => {
    const breaker = new Breaker(settings);
    breaker.leave(32, HELD, 0);
    expect(breaker.leave(32, FINE, 1)).toBe(false);
    expect(breaker.enter(500, 999).allowed).toBe(0);
  });

  it('keeps the later time when batches report different ones', () => {
    const breaker = new Breaker(settings);
    breaker.leave(32, { ...HELD, quotaUntilMs: 5000 }, 0);
    expect(breaker.leave(32, HELD, 1)).toBe(false);
    expect(breaker.enter(500, 4999)).toEqual({ allowed: 0, untilMs: 5000 });
  });

  it('probes after the cooldown when failures had opened it as well', () => {
    const breaker = new Breaker({ ...settings, failure_threshold: 1 });
    breaker.leave(32, { ...FAILED, quotaUntilMs: 1000 }, 0);
    expect(breaker.enter(500, 1000).allowed).toBe(0);
    expect(breaker.enter(500, 60_000).allowed).toBe(10);
  });
});

describe('a circuit breaker that a batch tells both of failures and of a quota', () => {
  it('stays open until the later of the two times', () => {
    const breaker = new Breaker(settings);
    for (let batch = 0; batch < 4; batch += 1) breaker.leave(1, FAILED, 0);
    expect(breaker.leave(1, { ...FAILED, quotaUntilMs: 90_000 }, 0)).toBe(true);
    expect(breaker.enter(1, 89_999).allowed).toBe(0);
    expect(breaker.enter(1, 90_000).allowed).toBe(1);
  });

  it('opens for the quota, though the failures alone are too few, or some went through', () => {
    for (const verdict of [FAILED, FINE]) {
      const breaker = new Breaker(settings);
      expect(breaker.leave(1, { ...verdict, quotaUntilMs: 1000 }, 0)).toBe(true);
      expect(breaker.enter(1, 999).allowed).toBe(0);
    }
  });
});

describe('the breakers of a batch', () => {
  const resolved = {
    tenant: 'shop',
    credentialId: 'webpush',
    version: '1',
    credential: { provider: 'webpush', publicKey: '', privateKey: '', subject: null },
  } as const;
  const place = { appId: 'shop', provider: 'webpush', resolved } as const;

  it('are one for each push service: one that fails holds up nobody else', () => {
    const breakers = new Breakers(settings);
    for (let batch = 0; batch < 5; batch += 1) {
      const gates = new Gates(breakers, place);
      expect(gates.admit([...to('bad.example', 2), ...to('good.example', 1)], 0)).toHaveLength(3);
      gates.verdict('bad.example').anyFailure = true;
      gates.verdict('good.example').anyAccepted = true;
      expect(gates.leave(0)).toBe(batch < 4 ? 0 : 1);
    }
    const gates = new Gates(breakers, place);
    expect(gates.admit([...to('bad.example', 2), ...to('good.example', 1)], 1)).toEqual(
      to('good.example', 1),
    );
    expect(gates.heldUntilMs).toBe(60_000);
    expect([...breakers.states(1)]).toEqual([{ provider: 'webpush', tenant: 'shop', state: 2 }]);
    expect([...breakers.states(60_000)]).toEqual([{ provider: 'webpush', tenant: 'shop', state: 1 }]);
  });

  it('count a batch once, in however many parts it was sent', () => {
    const breakers = new Breakers(settings);
    const gates = new Gates(breakers, place);
    for (let part = 0; part < 10; part += 1) {
      gates.admit(to('bad.example', 32), 0);
      gates.verdict('bad.example').anyFailure = true;
    }
    expect(gates.leave(0)).toBe(0);
  });

  it('let so many try after the cooldown, over all parts together', () => {
    const breakers = new Breakers({ ...settings, failure_threshold: 1 });
    const first = new Gates(breakers, place);
    first.admit(to('bad.example', 1), 0);
    first.verdict('bad.example').anyFailure = true;
    first.leave(0);
    const gates = new Gates(breakers, place);
    expect(gates.admit(to('bad.example', 8), 60_000)).toHaveLength(8);
    expect(gates.admit(to('bad.example', 8), 60_000)).toHaveLength(2);
    expect(gates.admit(to('bad.example', 8), 60_000)).toHaveLength(0);
    gates.leave(60_000);
    expect(new Gates(breakers, place).admit(to('bad.example', 20), 60_000)).toHaveLength(10);
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
