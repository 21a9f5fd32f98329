import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventIdOf, scopeOf, uniqueForMs } from '../src/identity.js';
import type { PublicationKey } from '../src/index.js';
import { cutOff, last, namesOf, publication, publish, scene } from './scene.js';

const KEY: PublicationKey = { key: 'order 7', fingerprint: 'ab'.repeat(32), ttlMs: 120_000 };
const keyed = publication({ key: KEY });

describe('an event with a key that is published again because nobody knows what became of it', () => {
  it.each([keyed, last('created', { key: KEY })])('is delivered once, under one id', async (published) => {
    const { publisher, delivered } = scene();
    const receipts = [await publish(publisher, published), await publish(publisher, published)];
    expect(delivered).toHaveLength(1);
    const receipt = { messageId: delivered[0]?.eventId };
    expect(receipts).toEqual([receipt, receipt]);
  });

  it('is delivered once where its publisher was told to come again', async () => {
    let isCutOff = true;
    const gone = cutOff(new Error('connection lost'));
    const { publisher, delivered } = scene({
      publish: (event, local) => (isCutOff ? gone?.(event, local) : local.publish(event)),
    });
    await expect(publish(publisher, keyed)).rejects.toMatchObject({ code: 'service_unavailable' });
    isCutOff = false;
    await publish(publisher, keyed);
    expect(namesOf(delivered)).toEqual(['created']);
  });

  it('keeps the id its publisher gave for the receipt', () => {
    const { publisher, delivered } = scene();
    expect(publisher.publish({ ...keyed, messageId: 'm1' })).toEqual({ messageId: 'm1' });
    expect(delivered[0]?.eventId).not.toBe('m1');
  });

  it.each([
    ['with other content', publication({ key: { ...KEY, fingerprint: 'cd'.repeat(32) } })],
    ['under another key', publication({ key: { ...KEY, key: 'order 8' } })],
    ['on another channel', publication({ key: KEY, channel: 'news' })],
    ['of another app', publication({ key: KEY, appId: 'other' })],
    ['without a key', publication()],
  ])('is not taken for one %s', (_, other) => {
    const { publisher, delivered } = scene();
    for (const one of [keyed, other]) void publisher.publish(one);
    expect(delivered).toHaveLength(2);
  });

  it('is new under a key that is forgotten before anybody could try again', () => {
    const { publisher, delivered } = scene();
    const brief = publication({ key: { ...KEY, ttlMs: 20_000 } });
    for (const one of [brief, brief]) void publisher.publish(one);
    expect(new Set(delivered.map(({ eventId }) => eventId)).size).toBe(2);
    expect(delivered.map((event) => event.uniqueForMs)).toEqual([undefined, undefined]);
  });
});

const idOf = ([appId, channel, key, fingerprint]: readonly [string, string, string, string]): string =>
  eventIdOf({ appId, channel }, { key, fingerprint, ttlMs: 1 });

describe('the identity of a keyed event', () => {
  it('is a UUID that shows nothing of the key, and differs in each of its parts', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '0', 'é'), maxLength: 3 });
    const whole = fc.tuple(part, part, part, fc.constantFrom('ab'.repeat(32), 'cd'.repeat(32)));
    fc.assert(
      fc.property(whole, whole, (one, other) => {
        expect(idOf(one)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
        expect(idOf(one) === idOf(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
    );
  });

  it('is not what a receipt in a history is kept under', () => {
    expect(eventIdOf(keyed, KEY).replaceAll('-', '')).not.toBe(scopeOf(keyed, KEY));
  });

  it('stands for the event for a minute at most, and for half the life of its key', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000 }), (ttlMs) => {
        const forMs = uniqueForMs({ ...KEY, ttlMs });
        if (ttlMs < 20_002) expect(forMs).toBeNull();
        else expect(forMs).toBe(Math.min(60_000, Math.floor(ttlMs / 2)));
      }),
    );
    expect(uniqueForMs(KEY)).toBe(60_000);
  });
});
