import { MemoryCache, type Cache } from '@carillon/cache';
import { cacheKeys } from '@carillon/contracts';
import { ServiceError } from '@carillon/errors';
import type { Publisher } from '@carillon/history-publish';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  counted,
  openScene,
  overriding,
  publish,
  publishBatch,
  refused,
  SHOP,
  type Answered,
} from './scene.js';

const EVENT = { name: 'e', channel: 'a', data: 'x' };
const keyed = (key: string, more: object = {}) => ({ ...EVENT, idempotency_key: key, ...more });
const header = (key: string) => ({ headers: { 'x-idempotency-key': key } });
const isReplay = ({ headers }: Answered) => headers.get('x-idempotency-replayed');

/** A cache that outlives a scene, as one that processes share. */
function sharedCache(): MemoryCache {
  const cache = new MemoryCache({ capacity: 1000, defaultTtlMs: 0, cleanupIntervalMs: 60_000 });
  onTestFinished(() => cache.close());
  return cache;
}

/** A publisher that fails for the given channels. */
function failing(channels: Set<string>) {
  return (real: Publisher): Publisher => ({
    publish: (one) =>
      channels.has(one.channel) ? Promise.reject(new ServiceError('service_unavailable')) : real.publish(one),
  });
}

describe('a repeated key', () => {
  it('gets the first answer again, and nothing is delivered twice', async () => {
    const scene = await openScene();
    scene.sockets.counts = new Map([['a', 3]]);
    const asking = { ...EVENT, info: 'subscription_count' };
    const first = await publish(scene, asking, header('k'));
    scene.sockets.counts = new Map([['a', 9]]);
    const second = await publish(scene, asking, header('k'));
    expect(isReplay(first)).toBeNull();
    expect(isReplay(second)).toBe('true');
    expect(second.text).toBe(first.text);
    expect(scene.sockets.delivered).toHaveLength(1);
    expect(await counted(scene, 'service_idempotency_publish_total', { app_id: 'shop' })).toBe(2);
    expect(await counted(scene, 'service_idempotency_duplicates_total', { app_id: 'shop' })).toBe(1);
  });

  it('is known by the body where header and body differ, and by nothing else', async () => {
    const scene = await openScene();
    await publish(scene, keyed('b'), header('a'));
    expect(isReplay(await publish(scene, keyed('b')))).toBe('true');
    expect(isReplay(await publish(scene, EVENT, header('a')))).toBeNull();
    expect(isReplay(await publish(scene, keyed('B')))).toBeNull();
  });

  it('belongs to its app', async () => {
    const cache = sharedCache();
    const shop = await openScene({ cache: () => cache });
    const blog = await openScene({ cache: () => cache, apps: [{ ...SHOP, id: 'blog' }] });
    await publish(shop, keyed('k'));
    expect(isReplay(await publish(blog, keyed('k')))).toBeNull();
  });

  it('is free again after a request that was refused or failed', async () => {
    const broken = new Set(['a']);
    const scene = await openScene({ publisher: failing(broken) });
    expect(await publish(scene, keyed('k', { name: '' }))).toMatchObject({ status: 400 });
    expect(await publish(scene, keyed('k'))).toMatchObject(refused(503, 'service_unavailable'));
    broken.clear();
    const corrected = await publish(scene, keyed('k', { data: 'corrected' }));
    expect(corrected).toMatchObject({ status: 200 });
    expect(isReplay(corrected)).toBeNull();
    expect(scene.sockets.frames('a')).toEqual([{ event: 'e', channel: 'a', data: 'corrected' }]);
  });

  it('after a partial failure completes only what is missing', async () => {
    const broken = new Set(['b']);
    const scene = await openScene({ publisher: failing(broken) });
    const event = { name: 'e', channels: ['a', 'b', 'c'], idempotency_key: 'k', data: 'x' };
    expect(await publish(scene, event)).toMatchObject(refused(503, 'service_unavailable'));
    broken.clear();
    expect(await publish(scene, event)).toMatchObject({ status: 200 });
    expect(scene.sockets.delivered.map(({ channel }) => channel)).toEqual(['a', 'c', 'b']);
  });

  it('on two nodes at once delivers once', async () => {
    const cache = sharedCache();
    const delivered: string[] = [];
    const slow = (): Publisher => ({
      publish: async ({ channel }) => {
        await new Promise((go) => setTimeout(go, 20));
        delivered.push(channel);
        return { messageId: 'm' };
      },
    });
    const nodes = [
      await openScene({ cache: () => cache, publisher: slow }),
      await openScene({ cache: () => cache, publisher: slow }),
    ];
    const answers = await Promise.all([...nodes, ...nodes].map((node) => publish(node, keyed('k'))));
    expect(answers.map(({ text }) => text)).toEqual(Array(4).fill('{"ok":true}'));
    expect(answers.filter((answer) => isReplay(answer) === null)).toHaveLength(1);
    expect(delivered).toEqual(['a']);
  });

  it('that is still being processed is 503 for now', async () => {
    const cache = sharedCache();
    const scene = await openScene({ cache: () => cache });
    await cache.setIfAbsent(cacheKeys.request('shop', 'k'), '__processing__:somebody', 10_000);
    const answer = await publish(scene, keyed('k'));
    expect(answer).toMatchObject(refused(503, 'backpressure'));
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(scene.sockets.delivered).toEqual([]);
  });

  it('whose record cannot be read is 503, and nothing is published', async () => {
    const cache = sharedCache();
    const scene = await openScene({ cache: () => cache });
    for (const record of ['', 'gibberish', '{}', '[]', '{"reported":true}']) {
      await cache.set(cacheKeys.request('shop', 'k'), record, 10_000);
      expect(await publish(scene, keyed('k'))).toMatchObject(refused(503, 'service_unavailable'));
    }
    expect(scene.sockets.delivered).toEqual([]);
  });
});

