import { errorBody } from '@carillon/errors';
import { describe, expect, it } from 'vitest';
import { AppLookupUnavailable, AppRegistry, type AppStore } from '../src/index.js';
import { RemoteStore } from './remote-store.js';
import { OPTIONS, record } from './samples.js';
import { scene } from './scene.js';

describe('an app store that fails', () => {
  it('leaves known apps usable, and does not call unknown ones unknown', async () => {
    const { registry, store, clock } = await scene({ apps: [record('a')] });
    clock.pass(600);
    store.failing = true;
    expect((await registry.findByKey('a-key'))?.id).toBe('a');
    const failure = await registry.findByKey('none').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AppLookupUnavailable);
    expect(errorBody(failure as AppLookupUnavailable)).toMatchObject({
      code: 'service_unavailable',
      status: 503,
    });
    store.failing = false;
    expect(await registry.findByKey('none')).toBeNull();
  });

  it('is spared for a moment by lookups that have a stale answer', async () => {
    const { registry, store, clock } = await scene({ apps: [record('a')] });
    clock.pass(600);
    store.failing = true;
    await registry.findByKey('a-key');
    const { reads } = store;
    expect(registry.peekByKey('a-key')?.id).toBe('a');
    clock.pass(1);
    expect(registry.peekByKey('a-key')).toBeUndefined();
    await registry.findByKey('a-key');
    expect(store.reads).toBe(reads + 1);
  });

  it('is not stood in for beyond stale_if_error', async () => {
    const { registry, store, clock } = await scene({ apps: [record('a')] });
    store.failing = true;
    clock.pass(300 + 3600);
    expect((await registry.findById('a'))?.id).toBe('a');
    clock.pass(1);
    await expect(registry.findById('a')).rejects.toBeInstanceOf(AppLookupUnavailable);
  });

  it('is not waited for longer than its time', async () => {
    const { registry, store } = await scene({ storeTimeoutMs: 10 });
    store.pause = () => new Promise(() => {});
    await expect(registry.findById('a')).rejects.toBeInstanceOf(AppLookupUnavailable);
  });

  it('fails the start; there is no fall-back to memory', async () => {
    const store = new RemoteStore();
    store.failing = true;
    const registry = new AppRegistry({ ...OPTIONS, inlineApps: [record('a')] }, { store });
    await expect(registry.start()).rejects.toThrow('down');
    expect(registry.knownApps()).toBe(0);
    store.failing = false;
    await registry.start();
    expect(registry.peekById('a')?.id).toBe('a');
    await registry.close();
  });

  it('that breaks its promise by throwing anything is unavailable all the same', async () => {
    const { registry, store } = await scene();
    (store as AppStore).findById = () => {
      throw new TypeError('bug');
    };
    await expect(registry.findById('a')).rejects.toBeInstanceOf(AppLookupUnavailable);
  });

  it('makes the registry unhealthy, as does knowing not one app', async () => {
    const { registry, store } = await scene();
    await expect(registry.health()).rejects.toThrow('not one app is known');
    await store.rows.create(record('a'));
    await expect(registry.health()).resolves.toBeUndefined();
    store.failing = true;
    await expect(registry.health()).rejects.toThrow('down');
  });
});
