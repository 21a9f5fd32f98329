import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeV1Frame, encodeV1, errorFrame } from '../src/index.js';

/** Possible kinds of a frame, derived from its content independently of the decoder. */
function possibleKinds(frame: ArrayBuffer | string): readonly string[] {
  const members = objectIn(frame);
  const event = members?.['event'];
  if (members === null || typeof event !== 'string' || event === '') return ['malformed'];
  if (event.startsWith('client-')) return ['client-event'];
  const name = /^(?:pusher|service):(.*)$/s.exec(event)?.[1];
  // Null is absent, as everywhere.
  const data = members['data'] ?? undefined;
  const about = data === undefined ? {} : typeof data === 'string' ? objectIn(data) : objectOf(data);
  switch (name) {
    case 'ping':
    case 'pong':
      return [name];
    case 'subscribe':
      return [typeof about?.['channel'] === 'string' ? 'subscribe' : 'malformed', 'malformed'];
    case 'unsubscribe':
      return typeof about?.['channel'] === 'string' || typeof data === 'string'
        ? ['unsubscribe', 'malformed']
        : ['malformed'];
    case 'signin':
      return about === null ? ['malformed'] : ['signin', 'malformed'];
    case 'auth':
    case 'resume':
    case 'presence_update':
    case 'channel_history':
      return ['refused', 'ignored'];
    case undefined:
    default:
      return ['ignored'];
  }
}

const objectOf = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;

function objectIn(frame: ArrayBuffer | string): Record<string, unknown> | null {
  try {
    const text =
      typeof frame === 'string'
        ? frame
        : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(frame);
    return objectOf(JSON.parse(text));
  } catch {
    return null;
  }
}

function answers(frame: ArrayBuffer | string): void {
  const read = decodeV1Frame(frame);
  expect(possibleKinds(frame)).toContain(read.kind);
  if (read.kind === 'client-event') {
    const members = objectIn(frame) ?? {};
    expect(read.event).toBe(members['event']);
    const channel = Object.hasOwn(members, 'channel') ? members['channel'] : null;
    expect(read.channel).toBe(typeof channel === 'string' ? channel : null);
    // Unparsed; values too deep to traverse are not compared.
    const data = read.dataText === null ? undefined : (JSON.parse(read.dataText) as unknown);
    const isShallow = typeof frame !== 'string' || frame.length < 10_000;
    if (isShallow) expect(data).toEqual(Object.hasOwn(members, 'data') ? members['data'] : undefined);
  }
  if (read.kind === 'malformed') expect(JSON.parse(encodeV1(errorFrame(read.error))).data.code).toBe(4000);
}

const malformed = (request: string | null, channel: string | null): object => ({
  kind: 'malformed',
  request,
  error: { row: 'malformed_frame', code: 4000, channel },
});

describe('decoding never throws', () => {
  it('on any bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => answers(bytes.slice().buffer)));
  });

  it('on any text and any JSON', () => {
    fc.assert(fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), answers));
  });

  it('on any member of any type in a known frame', () => {
    const event = fc.constantFrom(
      ...['subscribe', 'unsubscribe', 'signin', 'auth', 'resume', 'ping'].map((name) => `pusher:${name}`),
      'client-x',
    );
    const member = fc.constantFrom('channel', 'auth', 'channel_data', 'user_data', 'rewind', '__proto__');
    const data = fc.oneof(fc.dictionary(member, fc.jsonValue()), fc.jsonValue());
    const text = fc.oneof(
      data,
      data.map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(event, text, fc.jsonValue(), (name, value, channel) => {
        answers(JSON.stringify({ event: name, data: value, channel }));
      }),
    );
  });

  it.each([
    ['nested lists', '['.repeat(1_000_000)],
    ['closed nested lists', '['.repeat(500_000) + ']'.repeat(500_000)],
    ['nested objects', '{"a":'.repeat(100_000)],
    ['a long number', `{"event":"client-x","data":${'9'.repeat(100_000)}}`],
    ['backslashes', `{"event":"client-x","data":"${'\\\\'.repeat(100_000)}"}`],
    ['quotes', `{"event":"client-x","data":"${'\\"'.repeat(100_000)}"}`],
    ['a deep client event', `{"event":"client-x","data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['deep system data', `{"event":"pusher:subscribe","data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('on %s', (_name, text) => {
    answers(text);
  });
});

describe('a frame is malformed', () => {
  it.each(['not json', '', 'null', '7', '"x"', '[]', '[{"event":"pusher:ping"}]', '{', '{}', '\uFEFF{}'])(
    'as %j',
    (text) => {
      expect(decodeV1Frame(text)).toMatchObject(malformed(null, null));
    },
  );

  it('when it is not UTF-8', () => {
    expect(decodeV1Frame(new Uint8Array([0x22, 0xff, 0x22]).buffer)).toMatchObject(malformed(null, null));
    expect(decodeV1Frame(new ArrayBuffer(0))).toMatchObject(malformed(null, null));
  });

  it.each([
    '',
    '"event":null,',
    '"event":"",',
    '"event":7,',
    '"event":["pusher:ping"],',
    '"__proto__":{"event":"a"},',
  ])('with %j for its event, and names its channel', (event) => {
    expect(decodeV1Frame(`{${event}"channel":"orders"}`)).toMatchObject(malformed(null, 'orders'));
  });

  it.each([
    undefined,
    null,
    [],
    7,
    true,
    '',
    'orders',
    '[]',
    '{',
    { channel: 7 },
    { channel: null },
    '{"channel":[]}',
  ])('as a subscribe with %j', (data) => {
    const text = JSON.stringify({ event: 'pusher:subscribe', data });
    expect(decodeV1Frame(text)).toMatchObject(malformed('subscribe', null));
  });

  it('as a subscribe that names its channel', () => {
    for (const more of [{ auth: 7 }, { auth: {} }, { channel_data: { user_id: 'u' } }]) {
      const text = JSON.stringify({ event: 'pusher:subscribe', data: { channel: 'presence-x', ...more } });
      expect(decodeV1Frame(text)).toMatchObject(malformed('subscribe', 'presence-x'));
    }
  });

  it.each([undefined, null, {}, '', '{', '{}', [], ['orders'], 7, { channel: 7 }])(
    'as an unsubscribe with %j',
    (data) => {
      const text = JSON.stringify({ event: 'pusher:unsubscribe', data });
      expect(decodeV1Frame(text)).toMatchObject(malformed('unsubscribe', null));
    },
  );

  it.each([[[]], [7], ['x'], [{ auth: 7 }], [{ auth: 'a', user_data: { id: 'u' } }]])(
    'as a sign-in with %j',
    (data) => {
      const text = JSON.stringify({ event: 'pusher:signin', data });
      expect(decodeV1Frame(text)).toMatchObject(malformed('signin', null));
    },
  );
});
