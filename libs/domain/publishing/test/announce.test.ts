import { encodeV1, memberRemoved, subscriptionCount } from '@carillon/protocol';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutOff, scene } from './scene.js';

describe('a frame of the service itself', () => {
  it('is delivered at once, to all but one socket, and nothing of it is kept', () => {
    const { publisher, delivered, cache } = scene();
    const frame = memberRemoved('presence-cache-a', 'u');
    publisher.announce('shop', 'presence-cache-a', frame, '12.34');
    expect(delivered).toMatchObject([
      { appId: 'shop', channel: 'presence-cache-a', frameText: encodeV1(frame), exceptSocketId: '12.34' },
    ]);
    expect(cache.stored).toEqual([]);
  });

  it('has an id of its own', () => {
    const { publisher, delivered } = scene();
    for (const count of [1, 2]) publisher.announce('shop', 'a', subscriptionCount('a', count), null);
    expect(new Set(delivered.map(({ messageId }) => messageId)).size).toBe(2);
  });

  it('is logged when the broker is out of reach, and delivered here', async () => {
    const { publisher, delivered, lines } = scene({ publish: cutOff(new Error('connection lost')) });
    publisher.announce('shop', 'a', subscriptionCount('a', 1), null);
    await new Promise((resolve) => setImmediate(resolve));
    expect([delivered.length, lines]).toEqual([1, ['frame not sent to other processes']]);
  });

  it('never makes its announcer fail, whatever becomes of it', async () => {
    const outcomes = [
      () => undefined,
      () => Promise.resolve(),
      () => Promise.reject(new Error('later')),
      () => {
        throw new Error('at once');
      },
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...outcomes), fc.string(), async (publish, text) => {
        const { publisher } = scene({ publish });
        const frame = { event: text, channel: text, dataText: JSON.stringify(text) };
        expect(() => publisher.announce(text, text, frame, null)).not.toThrow();
        await new Promise((resolve) => setImmediate(resolve));
      }),
    );
  });
});
