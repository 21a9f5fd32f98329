import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { leftState, memberOf, memberState } from '../src/index.js';

const about = { action: 1, serial: 7, timestamp: 1 };
const through = (channel: string, data: string | null, encoding: string | null) => {
  const kept = memberState(channel, {
    clientId: 'ada',
    connectionId: '1.2',
    data,
    encoding,
    extras: null,
    atMs: 5,
  });
  return { kept, shown: memberOf(channel, { ...kept, socketId: '1.2' }, about) };
};

const isNoJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
};

it('a member is shown with the data and the encoding that it came with, on any channel', () => {
  const encodings = fc.constantFrom(null, 'base64', 'utf-8/cipher+aes-128-cbc/base64', 'json/utf-8', 'json');
  const channels = fc.constantFrom('room', 'presence-room');
  fc.assert(
    fc.property(channels, fc.string().filter(isNoJson), encodings, (channel, data, encoding) => {
      const { shown } = through(channel, data, encoding);
      expect(shown).toMatchObject({ clientId: 'ada', connectionId: '1.2', data });
      expect(shown.encoding ?? null).toBe(encoding);
    }),
  );
});

it.each(['{"n":1}', '[1,2]', '5', '"text"', '{"data":1}', '{"data":"x","more":1}'])(
  'JSON of a member is what other clients know it by: %s',
  (data) => {
    const { kept, shown } = through('presence-room', data, 'json');
    expect(kept.userInfoText).toBe(data);
    expect(shown).toMatchObject({ data, encoding: 'json' });
  },
);

it.each(['here', null])('extras of a member that is a connection are kept with its data, %s', (data) => {
  const state = {
    clientId: 'ada',
    connectionId: '1.2',
    data,
    encoding: null,
    extras: { headers: { k: 'v' } },
    atMs: 5,
  };
  const shown = memberOf('room', { ...memberState('room', state), socketId: '1.2' }, about);
  expect(shown).toMatchObject({ extras: { headers: { k: 'v' } } });
  expect(shown.data ?? null).toBe(data);
  expect(memberState('presence-room', state).userInfoText).not.toContain('headers');
});

it('a member without data has none, and a text is an object to other clients', () => {
  expect(through('presence-room', null, null).kept.userInfoText).toBe('{}');
  expect(through('presence-room', null, null).shown).not.toHaveProperty('data');
  expect(through('presence-room', 'away', null).kept.userInfoText).toBe('{"data":"away"}');
});

const timeOf = (channel: string, action: number): number => {
  const state = { clientId: 'ada', connectionId: '1.2', data: 'x', encoding: null, extras: null, atMs: 5 };
  return memberOf(channel, { ...memberState(channel, state), socketId: '1.2' }, { ...about, action })
    .timestamp;
};

it('memberOf shows the time of the last change when the member is a connection that does not leave', () => {
  expect([1, 2, 4, 3].map((action) => timeOf('room', action))).toEqual([5, 5, 5, 1]);
  expect(timeOf('presence-room', 1)).toBe(1);
});

it.each([
  ['its own data and extras', 'bye', { k: 'new' }, { data: 'bye', extras: { k: 'new' } }],
  ['its own data alone', 'bye', null, { data: 'bye', extras: undefined }],
  ['the last data and its own extras', null, { k: 'new' }, { data: 'here', extras: { k: 'new' } }],
])('leftState has %s when the leave has data %j and extras %j', (_title, data, extras, expected) => {
  const state = { clientId: 'ada', connectionId: '1.2', encoding: null, atMs: 5 };
  const before = memberState('room', { ...state, data: 'here', extras: { k: 'old' } }).userInfoText;
  const userInfoText = leftState('room', { ...state, data, extras }, before) ?? '';
  const { data: shown, extras: shownExtras } = memberOf(
    'room',
    { userId: '1.2:ada', userInfoText, socketId: '1.2' },
    { ...about, action: 3 },
  );
  expect({ data: shown, extras: shownExtras }).toEqual(expected);
});

it('leftState is null when the leave has neither data nor extras', () => {
  const state = { clientId: 'ada', connectionId: '1.2', data: null, encoding: null, extras: null, atMs: 5 };
  expect(leftState('room', state, '{"data":"here"}')).toBeNull();
});
