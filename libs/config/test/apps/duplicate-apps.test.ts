import { describe, expect, it } from 'vitest';
import { duplicateProblems } from '../../src/index.js';

describe('apps listed twice', () => {
  it('are reported by id and by key, without the key', () => {
    const records = [
      { id: 'x', key: 'k1' },
      { id: 'y', key: 'k1' },
      null,
      { id: 'x', key: 'k2' },
      { id: 'x', key: 'k2' },
    ];
    expect(duplicateProblems(records)).toEqual([
      { path: 'app_manager.array.apps[1].key', message: 'duplicate app key' },
      { path: 'app_manager.array.apps[3].id', message: 'duplicate app id "x"' },
      { path: 'app_manager.array.apps[4].id', message: 'duplicate app id "x"' },
      { path: 'app_manager.array.apps[4].key', message: 'duplicate app key' },
    ]);
  });

  it('are not those that differ in case', () => {
    expect(
      duplicateProblems([
        { id: 'x', key: 'k' },
        { id: 'X', key: 'K' },
      ]),
    ).toEqual([]);
  });
});
