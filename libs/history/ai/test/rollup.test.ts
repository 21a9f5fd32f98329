import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Rollup, type Rolled, type RolledRecord } from '../src/index.js';

const LIMITS = { windowMs: 40, maxStreams: 3, orphanTtlMs: 1000, maxPendingBytes: 1000 };
const complete = JSON.stringify({ ai: { transport: { status: 'complete' } } });

const record = (serial: number, more: Partial<RolledRecord> = {}): RolledRecord => ({
  serial,
  messageSerial: 'm',
  action: 'append',
  fragment: `${serial} `,
  extrasText: null,
  ...more,
});
const told = (sent: readonly Rolled<RolledRecord>[]) =>
  sent.map(({ last, fragment, fromSerial }) => [last.serial, fragment, fromSerial]);

describe('roll-up', () => {
  it('sends the first at once and those of the same window together', () => {
    const rollup = new Rollup(LIMITS);
    expect(told(rollup.take(record(1), 0))).toEqual([[1, '1 ', null]]);
    for (const serial of [2, 3, 4]) expect(rollup.take(record(serial), serial)).toEqual([]);
    expect(rollup.dueMs).toBe(40);
    expect(rollup.tick(39)).toEqual([]);
    expect(told(rollup.tick(40))).toEqual([[4, '2 3 4 ', 2]]);
    expect(told(rollup.take(record(5), 41))).toEqual([[5, '5 ', null]]);
  });

  it('sends what it holds back before anything else of the channel', () => {
    const rollup = new Rollup(LIMITS);
    rollup.take(record(1), 0);
    rollup.take(record(2), 1);
    const sent = rollup.take(record(3, { messageSerial: null, action: 'other' }), 2);
    expect(sent.map(({ last, tellsPosition }) => [last.serial, tellsPosition])).toEqual([
      [2, false],
      [3, true],
    ]);
    rollup.take(record(4), 3);
    expect(told(rollup.take(record(5, { extrasText: complete }), 4))).toEqual([
      [4, '4 ', null],
      [5, '5 ', null],
    ]);
    expect(rollup.tracked).toBe(0);
  });

  it('holds nothing back beyond its bounds', () => {
    const rollup = new Rollup(LIMITS);
    for (const serial of [1, 2, 3, 4, 5]) rollup.take(record(serial, { messageSerial: `m${serial}` }), 0);
    expect(rollup.tracked).toBe(3);
    const long = record(6, { messageSerial: 'm1', fragment: 'x'.repeat(2000) });
    expect(rollup.take(long, 1)).toHaveLength(1);
    rollup.tick(5000);
    expect(rollup.tracked).toBe(0);
  });

  it('sends every fragment once and in order, and never claims what it has not sent', () => {
    const event = fc.record({
      message: fc.constantFrom('a', 'b', 'c', 'd'),
      action: fc.constantFrom('append', 'append', 'append', 'update', 'other', 'end' as const),
      afterMs: fc.nat(60),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const rollup = new Rollup({ ...LIMITS, maxPendingBytes: 12 });
        const sent: Rolled<RolledRecord>[] = [];
        const texts = new Map<string, string>();
        let nowMs = 0;
        for (const [index, { message, action, afterMs }] of events.entries()) {
          nowMs += afterMs;
          sent.push(...rollup.tick(nowMs));
          const isAppend = action === 'append' || action === 'end';
          const one = record(index + 1, {
            messageSerial: action === 'other' ? null : message,
            action: action === 'end' ? 'append' : action,
            extrasText: action === 'end' ? complete : null,
          });
          if (isAppend) texts.set(message, `${texts.get(message) ?? ''}${one.fragment}`);
          sent.push(...rollup.take(one, nowMs));
        }
        sent.push(...rollup.drain());
        const seen = new Map<string, string>();
        let covered = 0;
        for (const { last, fragment, tellsPosition } of sent) {
          if (last.action === 'append')
            seen.set(last.messageSerial ?? '', `${seen.get(last.messageSerial ?? '') ?? ''}${fragment}`);
          if (tellsPosition) {
            expect(last.serial).toBeGreaterThan(covered);
            covered = last.serial;
          }
        }
        expect(seen).toEqual(texts);
        expect(covered).toBe(events.length);
      }),
    );
  });
});
