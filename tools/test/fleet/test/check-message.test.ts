import { describe, expect, it } from 'vitest';
import { checkText, checkVersions, type Version } from '../src/durable/check-message.js';

const version = (at: number, action: string, data: string): Version => ({
  action,
  data,
  delivery_serial: at,
  version: { serial: `v${at}` },
});
const versions = [version(1, 'create', '>'), version(3, 'append', '1;'), version(4, 'delete', '>1;')];
const latest = version(4, 'delete', '>1;');
const changes = [
  { fragment: '1;', accepted: true },
  { fragment: null, accepted: true },
  { fragment: '2;', accepted: false },
];

describe('a message that was changed', () => {
  it('holds what was accepted once', () => {
    expect(checkText('>1;', changes)).toEqual([]);
    for (const wrong of ['>', '>1;1;', '>1;2;', undefined]) expect(checkText(wrong, changes)).toHaveLength(1);
  });

  it('is what its versions come to, one for each change', () => {
    expect(checkVersions(versions, latest, changes)).toEqual([]);
    expect(checkVersions(versions.slice(0, 2), latest, changes)).toHaveLength(2);
    expect(checkVersions([...versions].reverse(), latest, changes)).toContain(
      'its versions are not in one order',
    );
    expect(checkVersions(versions, { ...latest, data: '>2;' }, changes)).toEqual([
      'it is not what its versions come to',
    ]);
  });
});
