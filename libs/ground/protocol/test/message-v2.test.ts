import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeMessageV2, encodeV1, messageForV1, type MessageV2 } from '../src/index.js';

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
    expect(JSON.parse(messageForV1(text))).toHaveProperty('event', 'pusher:hello');
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
          expect(messageForV1(sent)).toBe(encodeV1(one));
          expect(JSON.parse(sent)).toMatchObject({ channel: one.channel, message_id: one.messageId });
        },
      ),
    );
  });
});
