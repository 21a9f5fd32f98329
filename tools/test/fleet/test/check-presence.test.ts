import { describe, expect, it } from 'vitest';
import { type Change, checkChanges, differences, type Stay } from '../src/model/check-presence.js';

const stay = (confirmedAtMs: number | null, endedAtMs: number | null, more: Partial<Stay> = {}): Stay => ({
  user: 'ann',
  gateway: 'g',
  confirmedAtMs,
  endedAtMs,
  ...more,
});
const watching = (...whats: Change['what'][]) => ({
  name: 'watcher',
  gateway: 'h',
  initial: [],
  changes: whats.map((what) => ({ user: 'ann', what })),
});

describe('what a watcher was told is compared with who was there', () => {
  it('holds when everybody came and went once', () => {
    expect(differences(watching('added', 'removed'), [stay(1, 2)])).toEqual([]);
    expect(checkChanges(watching('added', 'removed'), [stay(1, 2)])).toEqual([]);
  });

  it('finds a ghost and a missing user', () => {
    expect(differences(watching('added'), [stay(1, 2)])).toEqual(['watcher on h: ann is a ghost']);
    expect(differences(watching(), [stay(1, null)])).toEqual(['watcher on h: ann is missing']);
  });

  it('finds a user who was told of twice', () => {
    expect(checkChanges(watching('added', 'added'), [stay(1, 2), stay(3, null)])).toHaveLength(1);
    expect(checkChanges(watching('added', 'removed', 'removed'), [stay(1, 2)])).toHaveLength(1);
  });

  it('finds a user who seemed to go and come while one of two connections stayed', () => {
    const stays = [stay(1, 5), stay(3, null)];
    expect(checkChanges(watching('added'), stays)).toEqual([]);
    expect(checkChanges(watching('added', 'removed', 'added'), stays)).toHaveLength(1);
    expect(checkChanges(watching('added', 'removed', 'added'), stays, { givenUp: 1 })).toEqual([]);
  });

  it('says when and where somebody was who seemed to come too often', () => {
    expect(checkChanges(watching('added', 'removed', 'added'), [stay(1, 2000), stay(1990, null)])).toEqual([
      'watcher on h: ann added 2 times, came 1 times at most: g 1 to 2000, g 1990 to ?',
    ]);
  });

  it('takes an unconfirmed stay for one that may have been', () => {
    const stays = [stay(1, 2), stay(null, 4)];
    expect(checkChanges(watching('added', 'removed', 'added', 'removed'), stays)).toEqual([]);
  });
});
