import { parseAppRecord } from '@carillon/config';
import { describe, expect, it } from 'vitest';
import { mergePatch } from '../src/apps/merge-patch.js';
import { patched } from '../src/apps/update-app.js';

function record(more: object = {}) {
  const parsed = parseAppRecord({ id: 'a', key: 'a-key', secret: 'a-secret', ...more }, '');
  if (parsed.record === null) throw new Error(JSON.stringify(parsed.problems));
  return parsed.record;
}

describe('mergePatch', () => {
  it('merges objects, replaces lists and removes members that are null', () => {
    expect(mergePatch({ a: { b: 1, c: [1, 2] }, d: 1 }, { a: { c: [3], e: { f: null } }, d: null })).toEqual({
      a: { b: 1, c: [3], e: {} },
    });
  });
});

describe('patched', () => {
  it('keeps unknown members of the stored record and refuses new ones', () => {
    const stored = record({ region: 'eu', policy: { limits: { max_connections: 1, future: 2 } } });
    const next = patched(stored, { policy: { limits: { max_connections: 3 } } });
    expect([next.policy.limits.max_connections, next.policy.limits.extra, next.extra]).toEqual([
      3,
      { future: 2 },
      { region: 'eu' },
    ]);
    expect(() => patched(stored, { policy: { limits: { other: 1 } } })).toThrow('1 field is invalid');
  });

  it('never changes id, secret and the previous secret', () => {
    for (const name of ['id', 'secret', 'previous_secret', 'revision'])
      expect(() => patched(record(), { [name]: 'x' })).toThrow('1 field is invalid');
  });
});
