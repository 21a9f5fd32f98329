import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  contiguous,
  HotRing,
  judgePosition,
  resumeFailed,
  resumeSuccess,
  type Verdict,
} from '../src/index.js';

const head = { streamId: 's', serial: 50, oldestSerial: 1 };
const at = (serial: number, streamId: string | null = 's') => ({ streamId, serial, lastMessageId: null });
const reason = (verdict: Verdict): string => (verdict.kind === 'failed' ? verdict.failure.reason : 'replay');

describe('a position', () => {
  it('asks for what came after it, also from its own beginning', () => {
    expect(judgePosition('a', at(47), head, 100)).toEqual({
      kind: 'replay',
      streamId: 's',
      from: 48,
      to: 50,
    });
    expect(judgePosition('a', at(50), head, 100)).toMatchObject({ from: 51, to: 50 });
    expect(judgePosition('a', at(0, null), { ...head, serial: 0 }, 100)).toMatchObject({ from: 1, to: 0 });
  });

  it('is refused in the order of the page', () => {
    expect(reason(judgePosition('a', at(60, 'other'), head, 100))).toBe('stream_id_mismatch');
    expect(reason(judgePosition('a', at(51), head, 100))).toBe('position_ahead_of_durable_stream');
    expect(reason(judgePosition('a', at(0), { ...head, serial: 101 }, 100))).toBe('recovery_window_exceeded');
    expect(reason(judgePosition('a', at(9), { ...head, oldestSerial: 11 }, 100))).toBe(
      'retained_history_floor_is_ahead_of_requested_serial',
    );
    expect(reason(judgePosition('a', at(10), { ...head, oldestSerial: 11 }, 100))).toBe('replay');
  });
});

const message = (serial: number, streamId = 's') => ({ streamId, serial });

describe('what was found', () => {
  const range = { streamId: 's', from: 3, to: 6 };
  it('counts only if it is all there, in order and of one stream', () => {
    expect(contiguous(range, [message(5), message(6)], [message(3), message(4), message(5)])).toEqual(
      [3, 4, 5, 6].map((serial) => message(serial)),
    );
    expect(contiguous(range, [message(3), message(4), message(6)])).toBeNull();
    expect(contiguous(range, [message(3), message(4), message(5, 't'), message(6)])).toBeNull();
    expect(contiguous({ ...range, from: 7 })).toEqual([]);
  });

  it('is never a part of what was asked for', () => {
    const found = fc.array(fc.integer({ min: 0, max: 12 }).map((serial) => message(serial)));
    fc.assert(
      fc.property(fc.array(found, { maxLength: 3 }), fc.nat(10), fc.nat(10), (parts, from, length) => {
        const joined = contiguous({ streamId: 's', from, to: from + length }, ...parts);
        if (joined === null) return;
        expect(joined.map(({ serial }) => serial)).toEqual(
          Array.from({ length: length + 1 }, (_, n) => from + n),
        );
      }),
    );
  });
});

describe('the ring of the newest messages', () => {
  it('holds so many and so old, like a list that is cut after every step', () => {
    const step = fc.record({ gap: fc.constantFrom(0, 0, 0, 0, 1), passed: fc.nat(40), asked: fc.nat(80) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 8 }), (steps, maxCount) => {
        const ring = new HotRing<{ streamId: string; serial: number }>({ maxCount, maxAgeMs: 100 });
        let model: { serial: number; atMs: number }[] = [];
        let [serial, nowMs] = [0, 0];
        for (const { gap, passed, asked } of steps) {
          serial += 1 + gap;
          nowMs += passed;
          if (gap > 0) model = [];
          model = [...model, { serial, atMs: nowMs }].slice(-maxCount);
          ring.push(message(serial), nowMs);
          const expected = model.filter((one) => one.serial >= asked && one.atMs >= nowMs - 100);
          expect(ring.since(asked, nowMs)).toEqual(expected.map((one) => message(one.serial)));
        }
      }),
    );
  });
});

it('tells clients as the page shows', () => {
  const failure = {
    channel: 'chat',
    reason: 'recovery_window_exceeded',
    expectedStreamId: 'a',
    currentStreamId: 'a',
    oldestSerial: 900,
    newestSerial: 1200,
  } as const;
  expect(resumeFailed(failure)).toEqual({
    event: 'service:resume_failed',
    channel: 'chat',
    dataText: JSON.stringify(
      '{"channel":"chat","code":"position_expired","reason":"recovery_window_exceeded","expected_stream_id":"a","current_stream_id":"a","oldest_available_serial":900,"newest_available_serial":1200}',
    ),
  });
  const recovered = {
    channel: 'orders',
    source: 'hot',
    replayed: 3,
    position: { streamId: '5a1c', serial: 47, lastMessageId: '9b2e' },
  } as const;
  expect(
    JSON.parse(JSON.parse(resumeSuccess([recovered], [failure]).dataText ?? '') as string),
  ).toMatchObject({
    recovered: [
      {
        channel: 'orders',
        source: 'hot',
        replayed: 3,
        position: { stream_id: '5a1c', serial: 47, last_message_id: '9b2e' },
      },
    ],
    failed: [{ channel: 'chat', code: 'position_expired' }],
  });
});
