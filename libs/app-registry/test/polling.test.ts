import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OPTIONS, record } from './samples.js';
import { scene } from './scene.js';

const interval = () => vi.advanceTimersByTimeAsync(30_000);

describe('asking the store for changes', () => {
  const cache = { ...OPTIONS.cache, refresh_interval: 30 };

  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('sees what was written to the database directly', async () => {
    const { registry, store, changes } = await scene({ apps: [record('a')], cache });
    await store.rows.update(record('a', { enabled: false }));
    await store.rows.create(record('b'));
    store.written.push('a', 'b');
    await interval();
    expect(registry.peekById('a')?.enabled).toBe(false);
    expect(registry.peekById('b')?.id).toBe('b');
    expect(changes.map(({ appId }) => appId)).toEqual(['a', 'b']);
    await interval();
    expect(changes).toHaveLength(2);
  });

  it('reads everything when more changed than fits one answer', async () => {
    const { registry, store } = await scene({ cache });
    for (let number = 0; number < 1500; number++) {
      await store.rows.create(record(`app-${number}`));
      store.written.push(`app-${number}`);
    }
    await interval();
    expect(registry.knownApps()).toBe(1500);
  });

  it('goes on where it was when the store failed in between', async () => {
    const { registry, store, lines } = await scene({ apps: [record('a')], cache });
    await store.rows.update(record('a', { enabled: false }));
    store.written.push('a');
    store.failing = true;
    await interval();
    expect(lines).toHaveLength(1);
    store.failing = false;
    await interval();
    expect(registry.peekById('a')?.enabled).toBe(false);
  });

  it('looks again at changes announced while the store was away', async () => {
    const { registry, store, changes } = await scene({ apps: [record('a')], cache });
    await store.rows.delete('a');
    store.failing = true;
    await registry.appChanged('a');
    await interval();
    expect(changes).toEqual([]);
    store.failing = false;
    await interval();
    expect(changes).toEqual([{ appId: 'a', app: null }]);
  });

  it('is off at interval 0 and after close', async () => {
    const off = await scene({ apps: [record('a')] });
    const closed = await scene({ apps: [record('a')], cache });
    await closed.registry.close();
    for (const { store } of [off, closed]) {
      await store.rows.update(record('a', { enabled: false }));
      store.written.push('a');
    }
    await interval();
    expect([off, closed].map(({ registry }) => registry.peekById('a')?.enabled)).toEqual([true, true]);
  });
});
