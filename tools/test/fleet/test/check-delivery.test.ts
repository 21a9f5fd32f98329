import { describe, expect, it } from 'vitest';
import { checkDelivery } from '../src/model/check-delivery.js';
import type { ConnectionRecord, Gap, Publication } from '../src/model/records.js';

const sent = (number: number, more: Partial<Publication> = {}): Publication => ({
  publisher: 'p',
  channel: 'c',
  number,
  beganAtMs: number * 10,
  acceptedAtMs: number * 10 + 5,
  ...more,
});

function judge(
  came: readonly number[],
  publications: readonly Publication[] = [sent(1), sent(2), sent(3)],
  more: Partial<ConnectionRecord> = {},
  gaps: readonly Gap[] = [],
) {
  const connection: ConnectionRecord = {
    name: 'client',
    gateway: 'g',
    confirmedAtMs: new Map([['c', 0]]),
    received: new Map([['c', came.map((number) => ({ publisher: 'p', number }))]]),
    end: null,
    ...more,
  };
  const { missing, wrong, lostInGaps } = checkDelivery({
    publications,
    connections: [connection],
    gaps,
  });
  return { missing: missing.length, wrong: wrong.length, lostInGaps };
}

const FINE = { missing: 0, wrong: 0, lostInGaps: 0 };

describe('what came is compared with what was accepted', () => {
  it('holds when every event came once and in order', () => {
    expect(judge([1, 2, 3])).toEqual(FINE);
  });

  it('finds a lost event', () => {
    expect(judge([1, 3])).toEqual({ ...FINE, missing: 1 });
  });

  it('finds an event that came twice', () => {
    expect(judge([1, 2, 2, 3])).toEqual({ ...FINE, wrong: 1 });
    expect(judge([1, 2, 3, 1])).toEqual({ ...FINE, wrong: 1 });
  });

  it('finds events in the wrong order', () => {
    expect(judge([2, 1, 3])).toEqual({ ...FINE, wrong: 1 });
  });

  it('finds an event that nobody published', () => {
    expect(judge([1, 2, 3, 4])).toEqual({ ...FINE, wrong: 1 });
  });

  it('expects nothing from before the confirmation and nothing that was not accepted', () => {
    expect(judge([2, 3], undefined, { confirmedAtMs: new Map([['c', 15]]) })).toEqual(FINE);
    expect(judge([1, 2], [sent(1), sent(2), sent(3, { acceptedAtMs: null })])).toEqual(FINE);
  });

  it('lets the end of a connection cut off the rest, and leave no hole', () => {
    const end = { end: { atMs: 100, code: null } };
    expect(judge([1, 2], undefined, end)).toEqual(FINE);
    expect(judge([1, 3], undefined, end)).toEqual({ ...FINE, missing: 1 });
  });

  it('counts what was lost while the node was cut off, and only on that node', () => {
    expect(judge([1, 3], undefined, {}, [{ gateway: 'g', fromMs: 24, toMs: 26 }])).toEqual({
      ...FINE,
      lostInGaps: 1,
    });
    expect(judge([1, 3], undefined, {}, [{ gateway: 'h', fromMs: 24, toMs: 26 }]).missing).toBe(1);
    expect(judge([1, 3], undefined, {}, [{ gateway: 'g', fromMs: 26, toMs: 30 }]).missing).toBe(1);
  });
});
