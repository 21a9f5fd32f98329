import { describe, expect, it } from 'vitest';
import { record } from './samples.js';
import { scene } from './scene.js';

describe('looking up an app', () => {
  it('finds by id and by key, and answers at once from the index filled at start', async () => {
    const { registry, store } = await scene({ apps: [record('a'), record('b', { enabled: false })] });
    expect(registry.peekByKey('a-key')).toBe(registry.peekById('a'));
    expect((await registry.findByKey('b-key'))?.enabled).toBe(false);
    expect(registry.knownApps()).toBe(2);
    expect(store.reads).toBe(0);
  });

  it('asks the store once for all who ask at once', async () => {
    const { registry, store } = await scene();
    await store.rows.create(record('a'));
    const found = await Promise.all([1, 2, 3, 4].map(() => registry.findByKey('a-key')));
    expect(store.reads).toBe(1);
    expect(new Set(found).size).toBe(1);
    expect(found[0]?.id).toBe('a');
  });

  it('asks the store again when an entry is too old, and keeps the object of an unchanged app', async () => {
    const { registry, store, clock, changes } = await scene({ apps: [record('a')] });
    const before = registry.peekById('a');
    clock.pass(299);
    expect(registry.peekById('a')).toBe(before);
    clock.pass(1);
    expect(registry.peekById('a')).toBeUndefined();
    expect(await registry.findByKey('a-key')).toBe(before);
    expect(store.reads).toBe(1);
    expect(changes).toEqual([]);
  });

  it('never asks again with ttl 0', async () => {
    const cache = { enabled: true, ttl: 0, negative_ttl: 5, refresh_interval: 0, stale_if_error: 0 };
    const { registry, clock } = await scene({ apps: [record('a')], cache });
    clock.pass(1e9);
    expect(registry.peekById('a')?.id).toBe('a');
  });

  it('trusts the index no longer than an api node may', async () => {
    const { registry, store, clock } = await scene({ apps: [record('a')], maxIndexAgeSeconds: 5 });
    clock.pass(4.9);
    expect(registry.peekById('a')?.id).toBe('a');
    await store.rows.update(record('a', { secret: 'rotated' }));
    clock.pass(0.1);
    expect((await registry.findByKey('a-key'))?.record.secret.reveal()).toBe('rotated');
  });

  it('asks the store every time when caching is off', async () => {
    const cache = { enabled: false, ttl: 300, negative_ttl: 5, refresh_interval: 0, stale_if_error: 3600 };
    const { registry, store } = await scene({ apps: [record('a')], cache });
    await registry.findById('a');
    await registry.findById('a');
    await registry.findById('none');
    await registry.findById('none');
    expect(store.reads).toBe(4);
    store.failing = true;
    await expect(registry.findById('a')).rejects.toMatchObject({ status: 503 });
  });

  it('remembers for a while that an app does not exist', async () => {
    const { registry, store, clock } = await scene();
    expect(await registry.findByKey('none')).toBeNull();
    expect(await registry.findByKey('none')).toBeNull();
    expect(store.reads).toBe(1);
    clock.pass(5);
    await store.rows.create(record('a', { key: 'none' }));
    expect((await registry.findByKey('none'))?.id).toBe('a');
  });

  it('does not bother the store with names that no app can have', async () => {
    const { registry, store } = await scene();
    expect(await registry.findByKey('')).toBeNull();
    expect(await registry.findByKey('k'.repeat(256))).toBeNull();
    expect(await registry.findById('i'.repeat(65))).toBeNull();
    expect(store.reads).toBe(0);
  });
});
