import { encodeV1 } from '@carillon/protocol';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyPublication, frameOf, publication, scene } from './scene.js';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('an event of which nothing is kept', () => {
  it('is delivered before publish returns, and the receipt is no promise', () => {
    const { publisher, delivered, cache } = scene();
    const receipt = publisher.publish(publication({ messageId: 'm1' }));
    expect(receipt).toEqual({ messageId: 'm1' });
    expect(delivered).toHaveLength(1);
    expect(cache.stored).toEqual([]);
  });

  it('has an id of its own on each channel, though its publisher gave one for all', () => {
    const { publisher, delivered } = scene();
    for (const channel of ['orders', 'news'])
      void publisher.publish(publication({ channel, messageId: 'm1' }));
    expect(new Set(delivered.map(({ eventId }) => eventId)).size).toBe(2);
    expect(delivered.map(({ eventId }) => eventId)).not.toContain('m1');
  });

  it('is not kept on a cache channel either, when a client said it', () => {
    const { publisher, delivered, cache } = scene();
    const said = publication({ channel: 'private-cache-a', event: 'client-x', messageId: 'm1' });
    expect(publisher.publish(said)).toEqual({ messageId: 'm1' });
    expect([delivered.length, cache.stored.length]).toEqual([1, 0]);
  });

  it('gets an id of its own when its publisher gave none', () => {
    const { publisher, delivered } = scene();
    const receipts = [publisher.publish(publication()), publisher.publish(publication())];
    expect(receipts).toEqual(delivered.map(({ eventId }) => ({ messageId: eventId })));
    for (const { eventId } of delivered) expect(eventId).toMatch(UUID_V4);
    expect(delivered[0]?.eventId).not.toBe(delivered[1]?.eventId);
  });

  it('bears the time it was published, finer than a millisecond', () => {
    const { publisher, delivered } = scene();
    const before = performance.timeOrigin + performance.now();
    for (let count = 0; count < 10; count += 1) void publisher.publish(publication());
    const after = performance.timeOrigin + performance.now();
    for (const { publishedAtMs } of delivered) {
      expect(publishedAtMs).toBeGreaterThanOrEqual(before);
      expect(publishedAtMs).toBeLessThanOrEqual(after);
    }
    expect(delivered.some(({ publishedAtMs }) => !Number.isInteger(publishedAtMs))).toBe(true);
  });

  it('becomes the frame the protocol writes, whatever it is', () => {
    const { publisher, delivered } = scene();
    fc.assert(
      fc.property(anyPublication, (published) => {
        delivered.length = 0;
        void publisher.publish(published);
        const { appId, channel, event, dataText, exceptSocketId } = published;
        expect(delivered).toMatchObject([{ appId, channel, exceptSocketId }]);
        expect(frameOf(delivered[0])).toBe(encodeV1({ event, channel, dataText, userId: null }));
      }),
    );
  });

  it('has event, channel, data and user id in this order', () => {
    const { publisher, delivered } = scene();
    void publisher.publish(
      publication({ channel: 'presence-a', event: 'client-x', dataText: '{"n":1.0}', userId: 'u' }),
    );
    expect(frameOf(delivered[0])).toBe(
      '{"event":"client-x","channel":"presence-a","data":{"n":1.0},"user_id":"u"}',
    );
  });
});
