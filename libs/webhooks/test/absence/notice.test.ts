import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrive, depart, isSettling, type Notice, noticeText, readNotice } from '../../src/absence/notice.js';

describe('the record of a place', () => {
  it('is read as it was written, and keeps its meaning for older processes', () => {
    for (const kind of ['back', 'early', 'here', 'went'] as const) {
      const notice: Notice = { kind, serial: 1_764_000_000_000_123 };
      expect(readNotice(noticeText(notice))).toEqual(notice);
    }
    expect(readNotice('here')).toEqual({ kind: 'here', serial: null });
    expect(readNotice('2c6f1a54-departure-of-an-older-process')).toEqual({ kind: 'went', serial: null });
    expect(readNotice(null)).toBeNull();
  });

  it('notifies an arrival again when the process that notified it died', () => {
    const { next = null, outcome } = arrive(null, 5);
    expect([outcome, arrive(next, 5).outcome, arrive(next, 7).outcome]).toEqual(['first', 'first', 'known']);
  });

  it('cancels a departure by an arrival, and not by an earlier one', () => {
    const left = depart({ kind: 'here', serial: 1 }, 5);
    expect(left).toEqual({ next: { kind: 'went', serial: 5 }, outcome: 'open' });
    expect(arrive({ kind: 'went', serial: 5 }, 3)).toEqual({ outcome: 'known' });
    expect(arrive({ kind: 'went', serial: 5 }, 6)).toEqual({
      next: { kind: 'back', serial: 6 },
      outcome: 'known',
    });
    expect(depart({ kind: 'back', serial: 6 }, 5)).toEqual({ outcome: 'closed' });
  });

  it('notifies both when the departure is recorded before its arrival', () => {
    const { next = null } = depart(null, 5);
    const late = arrive(next, 4);
    expect(late).toEqual({ next: { kind: 'went', serial: 5, arrival: 4 }, outcome: 'first' });
    expect(late.next !== undefined && isSettling(late.next, 5)).toBe(true);
  });

  it('is the same whichever of two repeated changes is recorded again', () => {
    const notice = fc.option(
      fc.record({
        kind: fc.constantFrom('back' as const, 'early' as const, 'here' as const, 'went' as const),
        serial: fc.nat({ max: 9 }),
      }),
      { nil: null },
    );
    fc.assert(
      fc.property(notice, fc.nat({ max: 9 }), fc.boolean(), (now, serial, comes) => {
        const change = comes ? arrive : depart;
        const once = change(now, serial);
        const again = change(once.next ?? now, serial);
        expect(again.outcome).toBe(once.outcome);
        expect(again.next ?? once.next ?? now).toEqual(once.next ?? now);
      }),
    );
  });
});
