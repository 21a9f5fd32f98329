import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonFormat, readRequestV2, WireNames, type InboundFrameV2 } from '../src/index.js';

const names = new WireNames('service');
const { decode } = jsonFormat(names);
const read = (frame: unknown): InboundFrameV2 => readRequestV2(decode(JSON.stringify(frame)), names);
const request = (name: string, data: unknown, more: object = {}): InboundFrameV2 =>
  read({ event: `service:${name}`, data, ...more });
const refused = (code: number) => ({ kind: 'malformed', error: { code } });

describe('a subscribe', () => {
  it('is read with all it may say, from an object or its text', () => {
    const data = {
      channel: 'presence-lobby',
      auth: 'a:b',
      channel_data: '{}',
      filter: { events: ['msg'] },
      tags_filter: 1,
      rewind: 20,
      delta: 'fossil',
      modes: ['SUBSCRIBE', 'ANNOTATION_SUBSCRIBE'],
    };
    const expected = {
      kind: 'subscribe',
      channel: 'presence-lobby',
      auth: 'a:b',
      channelData: '{}',
      filter: { events: ['msg'] },
      rewind: { count: 20 },
      delta: 'fossil',
      wantsAnnotations: true,
    };
    expect(request('subscribe', data)).toEqual(expected);
    expect(request('subscribe', JSON.stringify(data))).toEqual(expected);
    expect(
      read({ event: 'pusher:subscribe', data: { channel: 'a', tags_filter: { op: 'x' } } }),
    ).toMatchObject({
      channel: 'a',
      auth: null,
      filter: { op: 'x' },
      rewind: null,
      wantsAnnotations: false,
    });
  });

  it.each([
    ['20', { count: 20 }],
    [{ count: 1 }, { count: 1 }],
    [{ seconds: 60 }, { seconds: 60 }],
    [{ duration_seconds: '60' }, { seconds: 60 }],
  ])('takes rewind %j', (rewind, expected) => {
    expect(request('subscribe', { channel: 'a', rewind })).toMatchObject({ rewind: expected });
  });

  it.each([[0], [-1], [1.5], ['0'], ['x'], [{}], [[]], [true], [{ count: 0 }], [{ seconds: 0 }]])(
    'refuses rewind %j',
    (rewind) => {
      expect(request('subscribe', { channel: 'a', rewind })).toMatchObject({
        ...refused(4000),
        request: 'subscribe',
        error: { channel: 'a' },
      });
    },
  );

  it('refuses what else is wrong', () => {
    for (const data of [{}, 7, [], { channel: 1 }, { channel: 'a', modes: 'x' }, { channel: 'a', auth: 1 }]) {
      expect(request('subscribe', data)).toMatchObject(refused(4000));
    }
  });
});

describe('a resume', () => {
  it('takes positions, serials as text, and the old form', () => {
    const positions = { a: { stream_id: 's', serial: '44', last_message_id: 'm' }, b: { serial: 0 } };
    const found = request('resume', JSON.stringify({ channel_positions: positions }));
    expect(found.kind === 'resume' && [...found.positions]).toEqual([
      ['a', { streamId: 's', serial: 44, lastMessageId: 'm' }],
      ['b', { streamId: null, serial: 0, lastMessageId: null }],
    ]);
    const old = request('resume', { channel_serials: { a: 44 } });
    expect(old.kind === 'resume' && [...old.positions]).toEqual([
      ['a', { streamId: null, serial: 44, lastMessageId: null }],
    ]);
  });

  it('refuses what is no position, none, and too many', () => {
    for (const data of [undefined, {}, 'x', { channel_positions: [] }]) {
      expect(request('resume', data)).toMatchObject(refused(4000));
    }
    for (const one of [
      {},
      { serial: -1 },
      { serial: 1.5 },
      { serial: '9'.repeat(17) },
      { serial: 1, stream_id: 1 },
      null,
    ]) {
      expect(request('resume', { channel_positions: { a: one } })).toMatchObject(refused(4000));
    }
    expect(request('resume', { channel_positions: {} })).toMatchObject(refused(4302));
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`c${n}`, { serial: 1 }]));
    expect(request('resume', { channel_positions: many })).toMatchObject(refused(4302));
  });
});