describe('keys are refused', () => {
  it.each(['k'.repeat(129), 'clé-1', ''])('as a header of %j', async (key) => {
    const scene = await openScene();
    const headers = { 'x-idempotency-key': Buffer.from(key).toString('latin1') };
    expect(await publish(scene, EVENT, { headers })).toMatchObject(refused(400, 'invalid_input'));
    expect(await publishBatch(scene, [EVENT], { headers })).toMatchObject(refused(400, 'invalid_input'));
    expect(scene.sockets.delivered).toEqual([]);
  });

  it('but not looked at where idempotency is off', async () => {
    const policy = { idempotency: { enabled: false } };
    const scene = await openScene({ apps: [{ ...SHOP, policy }] });
    for (let call = 0; call < 2; call++) {
      const answer = await publish(scene, keyed('k'.repeat(200), { message_id: 'm' }), header('é'));
      expect(answer).toMatchObject({ status: 200, body: { channels: { a: { acknowledgement_id: 'm' } } } });
      expect(isReplay(answer)).toBeNull();
    }
    expect(scene.sockets.delivered).toHaveLength(2);
  });
});

describe('a claim', () => {
  it('is kept alive while its request runs, and ends with it', async () => {
    const renewed: number[] = [];
    const cache = sharedCache();
    const watched: Cache = overriding<Cache>(cache, {
      compareAndSwap: (name: string, expected: string, value: string, ttlMs: number) => {
        if (expected === value) renewed.push(ttlMs);
        return cache.compareAndSwap(name, expected, value, ttlMs);
      },
    });
    const finish: (() => void)[] = [];
    const held = (): Publisher => ({
      publish: () => new Promise((done) => finish.push(() => done({ messageId: 'm' }))),
    });
    const scene = await openScene({ cache: () => watched, publisher: held });
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const answer = publish(scene, keyed('k'));
    await expect.poll(() => finish.length).toBe(1);
    await vi.advanceTimersByTimeAsync(9000);
    // Both the request and its message are claimed.
    expect(renewed).toEqual(Array(6).fill(10_000));
    finish.forEach((done) => done());
    expect(await answer).toMatchObject({ status: 200 });
    expect(vi.getTimerCount()).toBe(0);
    const entry = await cache.entry(cacheKeys.request('shop', 'k'));
    expect(entry?.ttlMs).toBeGreaterThan(119_000);
    expect(entry?.ttlMs).toBeLessThanOrEqual(120_000);
  });
});

