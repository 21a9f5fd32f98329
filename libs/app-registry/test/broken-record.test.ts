import { describe, expect, it } from 'vitest';
import { record } from './samples.js';
import { RemoteStore } from './remote-store.js';
import { scene } from './scene.js';

describe('a stored record that cannot be read', () => {
  it('makes only that app unavailable, said once a minute', async () => {
    const store = new RemoteStore();
    store.brokenIds.add('bad');
    const { registry, clock, lines, changes } = await scene({ apps: [record('bad'), record('good')], store });
    expect((await registry.findById('good'))?.id).toBe('good');
    expect(await registry.findById('bad')).toBeNull();
    expect(await registry.findByKey('bad-key')).toBeNull();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('"app_id":"bad"');
    clock.pass(60);
    expect(await registry.findById('bad')).toBeNull();
    expect(lines).toHaveLength(2);
    expect(changes).toEqual([]);
  });

  it('does not count as deleted when it breaks later', async () => {
    const { registry, store, changes } = await scene({ apps: [record('a')] });
    store.brokenIds.add('a');
    await registry.appChanged('a');
    expect(await registry.findById('a')).toBeNull();
    expect(changes).toEqual([]);
  });
});
