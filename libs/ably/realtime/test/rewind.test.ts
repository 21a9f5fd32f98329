import { describe, expect, it } from 'vitest';
import { rewindOf } from '../src/rewind.js';

describe('a rewind', () => {
  it.each([
    [{}, null],
    [{ rewind: '3' }, { count: 3, sinceMs: null }],
    [{ rewind: '500' }, { count: 100, sinceMs: null }],
    [{ rewind: '2m' }, { count: 100, sinceMs: 120_000 }],
    [
      { rewind: '1h', rewindCount: '7' },
      { count: 7, sinceMs: 3_600_000 },
    ],
    [{ rewindCount: '7' }, { count: 7, sinceMs: null }],
  ])('of %o is read', (params, rewind) => {
    expect(rewindOf(params)).toEqual(rewind);
  });

  it.each(['0', '-1', '5d', '0s', 'text', '', '1.5'])('of "%s" is none', (rewind) => {
    expect(() => rewindOf({ rewind })).toThrow(expect.objectContaining({ code: 40_000 }));
  });
});
