import { describe, expect, it } from 'vitest';
import { AppConflict, AppNotFound } from '../src/index.js';
import { record } from './samples.js';
import { holdOneRead, scene } from './scene.js';

describe('changes of apps', () => {
  it('through the registry are usable at once and announced', async () => {
    const announced: string[] = [];
    const announce = async (appId: string): Promise<void> => {
      announced.push(appId);
    };
    const { registry, changes } = await scene({ parts: { announce } });
    expect(await registry.findByKey('a-key')).toBeNull();
    await registry.create(record('a'));
    expect(registry.peekByKey('a-key')?.id).toBe('a');
    await registry.update(record('a', { key: 'new-key', secret: 'rotated' }));
    expect(registry.peekByKey('new-key')?.record.secret.reveal()).toBe('rotated');
    expect(await registry.findByKey('a-key')).toBeNull();
    expect([await registry.delete('a'), await registry.delete('a')]).toEqual([true, false]);
    expect(await registry.findById('a')).toBeNull();
    expect(announced).toEqual(['a', 'a', 'a']);
    expect(changes.map(({ appId, app }) => [appId, app?.key])).toEqual([
      ['a', 'a-key'],
      ['a', 'new-key'],
      ['a', undefined],
    ]);
  });

  it('that the store refuses change nothing', async () => {
    const { registry, changes } = await scene({ apps: [record('a'), record('b')] });
    await expect(registry.create(record('a', { key: 'x' }))).rejects.toBeInstanceOf(AppConflict);
    await expect(registry.update(record('b', { key: 'a-key' }))).rejects.toBeInstanceOf(AppConflict);
    await expect(registry.update(record('c'))).rejects.toBeInstanceOf(AppNotFound);
    expect(registry.peekByKey('b-key')?.id).toBe('b');
    expect(changes).toEqual([]);
  });

  it('keep what only the stored record knows', async () => {
    const { registry } = await scene({
      apps: [record('a', { region: 'eu', policy: { limits: { rooms: 7 } } })],
    });
    await registry.update(record('a', { secret: 'rotated' }));
    const { extra, policy } = registry.peekById('a')?.record ?? record('none');
    expect([extra, policy.limits.extra]).toEqual([{ region: 'eu' }, { rooms: 7 }]);
  });

  it('by another node are heard and told: disabled, then deleted', async () => {
    const { registry, store, changes } = await scene({ apps: [record('a')] });
    await store.rows.update(record('a', { enabled: false }));
    await registry.appChanged('a');
    expect(registry.peekById('a')?.enabled).toBe(false);
    await store.rows.delete('a');
    await registry.appChanged('a');
    expect(changes.map(({ app }) => app?.enabled)).toEqual([false, undefined]);
  });

  it('are told also of apps this process does not hold', async () => {
    const { registry, store, changes } = await scene({ apps: [record('a'), record('b')], indexCapacity: 1 });
    await store.rows.update(record('b', { enabled: false }));
    await registry.appChanged('b');
    expect(changes).toMatchObject([{ appId: 'b', app: { enabled: false } }]);
  });

  it('that change nothing keep the app object and tell nobody', async () => {
    const { registry, changes } = await scene({ apps: [record('a')] });
    const before = registry.peekById('a');
    await registry.appChanged('a');
    expect(registry.peekById('a')).toBe(before);
    expect(changes).toEqual([]);
  });

  it('found by an ordinary lookup are told too', async () => {
    const { registry, store, clock, changes } = await scene({
      apps: [record('a'), record('b'), record('c')],
    });
    await store.rows.update(record('a', { enabled: false }));
    await store.rows.delete('b');
    await store.rows.update(record('c', { key: 'c-new' }));
    clock.pass(300);
    await registry.findByKey('a-key');
    expect(await registry.findById('b')).toBeNull();
    expect(await registry.findByKey('c-key')).toBeNull();
    expect((await registry.findByKey('c-new'))?.id).toBe('c');
    expect(changes.map(({ appId, app }) => [appId, app?.enabled])).toEqual([
      ['a', false],
      ['b', undefined],
      ['c', true],
    ]);
  });

  it('are not overtaken by a lookup that began before them', async () => {
    const { registry, store } = await scene();
    await store.rows.create(record('a'));
    const held = holdOneRead(store);
    const early = registry.findByKey('a-key');
    await held.read;
    await store.rows.update(record('a', { secret: 'rotated' }));
    await registry.appChanged('a');
    held.answer();
    expect((await early)?.record.secret.reveal()).toBe('rotated');
    expect(registry.peekByKey('a-key')?.record.secret.reveal()).toBe('rotated');
  });

  it('are not overtaken by an earlier change that is still being read', async () => {
    const { registry, store } = await scene({ apps: [record('a')] });
    const held = holdOneRead(store);
    const earlier = registry.appChanged('a');
    await held.read;
    await store.rows.update(record('a', { secret: 'rotated' }));
    await registry.appChanged('a');
    held.answer();
    await earlier;
    expect(registry.peekByKey('a-key')?.record.secret.reveal()).toBe('rotated');
  });

  it('leave a key with the app that has it now', async () => {
    const { registry, store } = await scene({ apps: [record('a', { key: 'shared' })] });
    await store.rows.delete('a');
    await store.rows.create(record('b', { key: 'shared' }));
    await registry.appChanged('b');
    await registry.appChanged('a');
    expect(registry.peekByKey('shared')?.id).toBe('b');
  });

  it('announced while the store is away are told when it is back, and the old record is not used meanwhile', async () => {
    const { registry, store, changes, lines } = await scene({ apps: [record('a'), record('b')] });
    await store.rows.update(record('a', { enabled: false }));
    await store.rows.delete('b');
    store.failing = true;
    await registry.appChanged('a');
    await registry.appChanged('b');
    await expect(registry.findById('a')).rejects.toMatchObject({ status: 503 });
    expect([lines.length, changes]).toEqual([2, []]);
    store.failing = false;
    expect((await registry.findById('a'))?.enabled).toBe(false);
    expect(await registry.findById('b')).toBeNull();
    expect(changes).toMatchObject([
      { appId: 'a', app: { enabled: false } },
      { appId: 'b', app: null },
    ]);
  });

  it('reach the other listeners when one throws', async () => {
    const { registry, changes, lines } = await scene();
    registry.onChange(() => {
      throw new Error('broken listener');
    });
    const late: string[] = [];
    const end = registry.onChange(({ appId }) => late.push(appId));
    await registry.create(record('a'));
    end();
    await registry.create(record('b'));
    expect([changes.length, late, lines.length]).toEqual([2, ['a'], 2]);
  });
});
