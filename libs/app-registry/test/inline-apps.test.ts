import { bootstrapAppRecord, Secret, type AppRecord } from '@carillon/config';
import { describe, expect, it } from 'vitest';
import { AppConflict, AppRegistry, registerInlineApps } from '../src/index.js';
import { MemoryAppStore } from '../src/drivers/memory.js';
import { RemoteStore } from './remote-store.js';
import { OPTIONS, record } from './samples.js';
import { scene } from './scene.js';

describe('inline apps', () => {
  it('are created, or updated where the id exists, and left alone where nothing differs', async () => {
    const store = new MemoryAppStore();
    const stored = record('b', { region: 'eu', policy: { limits: { max_connections: 1 } } });
    await store.create(stored);
    await store.create(record('c'));
    const written = await registerInlineApps(store, [record('a'), record('b'), record('c')]);
    expect(written.map(({ before, after }) => [before?.id, after.id])).toEqual([
      [undefined, 'a'],
      ['b', 'b'],
    ]);
    const updated = await store.findById('b');
    expect(updated?.policy.limits.max_connections).toBe(0);
    expect(updated?.extra).toEqual({ region: 'eu' });
    expect(await registerInlineApps(store, [record('a'), record('b'), record('c')])).toEqual([]);
  });

  it('replace a stored secret', async () => {
    const store = new MemoryAppStore();
    await store.create(record('a'));
    await registerInlineApps(store, [record('a', { secret: 'rotated' })]);
    expect((await store.findById('a'))?.secret.reveal()).toBe('rotated');
  });

  it('whose key is another app’s stop the start', async () => {
    const store = new RemoteStore();
    await store.rows.create(record('stored', { key: 'taken' }));
    const inlineApps = [record('a', { key: 'taken' })];
    const registry = new AppRegistry({ ...OPTIONS, inlineApps }, { store });
    await expect(registry.start()).rejects.toEqual(new AppConflict('a', 'key'));
  });

  it('may be registered by two nodes at once', async () => {
    const store = new MemoryAppStore();
    const both = [registerInlineApps(store, [record('a')]), registerInlineApps(store, [record('a')])];
    const written = await Promise.all(both);
    expect(written.flat()).toHaveLength(1);
  });

  it('are not registered when that is off', async () => {
    const { registry, store } = await scene({ inlineApps: [record('a')], registerInlineApps: false });
    expect(await store.rows.findById('a')).toBeNull();
    expect(registry.knownApps()).toBe(0);
  });

  it('of the environment end up as the one app there is', async () => {
    const credentials = { id: 'demo', key: 'demo-key', secret: new Secret('demo-secret') };
    const inlineApps = [bootstrapAppRecord(credentials).record as AppRecord];
    const registry = new AppRegistry({ ...OPTIONS, inlineApps }, { store: new MemoryAppStore() });
    await registry.start();
    expect(registry.knownApps()).toBe(1);
    expect(registry.peekByKey('demo-key')?.limits).toMatchObject({
      maxConnections: Infinity,
      maxBackendEventsPerSecond: Infinity,
      maxEventPayloadBytes: Infinity,
    });
    await registry.close();
  });
});
