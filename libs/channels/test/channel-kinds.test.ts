import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHANNEL_KINDS, kindOf, logicalName, type ChannelKind } from '../src/index.js';

const PREFIXES = [
  'private-encrypted-cache-',
  'private-cache-',
  'presence-cache-',
  'cache-',
  'private-encrypted-',
  'presence-',
  'private-',
];

describe('kind of a channel', () => {
  it.each<[string, ChannelKind, string, boolean[]]>([
    // signature, members, last event, client events, delta
    ['private-encrypted-cache-x', 'private_encrypted_cache', 'x', [true, false, true, false, false]],
    ['private-encrypted-x', 'private_encrypted', 'x', [true, false, false, false, false]],
    ['private-cache-x', 'private_cache', 'x', [true, false, true, true, true]],
    ['private-x', 'private', 'x', [true, false, false, true, true]],
    ['presence-cache-x', 'presence_cache', 'x', [true, true, true, true, true]],
    ['presence-x', 'presence', 'x', [true, true, false, true, true]],
    ['cache-x', 'cache', 'x', [false, false, true, false, true]],
    ['x', 'public', 'x', [false, false, false, false, true]],
    ['my-cache-x', 'public', 'my-cache-x', [false, false, false, false, true]],
    ['Private-x', 'public', 'Private-x', [false, false, false, false, true]],
    ['private', 'public', 'private', [false, false, false, false, true]],
    ['presence-encrypted-x', 'presence', 'encrypted-x', [true, true, false, true, true]],
    ['cache-private-x', 'cache', 'private-x', [false, false, true, false, true]],
    ['private-private-x', 'private', 'private-x', [true, false, false, true, true]],
  ])('of %s is %s', (name, kind, logical, expected) => {
    const traits = CHANNEL_KINDS[kindOf(name)];
    const { signed, members, keepsLastEvent, clientEvents, deltas } = traits;
    expect(kindOf(name)).toBe(kind);
    expect(logicalName(name)).toBe(logical);
    expect([signed, members, keepsLastEvent, clientEvents, deltas]).toEqual(expected);
  });

  it('has the metric labels as names', () => {
    expect(Object.keys(CHANNEL_KINDS).sort()).toEqual(
      [
        'public',
        'private',
        'private_encrypted',
        'presence',
        'cache',
        'private_cache',
        'private_encrypted_cache',
        'presence_cache',
      ].sort(),
    );
  });

  it.each<[ChannelKind, ChannelKind]>([
    ['cache', 'public'],
    ['private_cache', 'private'],
    ['private_encrypted_cache', 'private_encrypted'],
    ['presence_cache', 'presence'],
  ])('%s is %s with a kept event', (cache, base) => {
    const { prefix } = CHANNEL_KINDS[cache];
    expect(CHANNEL_KINDS[cache]).toEqual({ ...CHANNEL_KINDS[base], prefix, keepsLastEvent: true });
  });

  it('is end-to-end encrypted only without client events', () => {
    const encrypted = Object.values(CHANNEL_KINDS).filter((traits) => traits.encrypted);
    expect(encrypted).toHaveLength(2);
    expect(encrypted.some((traits) => traits.clientEvents)).toBe(false);
  });

  it('is found by stripping the first prefix of the list in the specification', () => {
    const piece = fc.constantFrom('private-', 'encrypted-', 'cache-', 'presence-', 'x', '-', '#', ':');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const name = pieces.join('');
        const prefix = PREFIXES.find((one) => name.startsWith(one)) ?? '';
        expect(CHANNEL_KINDS[kindOf(name)].prefix).toBe(prefix);
        expect(prefix + logicalName(name)).toBe(name);
      }),
    );
  });
});
