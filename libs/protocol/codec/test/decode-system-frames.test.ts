import { describe, expect, it } from 'vitest';
import { decodeV1Frame } from '../src/index.js';

const frame = (event: string, data?: unknown): string => JSON.stringify({ event, data });
const PREFIXES = ['pusher:', 'service:'];

describe.each(PREFIXES)('a %s frame', (prefix) => {
  const lobby = { channel: 'presence-lobby', auth: 'k:s', channel_data: '{"user_id":"u-17"}' };

  it('subscribes, with data as an object or as its JSON text', () => {
    const read = {
      kind: 'subscribe',
      channel: 'presence-lobby',
      auth: 'k:s',
      channelData: '{"user_id":"u-17"}',
      wantsRewind: false,
    };
    expect(decodeV1Frame(frame(`${prefix}subscribe`, lobby))).toEqual(read);
    expect(decodeV1Frame(frame(`${prefix}subscribe`, JSON.stringify(lobby)))).toEqual(read);
  });

  it('subscribes with empty or null members as if they were absent', () => {
    const bare = {
      kind: 'subscribe',
      channel: 'presence-x',
      auth: null,
      channelData: null,
      wantsRewind: false,
    };
    const data = { channel: 'presence-x' };
    for (const more of [{}, { auth: '' }, { auth: null, channel_data: null, rewind: null }]) {
      expect(decodeV1Frame(frame(`${prefix}subscribe`, { ...data, ...more }))).toEqual(bare);
    }
  });

  it('subscribes without what this protocol ignores', () => {
    const data = { channel: 'orders', channel_data: 7, filter: 'bad', delta: 9, modes: 'x', rewind: 0 };
    expect(decodeV1Frame(frame(`${prefix}subscribe`, data))).toEqual({
      kind: 'subscribe',
      channel: 'orders',
      auth: null,
      channelData: null,
      wantsRewind: true,
    });
  });

  it('unsubscribes by object, by its text, or by the bare name', () => {
    const read = { kind: 'unsubscribe', channel: 'orders' };
    for (const data of [{ channel: 'orders' }, '{"channel":"orders"}', ' {"channel":"orders"}', 'orders']) {
      expect(decodeV1Frame(frame(`${prefix}unsubscribe`, data))).toEqual(read);
    }
  });

  it('signs in with exactly the text that was signed', () => {
    const userData = '{"id":"u-17", "watchlist":["u-20"]}';
    const data = { auth: 'k:s', user_data: userData };
    const read = { kind: 'signin', auth: 'k:s', userData };
    expect(decodeV1Frame(frame(`${prefix}signin`, data))).toEqual(read);
    expect(decodeV1Frame(frame(`${prefix}signin`, JSON.stringify(data)))).toEqual(read);
    for (const nothing of [undefined, null, {}, '{}']) {
      expect(decodeV1Frame(frame(`${prefix}signin`, nothing))).toEqual({
        kind: 'signin',
        auth: null,
        userData: null,
      });
    }
  });

  it('pings and pongs whatever it carries', () => {
    for (const data of [undefined, null, {}, '', 'x', [1]]) {
      expect(decodeV1Frame(frame(`${prefix}ping`, data))).toEqual({ kind: 'ping' });
      expect(decodeV1Frame(frame(`${prefix}pong`, data))).toEqual({ kind: 'pong' });
    }
  });

  it.each([
    ['auth', 4009],
    ['resume', 4301],
    ['presence_update', 104_009],
    ['channel_history', 4000],
  ])('is refused for %s with %i, naming its channel', (name, code) => {
    expect(decodeV1Frame(frame(prefix + name, { channel: 'c' }))).toMatchObject({
      kind: 'refused',
      error: { code, channel: 'c' },
    });
    expect(decodeV1Frame(frame(prefix + name, 'x'))).toMatchObject({ error: { code, channel: null } });
  });

  it('is ignored when nobody knows it', () => {
    for (const name of [
      '',
      'Subscribe',
      'error',
      'enable_delta_compression',
      'delta_sync_error',
      'toString',
    ]) {
      expect(decodeV1Frame(frame(prefix + name, {}))).toEqual({ kind: 'ignored' });
    }
  });
});

it.each(['pusher_internal:subscribe', 'service_internal:ping', 'subscribe', 'order.paid', 'Client-x', 'aix'])(
  'a frame named %s is ignored',
  (event) => {
    expect(decodeV1Frame(frame(event, { channel: 'orders' }))).toEqual({ kind: 'ignored' });
  },
);
