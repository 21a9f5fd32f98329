import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readChannelData, readUserData } from '../src/index.js';

describe('channel data', () => {
  it.each([
    ['{"user_id":"u-17","user_info":{ "n": 1.00 }}', 'u-17', '{ "n": 1.00 }'],
    ['{"user_id":10}', '10', '{}'],
    ['{"user_id":10.0}', '10', '{}'],
    ['{"user_id":1e21}', '1000000000000000000000', '{}'],
    ['{"user_id":12345678901234567890}', '12345678901234567890', '{}'],
    ['{"user_id":-0}', '0', '{}'],
    ['{"user_id":1.5,"user_info":null}', '1.5', '{}'],
    ['{"user_id":"__proto__","user_info":"x"}', '__proto__', '"x"'],
  ])('%s is of user %s', (text, userId, userInfoText) => {
    expect(readChannelData(text)).toEqual({ userId, userInfoText });
  });

  it.each([
    '',
    'x',
    'null',
    '[]',
    '"u"',
    '{}',
    '{"user_id":null}',
    '{"user_id":""}',
    '{"user_id":{}}',
    '{"user_id":1e400}',
    '{"user_id":"a\\u0000"}',
    '{"user_id":"\\ud800"}',
  ])('%s names no user', (text) => {
    expect(readChannelData(text)).toBeNull();
  });
});

describe('user data', () => {
  it('is read with its watchlist once each and never itself', () => {
    const text =
      '{"id":"u-17","watchlist":["u-20",7,null,"u-17","u-20","u-21"],"user_info":{"n":1.0},"capabilities":{"a":[]}}';
    expect(readUserData(text)).toEqual({
      id: 'u-17',
      watchlist: ['u-20', 'u-21'],
      userInfoText: '{"n":1.0}',
      metaText: null,
      capabilities: { a: [] },
    });
  });

  it('needs an id and nothing else', () => {
    const bare = { id: 'u', watchlist: [], userInfoText: '{}', metaText: null, capabilities: undefined };
    expect(readUserData('{"id":"u"}')).toEqual(bare);
    expect(readUserData('{"id":"u","watchlist":"u-2","user_info":null,"capabilities":null}')).toEqual(bare);
    expect(readUserData('{"id":"u","meta":{"a": 1}}')).toEqual({ ...bare, metaText: '{"a": 1}' });
    for (const text of ['', '[]', '{}', '{"id":""}', '{"id":7}', '{"ID":"u"}'])
      expect(readUserData(text)).toBeNull();
  });
});

describe('the id of a user', () => {
  const longest = 'ü'.repeat(64);

  it('has at most 128 bytes wherever it comes from', () => {
    expect(readChannelData(JSON.stringify({ user_id: longest }))?.userId).toBe(longest);
    expect(readUserData(JSON.stringify({ id: longest }))?.id).toBe(longest);
    expect(readChannelData(JSON.stringify({ user_id: `${longest}.` }))).toBeNull();
    expect(readUserData(JSON.stringify({ id: `${longest}.` }))).toBeNull();
    expect(readChannelData(`{"user_id":${'9'.repeat(129)}}`)).toBeNull();
  });

  it('that nobody can have is watched by nobody', () => {
    const watchlist = ['', `${longest}.`, longest];
    expect(readUserData(JSON.stringify({ id: 'u', watchlist }))?.watchlist).toEqual([longest]);
  });
});

it('no text makes either throw', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      readChannelData(text);
      readUserData(text);
    }),
  );
});
