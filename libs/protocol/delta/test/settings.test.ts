import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  channelDelta,
  chooseAlgorithm,
  conflationKey,
  LatestBases,
  readDeltaWish,
  type ChannelDeltaEntry,
  showsTags,
} from '../src/index.js';

describe('the wish of a subscription', () => {
  it.each([
    ['fossil', { enabled: true, algorithm: 'fossil' }],
    ['xdelta3', { enabled: true, algorithm: 'xdelta3' }],
    ['vcdiff', { enabled: true, algorithm: 'xdelta3' }],
    ['brotli', { enabled: true, algorithm: null }],
    [true, { enabled: true, algorithm: null }],
    [false, { enabled: false, algorithm: null }],
    ['none', { enabled: false, algorithm: null }],
    ['disabled', { enabled: false, algorithm: null }],
    ['false', { enabled: false, algorithm: null }],
    [
      { enabled: false, algorithm: 'fossil' },
      { enabled: false, algorithm: null },
    ],
    [
      { enabled: true, algorithm: 'vcdiff' },
      { enabled: true, algorithm: 'xdelta3' },
    ],
    [{}, { enabled: true, algorithm: null }],
    [undefined, null],
    [[], null],
    [7, null],
  ])('%j is %j', (value, wish) => {
    expect(readDeltaWish(value)).toEqual(wish);
  });
});

it('takes the configured algorithm if the client knows it, else the first the service knows', () => {
  expect(chooseAlgorithm(['xdelta3', 'fossil'], 'fossil')).toBe('fossil');
  expect(chooseAlgorithm(['zstd', 'vcdiff'], 'fossil')).toBe('xdelta3');
  expect(chooseAlgorithm(['zstd'], 'fossil')).toBeNull();
  expect(chooseAlgorithm([], 'fossil')).toBeNull();
  expect(chooseAlgorithm(null, 'xdelta3')).toBe('xdelta3');
});

describe('the group of a message', () => {
  it.each([
    ['asset', { data: '{"asset":"BTC"}' }, 'BTC'],
    ['asset', { data: { asset: 7 } }, '7'],
    ['event', { event: 'tick', data: '{"event":"x"}' }, 'tick'],
    ['data.asset', { data: { asset: true } }, 'true'],
    ['tags.region', { tags: { region: 'eu' } }, 'eu'],
    ['data.asset', { data: '{"asset":"BTC"}' }, null],
    ['asset', { data: 'no json' }, null],
    ['asset', { data: '{"asset":{}}' }, null],
    ['asset', { data: '{"asset":"a\\"b"}' }, null],
    ['asset', { data: '{"asset":"a\\u0001"}' }, null],
    ['asset', { data: { asset: 'ß'.repeat(129) } }, null],
    ['asset', { data: '{"asset":"\\ud800"}' }, null],
    ['constructor', { data: '{}' }, null],
  ])('%s of %j is %j', (path, frame, key) => {
    expect(conflationKey(path, frame)).toBe(key);
  });

  it('never breaks a frame', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (asset) => {
        const key = conflationKey('asset', { data: { asset } });
        if (key !== null) expect(JSON.stringify(key)).toBe(`"${key}"`);
      }),
    );
  });
});

describe('what an app says of a channel', () => {
  const defaults = { enabled: true, algorithm: 'fossil', conflationPath: null, maxGroups: 100 } as const;
  const entries = new Map<string, ChannelDeltaEntry>([
    ['ticker-*', 'xdelta3'],
    ['ticker-slow-*', 'disabled'],
    ['ticker-slow-1', 'inherit'],
    [
      'prices',
      {
        enabled: true,
        algorithm: null,
        conflation_key: 'asset',
        max_messages_per_key: 10,
        max_conflation_keys: 7,
        enable_tags: true,
      },
    ],
  ]);
  const settings = (channel: string) => channelDelta(channel, entries, defaults);

  it('is its own entry, else that of the longest pattern, else the general one', () => {
    expect(settings('ticker-a')?.algorithm).toBe('xdelta3');
    expect(settings('ticker-slow-2')).toBeNull();
    expect(settings('ticker-slow-1')?.algorithm).toBe('fossil');
    expect(settings('prices')).toMatchObject({ algorithm: 'fossil', conflationPath: 'asset', maxGroups: 7 });
    expect(settings('other')).toMatchObject({ algorithm: 'fossil', conflationPath: null, maxGroups: 100 });
  });

  it('is nothing for encrypted channels, or when differences are off', () => {
    expect(settings('private-encrypted-x')).toBeNull();
    expect(channelDelta('other', entries, { ...defaults, enabled: false })).toBeNull();
  });
});

it('tags go to subscribers, but on channels whose own entry or longest pattern says otherwise', () => {
  const settings = { enabled: false, algorithm: null, conflation_key: null };
  const bounds = { max_messages_per_key: 1, max_conflation_keys: 1 };
  const entries = new Map<string, ChannelDeltaEntry>([
    ['quiet-*', { ...settings, ...bounds, enable_tags: false }],
    ['quiet-not-*', 'disabled'],
    ['quiet-2', { ...settings, ...bounds, enable_tags: true }],
  ]);
  const shown = ['quiet-1', 'quiet-not-1', 'quiet-2', 'other'].filter((name) => showsTags(name, entries));
  expect(shown).toEqual(['quiet-not-1', 'quiet-2', 'other']);
});

it('keeps the latest base of each group for who comes later, and no more groups than allowed', () => {
  const bases = new LatestBases<number>(2);
  for (const [n, group] of ['a', 'b', 'a', 'c'].entries()) bases.put(group, `${group}${n}`, n);
  expect([...(bases.visible(() => true) ?? [])]).toEqual([
    ['a', 'a2'],
    ['c', 'c3'],
  ]);
  expect([...(bases.visible((n) => n === 3) ?? [])]).toEqual([['c', 'c3']]);
  expect(bases.visible((n) => (n === 3 ? null : true))).toBeNull();
});
