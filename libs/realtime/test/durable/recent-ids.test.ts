import { describe, expect, it } from 'vitest';
import { MAX_RECENT, RECENT_MS, RecentIds } from '../../src/durable/recent-ids.js';

describe('the messages of the newest serials', () => {
  it('are known until there are as many newer ones, or for a while', () => {
    const ids = new RecentIds();
    for (let serial = 1; serial <= MAX_RECENT + 1; serial += 1) ids.note(serial, `m-${serial}`, 0);
    expect([
      ids.idOf(1, 0),
      ids.idOf(2, 0),
      ids.idOf(MAX_RECENT + 1, 0),
      ids.idOf(MAX_RECENT + 2, 0),
    ]).toEqual([null, 'm-2', `m-${MAX_RECENT + 1}`, null]);
    expect([ids.idOf(2, RECENT_MS - 1), ids.idOf(2, RECENT_MS)]).toEqual(['m-2', null]);
    ids.clear();
    expect(ids.idOf(2, 0)).toBeNull();
  });

  it('tell another from the same, each other once', () => {
    const ids = new RecentIds();
    ids.note(7, 'm-7', 0);
    expect(['m-7', 'x-7', 'x-7', 'm-7'].map((id) => ids.otherThan(7, id, 0))).toEqual([
      null,
      'm-7',
      null,
      null,
    ]);
  });

  it('prove nothing where there is none, where it is long ago, and where it is very long', () => {
    const ids = new RecentIds();
    ids.note(1, null, 0);
    ids.note(2, 'm-2', 0);
    ids.note(3, 'm'.repeat(257), 0);
    const others = [
      ids.otherThan(1, 'x', 0),
      ids.otherThan(2, null, 0),
      ids.otherThan(2, 'x', RECENT_MS),
      ids.otherThan(2, 'x'.repeat(257), 0),
      ids.otherThan(3, 'x', 0),
      ids.otherThan(4, 'x', 0),
    ];
    expect(others).toEqual(others.map(() => null));
  });
});