describe('without the shared cache', () => {
  it('a publish with any key is 503 and not delivered, one without is', async () => {
    const scene = await openScene();
    await scene.cache.close();
    const events = [keyed('k'), { ...EVENT, message_id: 'm' }, { ...EVENT, extras: { idempotencyKey: 'x' } }];
    for (const event of events) {
      const answer = await publish(scene, event);
      expect(answer).toMatchObject(refused(503, 'service_unavailable'));
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    expect(await publishBatch(scene, [EVENT], header('k'))).toMatchObject(
      refused(503, 'service_unavailable'),
    );
    expect(scene.sockets.delivered).toEqual([]);
    expect(await publish(scene, EVENT)).toMatchObject({ status: 200 });
  });

  it('what was published stays published when only its record is lost', async () => {
    const cache = sharedCache();
    const forgetful: Cache = overriding<Cache>(cache, {
      compareAndSwap: () => Promise.reject(new Error('lost')),
    });
    const scene = await openScene({ cache: () => forgetful });
    expect(await publish(scene, keyed('k'))).toMatchObject({ status: 200, text: '{"ok":true}' });
    expect(scene.sockets.delivered).toHaveLength(1);
    expect(scene.lines.join()).toContain('could not be stored');
  });
});

describe('a repeated message id', () => {
  it('with the same content gets its receipt, with other content 409', async () => {
    const scene = await openScene();
    const event = { ...EVENT, message_id: 'm', tags: { a: '1' } };
    const first = await publish(scene, event);
    expect((await publish(scene, { ...event, socket_id: '1.2' })).text).toBe(first.text);
    for (const other of [{ data: 'y' }, { name: 'f' }, { tags: { a: '2' } }, { extras: { echo: true } }]) {
      expect(await publish(scene, { ...event, ...other })).toMatchObject(refused(409, 'conflict'));
    }
    expect(await publish(scene, { ...event, channel: 'b' })).toMatchObject({ status: 200 });
    expect(scene.sockets.delivered.map(({ channel }) => channel)).toEqual(['a', 'b']);
  });

  it('counts the payload as delivered', async () => {
    const scene = await openScene();
    await publish(scene, '{"name":"e","channel":"a","message_id":"m","data":{"é":1}}');
    const same = '{"name":"e","channel":"a","message_id":"m","data":"{\\"\\u00e9\\":1}"}';
    expect(await publish(scene, same)).toMatchObject({ status: 200 });
    expect(scene.sockets.delivered).toHaveLength(1);
  });

  it('comes before the key in extras, which comes before that of the request', async () => {
    const scene = await openScene();
    await publish(scene, { ...EVENT, extras: { idempotencyKey: 'x' } });
    await publish(scene, { ...EVENT, extras: { idempotencyKey: 'x' }, idempotency_key: 'r1' });
    expect(scene.sockets.delivered).toHaveLength(1);
    await publish(scene, { ...EVENT, message_id: 'm', extras: { idempotencyKey: 'x' } });
    expect(scene.sockets.delivered).toHaveLength(2);
  });

  it('that is being published elsewhere is waited for', async () => {
    const cache = sharedCache();
    const scene = await openScene({ cache: () => cache });
    const name = cacheKeys.publish('shop', 'a', 'm');
    await cache.setIfAbsent(name, 'pending:somebody', 10_000);
    const busy = await publish(scene, { ...EVENT, message_id: 'm' });
    expect(busy).toMatchObject(refused(503, 'backpressure'));
    const waiting = publish(scene, { ...EVENT, message_id: 'm' });
    await cache.compareAndRemove(name, 'pending:somebody');
    expect(await waiting).toMatchObject({ status: 200 });
    expect(scene.sockets.delivered).toHaveLength(1);
  });
});

describe('keys of batches', () => {
  it('of the request replay the whole answer', async () => {
    const scene = await openScene();
    const batch = [{ ...EVENT, info: 'subscription_count' }, EVENT];
    const first = await publishBatch(scene, batch, header('k'));
    const second = await publishBatch(scene, batch, header('k'));
    expect(isReplay(second)).toBe('true');
    expect(second.text).toBe(first.text);
    expect(scene.sockets.delivered).toHaveLength(2);
  });

  it('of items keep each from being published again, and tell of the first run', async () => {
    const scene = await openScene();
    scene.sockets.counts = new Map([['a', 2]]);
    const item = keyed('i', { info: 'subscription_count' });
    const first = await publishBatch(scene, [item, EVENT]);
    scene.sockets.counts = new Map();
    const second = await publishBatch(scene, [EVENT, item]);
    const [told] = (first.body as { batch: object[] }).batch;
    expect(second.body).toEqual({ batch: [{}, told] });
    expect(isReplay(second)).toBeNull();
    expect(scene.sockets.delivered).toHaveLength(3);
  });

  it('of items are those of single events, each answered in its own form', async () => {
    const scene = await openScene();
    const event = keyed('k', { message_id: 'm' });
    await publish(scene, event);
    expect((await publishBatch(scene, [event])).body).toEqual({ batch: [{ acknowledgement_id: 'm' }] });
    await publishBatch(scene, [keyed('other')]);
    expect((await publish(scene, keyed('other'))).text).toBe('{"ok":true}');
    expect(scene.sockets.delivered).toHaveLength(2);
  });

  it('of the request do not stand for an item with the same key', async () => {
    const scene = await openScene();
    expect(await publishBatch(scene, [keyed('k')], header('k'))).toMatchObject({ status: 200 });
    expect(scene.sockets.delivered).toHaveLength(1);
  });

  it('are not used up by a batch that is refused', async () => {
    const scene = await openScene({ apps: [{ ...SHOP, policy: { limits: { max_event_batch_size: 2 } } }] });
    expect(await publishBatch(scene, [keyed('i'), EVENT, EVENT], header('k'))).toMatchObject({ status: 400 });
    expect((await scene.cache.scanPrefix('', null, 10)).names).toEqual([]);
    expect(isReplay(await publishBatch(scene, [EVENT], header('k')))).toBeNull();
  });

  it('of items published before a failure stay, the rest is free', async () => {
    const broken = new Set(['b']);
    const scene = await openScene({ publisher: failing(broken) });
    const batch = [keyed('1'), keyed('2', { channel: 'b' }), keyed('3', { channel: 'c' })];
    expect(await publishBatch(scene, batch, header('k'))).toMatchObject(refused(503, 'service_unavailable'));
    broken.clear();
    expect(await publishBatch(scene, batch, header('k'))).toMatchObject({ status: 200 });
    expect(scene.sockets.delivered.map(({ channel }) => channel)).toEqual(['a', 'b', 'c']);
  });

  it('of an item that runs elsewhere stop the batch', async () => {
    const cache = sharedCache();
    const scene = await openScene({ cache: () => cache });
    await cache.setIfAbsent(cacheKeys.request('shop', 'busy'), '__processing__:somebody', 10_000);
    const answer = await publishBatch(scene, [EVENT, keyed('busy'), EVENT]);
    expect(answer).toMatchObject(refused(503, 'backpressure'));
    expect(scene.sockets.delivered).toHaveLength(1);
  });
});
