import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeFactV1,
  encodeMessageV2,
  encodeV1,
  readMessageV2,
  type BesideText,
  type Message,
  type MessageV2,
} from '../src/index.js';

const PLAIN: BesideText = { action: 'plain', isFromClient: false, mayBeDelta: true };
const read = (text: string, beside = PLAIN): Message => {
  const found = readMessageV2(text, beside);
  if (found === null) throw new Error('no message');
  return found;
};
/** The frame of protocol 1 for a message of the user `u`; null if protocol 1 does not show it. */
const frame = (action: BesideText['action'], about = {}): string | null =>
  encodeFactV1(read(encodeMessageV2(message({ userId: 'u', ...about })), { ...PLAIN, action }));

const messageForV1 = (text: string): string | null => encodeFactV1(read(text));

const message = (more: Partial<MessageV2> = {}): MessageV2 => ({
  event: 'order.paid',
  channel: 'orders',
  dataText: '"{\\"id\\":5}"',
  userId: null,
  tagsText: null,
  messageId: 'm-77',
  extrasText: null,
  ...more,
});

describe('a stored message', () => {
  it('has the members of the frame in their order, absent ones left out', () => {
    expect(encodeMessageV2(message())).toBe(
      '{"event":"order.paid","channel":"orders","data":"{\\"id\\":5}","message_id":"m-77"}',
    );
    expect(encodeMessageV2(message({ userId: 'u', tagsText: '{"a":"b"}', extrasText: '{"ref":1}' }))).toBe(
      '{"event":"order.paid","channel":"orders","data":"{\\"id\\":5}","user_id":"u","tags":{"a":"b"},' +
        '"message_id":"m-77","extras":{"ref":1}}',
    );
    expect(encodeMessageV2(message({ dataText: null }))).toBe(
      '{"event":"order.paid","channel":"orders","message_id":"m-77"}',
    );
  });

  it('does not hold what extras told the service alone, however it is spelled', () => {
    const extrasText = '{ "idempotency\\u004bey":"k", "headers": {"a": 1} ,"push":{"x":[1,{}]}}';
    expect(JSON.parse(encodeMessageV2(message({ extrasText })))).toHaveProperty('extras', {
      headers: { a: 1 },
    });
    expect(encodeMessageV2(message({ extrasText: '{"push":{}}' }))).not.toContain('extras');
  });

  it('spells reserved events as protocol 2 does, and as protocol 1 for its subscribers', () => {
    const text = encodeMessageV2(message({ event: 'pusher:hello' }));
    expect(JSON.parse(text)).toHaveProperty('event', 'service:hello');
    expect(JSON.parse(messageForV1(text) ?? '')).toHaveProperty('event', 'pusher:hello');
  });

  it('is for protocol 1 subscribers just what they would have got at once', () => {
    const text = fc.string({ unit: 'binary' });
    const json = fc.json().map((value) => JSON.stringify(JSON.parse(value)));
    const record = fc.dictionary(text, fc.jsonValue()).map((value) => JSON.stringify(value));
    fc.assert(
      fc.property(
        fc.record({
          event: text,
          channel: text,
          dataText: fc.option(json),
          userId: fc.option(text),
          tagsText: fc.option(record),
          messageId: text,
          extrasText: fc.option(record),
        }),
        fc.boolean(),
        (one, isPositioned) => {
          const stored = encodeMessageV2(one);
          const sent = isPositioned ? `${stored.slice(0, -1)},"stream_id":"s","serial":4}` : stored;
          expect(messageForV1(sent)).toBe(encodeV1({ ...one, userId: null }));
          expect(JSON.parse(sent)).toMatchObject({ channel: one.channel, message_id: one.messageId });
        },
      ),
    );
  });

  it('is read as the message it was written from', () => {
    const whole: Message = {
      kind: 'message',
      ...message({ name: 'order', userId: 'u', tagsText: '{"a": "b"}', extrasText: '{"headers":{"n":1}}' }),
      event: 'service:message.append',
      name: 'order',
      streamId: 'st-1',
      serial: 7,
      action: 'append',
      isFromClient: true,
      mayBeDelta: false,
    };
    const { action, isFromClient, mayBeDelta } = whole;
    const text = encodeMessageV2(whole);
    expect(text).toBe(
      '{"event":"service:message.append","channel":"orders","data":"{\\"id\\":5}","name":"order",' +
        '"user_id":"u","tags":{"a": "b"},"message_id":"m-77","stream_id":"st-1","serial":7,' +
        '"extras":{"headers":{"n":1}}}',
    );
    expect(read(text, { action, isFromClient, mayBeDelta })).toEqual(whole);
    expect(read('{ "ev\\u0065nt" : "a", "event":"b" , "channel":"c"}').event).toBe('b');
  });

  it('is hidden from protocol 1 when it changes another, and names the sender of presence client events only', () => {
    expect([frame('update'), frame('delete'), frame('append')]).toEqual([null, null, null]);
    const ofMember = { event: 'client-x', channel: 'presence-orders' };
    for (const action of ['create', 'plain'] as const) {
      expect(frame(action)).not.toContain('user_id');
      expect(frame(action, ofMember)).toContain('"user_id":"u"');
    }
  });

  it('is none when it is damaged', () => {
    const text = encodeMessageV2(message());
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.string({ maxLength: 3 }), (at, noise) => {
        const found = readMessageV2(text.slice(0, at) + noise, PLAIN);
        expect(found === null || typeof found.event === 'string').toBe(true);
      }),
    );
    expect(readMessageV2('{"event":1,"channel":"c"}', PLAIN)).toBeNull();
    expect(readMessageV2('', PLAIN)).toBeNull();
  });
});