describe('a presence update', () => {
  it.each([
    [{ data: { channel: 'presence-a', data: { status: 'away' } } }, '{"status":"away"}'],
    [{ channel: 'presence-a', data: { data: 'x' } }, '"x"'],
    [{ channel: 'presence-a', data: { user_info: { n: 1 } } }, '{"n":1}'],
    [{ data: { channel: 'presence-a', status: 'away' } }, '{"status":"away"}'],
    [{ channel: 'presence-a', data: '{"status":1.50}' }, '{"status":1.50}'],
  ])('is read as clients write it: %j', (frame, userInfoText) => {
    expect(read({ event: 'service:presence_update', ...frame })).toEqual({
      kind: 'presence-update',
      channel: 'presence-a',
      userInfoText,
    });
  });

  it('is refused without channel or content', () => {
    for (const frame of [
      {},
      { data: { data: 1 } },
      { channel: 'presence-a' },
      { data: { channel: 'presence-a' } },
    ]) {
      expect(read({ event: 'service:presence_update', ...frame })).toMatchObject(refused(104009));
    }
  });
});

describe('a history request', () => {
  it('has defaults, aliases and params', () => {
    expect(request('channel_history', { channel: 'a' })).toEqual({
      kind: 'channel-history',
      channel: 'a',
      wish: {
        limit: 100,
        direction: 'newest_first',
        cursor: null,
        startSerial: null,
        endSerial: null,
        startTimeMs: null,
        endTimeMs: null,
        untilAttach: false,
      },
    });
    const params = {
      limit: 5,
      direction: 'forward',
      start: 1,
      end: '9',
      start_time_ms: 2,
      untilAttach: true,
    };
    expect(read({ event: 'channel_history', channel: 'a', data: { params } })).toMatchObject({
      channel: 'a',
      wish: {
        limit: 5,
        direction: 'oldest_first',
        startSerial: 1,
        endSerial: 9,
        startTimeMs: 2,
        untilAttach: true,
      },
    });
  });

  it.each([
    [{}],
    [{ channel: 'a', limit: 0 }],
    [{ channel: 'a', limit: 'x' }],
    [{ channel: 'a', direction: 'up' }],
    [{ channel: 'a', cursor: 1 }],
    [{ channel: 'a', cursor: 'x'.repeat(16_385) }],
    [{ channel: 'a', until_attach: 1 }],
    [{ channel: 'a', start_serial: -1 }],
  ])('refuses %j', (data) => {
    expect(request('channel_history', data)).toMatchObject(refused(4000));
  });
});

it('reads tokens, differences and client events', () => {
  expect(request('auth', { token: 'x.y.z' })).toEqual({ kind: 'auth', token: 'x.y.z' });
  expect(request('auth', {})).toMatchObject(refused(4000));
  expect(request('enable_delta_compression', undefined)).toEqual({ kind: 'enable-delta', algorithms: null });
  expect(request('enable_delta_compression', { algorithms: ['fossil'] })).toMatchObject({
    algorithms: ['fossil'],
  });
  expect(request('enable_delta_compression', { algorithms: [1] })).toMatchObject(refused(4000));
  expect(request('delta_sync_error', { channel: 'a' })).toEqual({ kind: 'delta-sync-error', channel: 'a' });
  expect(request('delta_sync_error', {})).toMatchObject(refused(4000));
  const event = { event: 'client-x', channel: 'private-a', data: { on: true } };
  expect(read({ ...event, message_id: 'm', extras: { echo: true } })).toEqual({
    kind: 'client-event',
    event: 'client-x',
    channel: 'private-a',
    data: { kind: 'json', text: '{"on":true}', value: { on: true } },
    messageId: 'm',
    extrasText: '{"echo":true}',
  });
  for (const wrong of [
    { message_id: '' },
    { message_id: 1 },
    { message_id: 'x'.repeat(65) },
    { extras: { headers: { a: [] } } },
  ]) {
    expect(read({ ...event, ...wrong })).toMatchObject(refused(4000));
  }
});

it('ignores what it does not know, and internal events', () => {
  for (const event of ['service:nope', 'service_internal:subscribe', 'order.paid', 'service:constructor']) {
    expect(read({ event })).toEqual({ kind: 'ignored' });
  }
});

it('never throws, whatever stands where', () => {
  const event = fc.constantFrom(
    'subscribe',
    'unsubscribe',
    'signin',
    'auth',
    'resume',
    'presence_update',
    'channel_history',
    'enable_delta_compression',
    'delta_sync_error',
  );
  const part = fc.oneof(fc.jsonValue(), fc.json());
  fc.assert(
    fc.property(event, part, part, part, (name, data, channel, extras) => {
      for (const one of [`service:${name}`, 'client-x']) {
        const found = read({ event: one, data, channel, extras, message_id: channel });
        if (found.kind === 'malformed') expect(found.error.message.length).toBeLessThan(100);
      }
    }),
    { numRuns: 500 },
  );
});
