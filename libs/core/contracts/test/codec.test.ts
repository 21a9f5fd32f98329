import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BROADCAST,
  decodeLaneRequest,
  decoder,
  encode,
  integer,
  list,
  map,
  maxMessageBytes,
  message,
  object,
  optional,
  text,
} from '../src/index.js';

const NOTE = message('note', { to: text(1, 10), weight: optional(integer(0, 9)) });
const decode = decoder(NOTE);
const CAP = 1000;
const decodeValue = (value: unknown) => decode(JSON.stringify(value), CAP);

describe('decoding', () => {
  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.string({ unit: 'binary' }),
        fc.json(),
        (bytes, chars, any) => {
          for (const input of [bytes, chars, any]) {
            for (const read of [decode, decoder(BROADCAST), decodeLaneRequest]) {
              expect(typeof read(input, CAP).ok).toBe('boolean');
            }
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('refuses what is over the cap before parsing it', () => {
    const input = `{"v":1,"kind":"note","to":"x"}${' '.repeat(100)}`;
    expect(decode(input, input.length)).toMatchObject({ ok: true });
    expect(decode(input, input.length - 1)).toMatchObject({ ok: false, reason: 'too-large' });
    expect(decode(Buffer.from(input), input.length - 1)).toMatchObject({ ok: false, reason: 'too-large' });
    expect(decode('not JSON at all', 3)).toMatchObject({ ok: false, reason: 'too-large' });
    expect(decode('"ééé"', 7)).toMatchObject({ ok: false, reason: 'too-large' });
    expect(decode('"ééé"', 8)).toMatchObject({ ok: false, reason: 'malformed' });
  });

  it('tells an unknown kind from a malformed message', () => {
    expect(decodeValue({ v: 7, kind: 'song' })).toMatchObject({ ok: false, reason: 'unknown-kind' });
    expect(decodeValue({ v: 1, kind: 'constructor' })).toMatchObject({ ok: false, reason: 'unknown-kind' });
    for (const value of [null, 7, 'note', [], {}, { v: 1 }, { v: 1, kind: 7 }, { kind: 'note', to: 'x' }]) {
      expect(decodeValue(value)).toMatchObject({ ok: false, reason: 'malformed' });
    }
  });

  it('refuses bytes that are not UTF-8 instead of guessing', () => {
    const bytes = Buffer.concat([
      Buffer.from('{"v":1,"kind":"note","to":"'),
      Buffer.of(0xff),
      Buffer.from('"}'),
    ]);
    expect(decode(bytes, CAP)).toMatchObject({ ok: false, reason: 'malformed' });
  });

  it('reads a view into a larger buffer', () => {
    const wire = Buffer.from('xx{"v":1,"kind":"note","to":"me"}yy');
    const view = new Uint8Array(wire.buffer, wire.byteOffset + 2, wire.length - 4);
    expect(decode(view, CAP)).toEqual({ ok: true, message: { v: 1, kind: 'note', to: 'me' } });
  });

  it('says where a message is wrong, and quotes nothing of it', () => {
    const nested = decoder(
      message('n', { rows: list(object({ tags: map(text(1, 9), integer(0, 1), 9) }), 0, 9) }),
    );
    const verdict = nested('{"v":1,"kind":"n","rows":[{"tags":{}},{"tags":{"s3cret":"s3cret"}}]}', CAP);
    expect(verdict).toEqual({
      ok: false,
      reason: 'malformed',
      detail: 'rows: 1: tags: *: must be an integer from 0 to 1',
    });
  });

  it('survives nesting no reader of records would', () => {
    const deep = `{"v":1,"kind":"note","to":"x","more":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    expect(typeof decode(deep, 1_000_000).ok).toBe('boolean');
  });
});

describe('encoding', () => {
  it('refuses what does not fit the definition or the cap', () => {
    expect(encode(NOTE, { to: '' }, CAP)).toMatchObject({ ok: false, reason: 'malformed' });
    expect(encode(NOTE, { to: 'é' }, 31)).toEqual({ ok: true, text: '{"v":1,"kind":"note","to":"é"}' });
    expect(encode(NOTE, { to: 'é' }, 30)).toMatchObject({ ok: false, reason: 'too-large' });
  });

  it('answers what cannot be written, and leaves absent members out', () => {
    const circle: Record<string, unknown> = { to: 'x' };
    circle['self'] = circle;
    expect(encode(NOTE, circle as { to: string }, CAP)).toMatchObject({ ok: false, reason: 'malformed' });
    expect(encode(NOTE, { to: 'x', weight: undefined }, CAP)).toEqual({
      ok: true,
      text: '{"v":1,"kind":"note","to":"x"}',
    });
    expect(encode(message('empty', {}), {}, CAP)).toEqual({ ok: true, text: '{"v":1,"kind":"empty"}' });
  });

  it('caps a broker message at the event payload limit and 64 KiB', () => {
    expect(maxMessageBytes(1024)).toBe(1024 + 65_536);
  });
});

describe('the documented broadcast', () => {
  const wire =
    '{"v":1,"kind":"broadcast","message_id":"01JX7Q9M2T","node_id":"gw-a-1f2e3d4c","app_id":"shop","channel":"orders","message":"{\\"event\\":\\"new\\",\\"channel\\":\\"orders\\",\\"data\\":\\"{}\\"}","except_socket_id":"12.34","timestamp_ms":1900000000123.5,"idempotency_key":"k1","ephemeral":false,"compression_metadata":{"conflation_key":"symbol","enabled":true,"sequence":41,"is_full_message":false,"event_name":"new"},"trace":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}';

  it('is read and written byte for byte', () => {
    const verdict = decoder(BROADCAST)(wire, 100_000);
    expect(verdict).toEqual({ ok: true, message: JSON.parse(wire) });
    const { v: _v, kind: _kind, ...body } = JSON.parse(wire);
    expect(encode(BROADCAST, body, 100_000)).toEqual({ ok: true, text: wire });
  });
});

describe('a text', () => {
  it('is measured in UTF-8 bytes', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 12 }),
        fc.nat(12),
        fc.nat(12),
        (value, min, more) => {
          const bytes = Buffer.byteLength(value);
          expect(text(min, min + more)(value) === null).toBe(bytes >= min && bytes <= min + more);
        },
      ),
    );
  });
});

it('a member named like one every object has is data like any other', () => {
  const counts = decoder(message('c', { counts: map(text(1, 20), integer(0), 9) }));
  const verdict = counts('{"v":1,"kind":"c","counts":{"__proto__":3,"constructor":4}}', CAP);
  expect(verdict.ok).toBe(true);
  const broken = counts('{"v":1,"kind":"c","counts":{"__proto__":"x"}}', CAP);
  expect(broken).toMatchObject({ ok: false, reason: 'malformed' });
});
