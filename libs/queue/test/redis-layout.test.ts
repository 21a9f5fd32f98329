import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidJob } from '../src/index.js';
import { keyPrefix, PARTS, partKey, queueId } from '../src/drivers/redis/keys.js';
import { redisScene } from './redis-scene.js';
import { collect, until } from './scene.js';

describe('keys of a queue in Redis', () => {
  it('have one hash tag, the version and a known part', async () => {
    const scene = await redisScene('redis');
    const queue = await scene.open({ max_attempts: 1, completed_retention: 5 });
    queue.process('a b', async ({ data }) => {
      if (data === 'bad') throw new Error('no');
    });
    await queue.enqueueBatch('a b', [
      { data: 'good', deduplicationKey: 'key', maxAttempts: 3 },
      { data: 'bad' },
      { data: 'later', delayMs: 60_000 },
    ]);
    await until(async () => (await queue.stats('a b')).deadLetter === 1);
    await until(async () => (await queue.stats('a b')).completed === 1);
    const link = await scene.link();
    const keys = (await link.call('keys', `${scene.prefix}*`)) as string[];
    const expected = new Set(PARTS.map((part) => `${scene.prefix}:v2:{a%20b}:${part}`));
    expect(keys.length).toBeGreaterThan(5);
    expect(keys.filter((key) => !expected.has(key))).toEqual([]);
  });

  it('are gone when everything is done and nothing is to be kept', async () => {
    const scene = await redisScene('redis');
    const queue = await scene.open({ completed_retention: 0, event_retention: 0, deduplication_ttl_ms: 1 });
    const jobs = collect(queue, 'q');
    await queue.enqueueBatch(
      'q',
      Array.from({ length: 50 }, (_, n) => ({
        data: `${n}`,
        deduplicationKey: `${n}`,
        maxAttempts: 2,
      })),
    );
    await until(() => jobs.length === 50);
    await queue.enqueue('q', 'last');
    await until(() => jobs.length === 51);
    await queue.drain();
    const link = await scene.link();
    expect(await link.call('keys', `${scene.prefix}*`)).toEqual([]);
  });

  it('encode every other byte of a name, so that no two names meet', () => {
    expect(queueId('push.delivery.fcm.v1')).toBe('push.delivery.fcm.v1');
    expect(queueId('a b/é{}%*\n')).toBe('a%20b%2F%C3%A9%7B%7D%25%2A%0A');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (name) => {
        expect(decodeURIComponent(queueId(name))).toBe(name);
        expect(queueId(name)).toMatch(/^[A-Za-z0-9_.:%-]*$/);
      }),
    );
    expect(() => queueId(' '.repeat(171))).toThrow(InvalidJob);
  });

  it('lose the colons at the end of the prefix, and refuse braces', () => {
    expect(keyPrefix('service_queue:')).toBe('service_queue');
    expect(keyPrefix('a:b::')).toBe('a:b');
    expect(partKey(keyPrefix('service_queue:'), queueId('webhooks'), 'max-attempts')).toBe(
      'service_queue:v2:{webhooks}:max-attempts',
    );
    for (const bad of ['{', 'a}b', '{x}:']) {
      expect(() => keyPrefix(bad)).toThrow('the prefix of a queue must not contain braces');
    }
  });
});
