import { describe, expect, it } from 'vitest';
import { MissingApps } from '../src/missing-apps.js';
import { record } from './samples.js';
import { gate, scene } from './scene.js';

const name = (number: number) => ({ by: 'key', value: String(number) }) as const;

const many = (count: number) => Array.from({ length: count }, (_, number) => record(`app-${number}`));

describe('bounds of what a process remembers', () => {
  it('holds no more apps than its capacity, and finds the others all the same', async () => {
    const { registry, store } = await scene({ apps: many(20), indexCapacity: 5 });
    expect(registry.knownApps()).toBe(5);
    for (const { id, key } of many(20)) expect((await registry.findByKey(key))?.id).toBe(id);
    expect(registry.knownApps()).toBe(5);
    expect(store.reads).toBeGreaterThanOrEqual(15);
  });

  it('lets go of apps nobody asks for first', async () => {
    const { registry } = await scene({ apps: many(20), indexCapacity: 2 });
    const busy = await registry.findById('app-10');
    for (const { id } of many(10)) {
      expect(registry.peekById('app-10')).toBe(busy);
      await registry.findById(id);
    }
    expect(registry.peekById('app-10')).toBe(busy);
  });

  it('forgets the oldest of too many unknown names', () => {
    const missing = new MissingApps(5000, () => 0);
    for (let number = 0; number <= 10_000; number++) missing.add(name(number));
    expect([missing.has(name(0)), missing.has(name(1)), missing.has(name(10_000))]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('refuses further lookups when a thousand wait for the store', async () => {
    const { registry, store } = await scene();
    const { opened, open } = gate();
    store.pause = () => opened;
    const waiting = Array.from({ length: 1000 }, (_, number) => registry.findByKey(`key-${number}`));
    await expect(registry.findByKey('one-more')).rejects.toMatchObject({ status: 503 });
    open();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([null]));
    expect(await registry.findByKey('one-more')).toBeNull();
  });
});
