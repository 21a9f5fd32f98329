import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { serializeAppRecord } from '@carillon/config';
import type { SharedAppCache } from '../src/index.js';
import { RemoteStore } from './remote-store.js';
import { OPTIONS, record } from './samples.js';
import { holdOneRead, scene } from './scene.js';

class FakeCache implements SharedAppCache {
  readonly entries = new Map<string, string>();
  readonly ttls: number[] = [];
  pause: () => Promise<void> = async () => {};

  async get(key: string): Promise<string | null> {
    await this.pause();
    return this.entries.get(key) ?? null;
  }

  async set(key: string, value: string, ttlSeconds: number): Promise<void> {
    await this.pause();
    this.ttls.push(ttlSeconds);
    this.entries.set(key, value);
  }

  async delete(keys: readonly string[]): Promise<void> {
    await this.pause();
    for (const key of keys) this.entries.delete(key);
  }
}

const text = (app: ReturnType<typeof record>): string => JSON.stringify(serializeAppRecord(app));

const announce = (): Promise<void> => Promise.reject(new Error('no broker'));

describe('the shared cache', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is filled under both names by the node that asked the store, and spares the next one that', async () => {
    const cache = new FakeCache();
    const store = new RemoteStore();
    const first = await scene({ store, parts: { cache } });
    const second = await scene({ store, parts: { cache } });
    await store.rows.create(record('a'));
    await first.registry.findByKey('a-key');
    await vi.advanceTimersByTimeAsync(0);
    expect([...cache.entries.keys()].sort()).toEqual(['app:id:a', 'app:key:a-key']);
    expect(cache.ttls).toEqual([300, 300]);
    expect((await second.registry.findById('a'))?.record).toEqual(record('a'));
    expect(store.reads).toBe(1);
  });

  it.each([
    ['hangs', (cache: FakeCache) => (cache.pause = () => new Promise(() => {}))],
    ['fails', (cache: FakeCache) => (cache.pause = () => Promise.reject(new Error('down')))],
    ['holds no JSON', (cache: FakeCache) => cache.entries.set('app:key:a-key', '{')],
    ['holds no app', (cache: FakeCache) => cache.entries.set('app:key:a-key', '{"id":"a"}')],
    ['holds another app', (cache: FakeCache) => cache.entries.set('app:key:a-key', text(record('b')))],
  ])('that %s is a miss', async (_, spoil) => {
    const cache = new FakeCache();
    const { registry, store } = await scene({ parts: { cache } });
    await store.rows.create(record('a'));
    spoil(cache);
    const found = registry.findByKey('a-key');
    await vi.advanceTimersByTimeAsync(100);
    expect((await found)?.id).toBe('a');
    expect(store.reads).toBe(1);
  });

  it('loses both names of a changed app, the old key too', async () => {
    const cache = new FakeCache();
    const { registry } = await scene({ apps: [record('a')], parts: { cache } });
    cache.entries.set('app:id:a', text(record('a')));
    cache.entries.set('app:key:a-key', text(record('a')));
    await registry.update(record('a', { key: 'new-key' }));
    expect([...cache.entries.keys()]).toEqual([]);
  });

  it('loses what a slow reader puts back right after the change', async () => {
    const cache = new FakeCache();
    const { registry } = await scene({ apps: [record('a')], parts: { cache } });
    await registry.update(record('a', { secret: 'rotated' }));
    cache.entries.set('app:key:a-key', text(record('a')));
    await vi.advanceTimersByTimeAsync(1000);
    expect([...cache.entries.keys()]).toEqual([]);
  });

  it('that cannot be reached does not fail a change, but is spoken of', async () => {
    const cache = new FakeCache();
    const { registry, lines } = await scene({ apps: [record('a')], parts: { cache, announce } });
    cache.pause = () => new Promise(() => {});
    const update = registry.update(record('a', { secret: 'rotated' }));
    await vi.advanceTimersByTimeAsync(1000);
    await update;
    expect(registry.peekById('a')?.record.secret.reveal()).toBe('rotated');
    expect(lines.map((line) => line.includes('"app_id":"a"'))).toEqual([true, true]);
    expect(lines.join()).not.toContain('rotated');
  });

  it('is not asked for an announced change, which it may not know yet', async () => {
    const cache = new FakeCache();
    const { registry, store } = await scene({ apps: [record('a')], parts: { cache } });
    cache.entries.set('app:id:a', text(record('a')));
    await store.rows.update(record('a', { enabled: false }));
    await registry.appChanged('a');
    expect(registry.peekById('a')?.enabled).toBe(false);
  });

  it('is not asked by anybody while a change is being read', async () => {
    const cache = new FakeCache();
    const { registry, store } = await scene({ apps: [record('a')], parts: { cache } });
    cache.entries.set('app:id:a', text(record('a')));
    await store.rows.update(record('a', { secret: 'rotated' }));
    const held = holdOneRead(store);
    const change = registry.appChanged('a');
    await held.read;
    expect((await registry.findById('a'))?.record.secret.reveal()).toBe('rotated');
    held.answer();
    await change;
  });

  it('loses both names of an app that was changed past the service, the old key too', async () => {
    const cache = new FakeCache();
    const ages = { ...OPTIONS.cache, refresh_interval: 30 };
    const { registry, store } = await scene({ apps: [record('a')], cache: ages, parts: { cache } });
    for (const name of ['id:a', 'key:a-key', 'key:new-key'])
      cache.entries.set(`app:${name}`, text(record('a')));
    await store.rows.update(record('a', { key: 'new-key' }));
    store.written.push('a');
    await vi.advanceTimersByTimeAsync(30_000);
    expect([...cache.entries.keys()]).toEqual([]);
    expect(registry.peekByKey('new-key')?.id).toBe('a');
  });
});
