import { describe, expect, it } from 'vitest';
import type { BadMessage } from '../src/consumer/bad-message.js';
import { Decoder, type DecoderOptions } from '../src/consumer/decoder.js';
import { deadLetterOf, type ReceivedMessage } from '../src/consumer/message.js';
import { Template } from '../src/consumer/template.js';

const NO_MAP = {
  channel: null,
  event: null,
  data: null,
  message_id: null,
  idempotency_key: null,
  op_id: null,
  message: null,
  op: null,
  extras: {},
  tags: {},
};
const OPTIONS: DecoderOptions = { source: 'events', app: 'shop', format: null, map: NO_MAP };

const received = (payload: string | null, headers: Record<string, string> = {}): ReceivedMessage => ({
  payload: payload === null ? null : Buffer.from(payload),
  headers,
  key: 'k',
  topic: 't',
  position: 't/0/1',
  origin: 't/0/1',
  atMs: 5,
});

const decode = (
  payload: string | null,
  headers?: Record<string, string>,
  more: Partial<DecoderOptions> = {},
) => new Decoder({ ...OPTIONS, ...more }).decode(received(payload, headers));

function codeOf(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return (error as BadMessage).code;
  }
}

describe('Decoder', () => {
  it('makes an event of a command, with the key of its position', () => {
    const event = decode('{"channel":"a","name":"e","data":{"n": 12345678901234567890},"message_id":"m"}');
    expect(event).toMatchObject({
      op: 'publish',
      app: 'shop',
      channel: 'a',
      name: 'e',
      data: '{"n": 12345678901234567890}',
      isJson: true,
      optionsText: '{"message_id":"m"}',
      atMs: 5,
    });
    expect(event?.id).toMatch(/^in-[0-9a-f]{32}$/);
    expect(decode('{"channel":"b","name":"e"}')?.id).toBe(event?.id);
    expect(decode('{"channel":"b","name":"e"}', {}, { source: 'other' })?.id).not.toBe(event?.id);
  });

  it('fills members that the body lacks from headers', () => {
    const headers = { 'x-service-app': 'bank', 'x-service-message-id': 'h' };
    expect(decode('{"channel":"a","name":"e","app":"shop"}', headers)).toMatchObject({
      app: 'shop',
      optionsText: '{"message_id":"h"}',
    });
  });

  it('takes the payload unchanged when the headers name channel and event', () => {
    const headers = { 'x-service-channel': 'a', 'x-service-event': 'e' };
    expect(decode(' {"a": 1} ', headers)).toMatchObject({ channel: 'a', data: ' {"a": 1} ', isJson: false });
    expect(decode('{"channel":"b","name":"f"}', headers, { format: 'command' })?.channel).toBe('b');
  });

  it('decodes mutations and pushes', () => {
    expect(decode('{"op":"append","channel":"a","message":"s","data":"x","op_id":"o"}')).toMatchObject({
      op: 'append',
      message: 's',
      data: 'x',
      optionsText: '{"op_id":"o"}',
    });
    expect(decode('{"op":"update","channel":"a","message":"s","changes":{"data":1}}')).toMatchObject({
      data: '{"data":1}',
      isJson: true,
    });
    expect(decode('{"op":"push","body":{"payload":{}}}')).toMatchObject({
      channel: null,
      data: '{"payload":{}}',
    });
  });

  it.each([
    ['{', 'invalid_json'],
    ['[]', 'invalid_command'],
    ['{"channel":"a"}', 'invalid_command'],
    ['{"channel":"a","name":"e","colour":1}', 'invalid_command'],
    ['{"channel":1,"name":"e"}', 'invalid_command'],
    ['{"v":2,"channel":"a","name":"e"}', 'invalid_command'],
    ['{"op":"explode"}', 'invalid_command'],
    ['{"op":"update","channel":"a","message":"s","changes":1}', 'invalid_command'],
    [JSON.stringify({ channel: 'a', name: 'e', data: 'x'.repeat(1_048_576) }), 'payload_too_large'],
  ])('refuses %.60s with %s', (payload, code) => {
    expect(codeOf(() => decode(payload))).toBe(code);
  });

  it('returns null for a message without a payload', () => {
    expect(decode(null)).toBeNull();
  });

  it('maps a payload by templates', () => {
    const map = {
      ...NO_MAP,
      channel: 'order-{payload.after.id}',
      event: 'order.{payload.op}',
      data: '{payload.after}',
      message_id: 'cdc-{payload.lsn}',
      tags: { region: '{headers.x-region}' },
    };
    const payload = '{"op":"u","lsn":42,"after":{"id":7}}';
    expect(decode(payload, { 'x-region': 'eu' }, { format: 'template', map })).toMatchObject({
      channel: 'order-7',
      name: 'order.u',
      data: '{"id":7}',
      isJson: true,
      optionsText: '{"message_id":"cdc-42","tags":{"region":"eu"}}',
    });
    expect(codeOf(() => decode(payload, {}, { format: 'template', map }))).toBe('mapping_missing');
    const object = { ...map, channel: 'x{payload.after}', tags: {} };
    expect(codeOf(() => decode(payload, {}, { format: 'template', map: object }))).toBe('mapping_type');
  });
});

describe('Template', () => {
  it('holds literal braces, indexes and roots', () => {
    const input = { payload: { a: [{ b: true }] }, headers: {}, key: 'k', topic: 't' };
    expect(new Template('{{{payload.a[0].b}}}-{key}-{topic}').text(input)).toBe('{true}-k-t');
    expect(new Template('{payload.a}').value(input)).toEqual([{ b: true }]);
  });

  it.each([
    '{payload',
    'a}',
    '{body.a}',
    '{payload..a}',
    '{payload.a b}',
    '{payload[x]}',
    `{payload${'.a'.repeat(11)}}`,
  ])('refuses %s', (source) => {
    expect(() => new Template(source)).toThrow(`invalid path in "${source}"`);
  });

  it('finds no inherited member', () => {
    const input = { payload: {}, headers: {}, key: null, topic: 't' };
    expect(codeOf(() => new Template('{payload.constructor}').text(input))).toBe('mapping_missing');
  });
});

describe('deadLetterOf', () => {
  it('keeps headers and bounds the reason', () => {
    const failure = { code: 'conflict', reason: `a\nb${'é'.repeat(400)}`, attempts: 2 };
    const { headers } = deadLetterOf('events', received('x', { a: 'b' }), failure);
    expect(headers).toMatchObject({ a: 'b', 'x-service-error-code': 'conflict', 'x-service-attempts': '2' });
    expect(headers['x-service-error']).toMatch(/^a b/);
    expect(Buffer.byteLength(headers['x-service-error'] ?? '')).toBeLessThanOrEqual(512);
  });
});
