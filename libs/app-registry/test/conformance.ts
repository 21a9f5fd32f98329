import { serializeAppRecord } from '@carillon/config';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  AppChanged,
  AppConflict,
  AppNotFound,
  BrokenApp,
  type AppStore,
  type StoredApp,
} from '../src/index.js';
import { record } from './samples.js';

/** Promises of every driver. `makeStore` returns an empty store that is not connected yet. */
export function appStoreConformance(name: string, makeStore: () => Promise<AppStore>): void {
  describe(`app store ${name}`, () => {
    let store: AppStore;
    beforeEach(async () => {
      store = await makeStore();
      await store.init();
    });
    afterEach(() => store.close());

    it('connects again without harm', async () => {
      await store.create(record('a'));
      await store.init();
      expect(stored(await store.findById('a'))).toEqual(serializeAppRecord(record('a')));
    });

    it('finds by id and by key exactly what was created', async () => {
      const full = record('a', {
        enabled: false,
        region: 'eu',
        policy: {
          limits: { max_connections: 4_294_967_295, max_event_payload_in_kb: 0, future: [1, { x: null }] },
          channels: {
            allowed_origins: ['*.example.com'],
            channel_delta_compression: { 'ticker-*': { conflation_key: 'symbol' } },
            channel_namespaces: [{ name: 'chat', channel_name_pattern: '^chat:[a-zé]+$' }],
          },
          webhooks: [{ url: 'https://h/', event_types: ['cache_miss'], headers: { 'x-env': 'eu "1"' } }],
          history: { enabled: true },
        },
      });
      await store.create(full);
      const expected = serializeAppRecord(full);
      expect(stored(await store.findById('a'))).toEqual(expected);
      expect(stored(await store.findByKey('a-key'))).toEqual(expected);
    });

    it('updates by revision: one of two writers that read the same record', async () => {
      await store.create(record('a'));
      const { revision = '' } = (await store.read('a')) ?? {};
      const changed = record('a', { revision: 'r1', enabled: false });
      await store.update(changed, revision);
      const late = store.update(record('a', { revision: 'r2' }), revision);
      await expect(late).rejects.toBeInstanceOf(AppChanged);
      expect(stored(await store.findById('a'))).toEqual(serializeAppRecord(changed));
      expect((await store.read('a'))?.revision).not.toBe(revision);
      await expect(store.update(record('b'), revision)).rejects.toBeInstanceOf(AppNotFound);
      expect(await store.read('b')).toBeNull();
    });

    it('stores the previous secret of a rotated app and the times of the management API', async () => {
      const rotated = record('a', {
        previous_secret: 'former',
        previous_secret_expires_at_ms: 1_790_086_400_000,
        created_at_ms: 1_790_000_000_000,
        updated_at_ms: 1_790_000_000_001,
        revision: 'r1',
      });
      await store.create(rotated);
      expect(stored(await store.findById('a'))).toEqual(serializeAppRecord(rotated));
      expect(stored((await store.read('a'))?.stored ?? null)).toEqual(serializeAppRecord(rotated));
    });

    it('finds nothing under names nobody has, case and spaces included', async () => {
      await store.create(record('a', { key: 'Key' }));
      const found = [
        await store.findById('A'),
        await store.findById('a '),
        await store.findById('Key'),
        await store.findByKey('key'),
        await store.findByKey('Key '),
        await store.findByKey("Key' OR '1'='1"),
      ];
      expect(found).toEqual(found.map(() => null));
    });

    it('tells apart keys that differ in case only', async () => {
      await store.create(record('a', { key: 'key' }));
      await store.create(record('b', { key: 'KEY' }));
      expect((await store.findByKey('KEY'))?.id).toBe('b');
    });

    it('refuses an id or a key that is taken, and then changes nothing', async () => {
      await store.create(record('a'));
      await store.create(record('b'));
      await expect(store.create(record('a', { key: 'new' }))).rejects.toEqual(new AppConflict('a', 'id'));
      await expect(store.create(record('c', { key: 'a-key' }))).rejects.toEqual(new AppConflict('c', 'key'));
      await expect(store.update(record('b', { key: 'a-key' }))).rejects.toEqual(new AppConflict('b', 'key'));
      expect(await store.findByKey('new')).toBeNull();
      expect(await store.findById('c')).toBeNull();
      expect(stored(await store.findByKey('b-key'))).toEqual(serializeAppRecord(record('b')));
    });

    it('lets one of many writers at once have a key', async () => {
      const writers = ['a', 'b', 'c', 'd', 'e'].map((id) => store.create(record(id, { key: 'one' })));
      const outcomes = await Promise.allSettled(writers);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
      expect(refused.every((reason) => reason instanceof AppConflict && reason.field === 'key')).toBe(true);
      expect((await store.list({ limit: 10, cursor: null })).apps).toHaveLength(1);
    });

    it('replaces the whole record, and frees the old key', async () => {
      await store.create(record('a', { region: 'eu', policy: { limits: { max_connections: 5 } } }));
      const next = record('a', { key: 'rotated', secret: 'rotated', enabled: false });
      await store.update(next);
      expect(stored(await store.findById('a'))).toEqual(serializeAppRecord(next));
      expect(await store.findByKey('a-key')).toBeNull();
      await store.create(record('b', { key: 'a-key' }));
      expect((await store.findByKey('a-key'))?.id).toBe('b');
    });

    it('updates an app that keeps its key', async () => {
      await store.create(record('a'));
      await store.update(record('a', { secret: 'other' }));
      expect(stored(await store.findByKey('a-key'))).toMatchObject({ secret: 'other' });
    });

    it('does not create by updating', async () => {
      await expect(store.update(record('a'))).rejects.toEqual(new AppNotFound('a'));
      expect(await store.findById('a')).toBeNull();
    });

    it('deletes once, and frees id and key', async () => {
      await store.create(record('a'));
      expect([await store.delete('a'), await store.delete('a')]).toEqual([true, false]);
      expect([await store.findById('a'), await store.findByKey('a-key')]).toEqual([null, null]);
      await store.create(record('a'));
      expect((await store.findByKey('a-key'))?.id).toBe('a');
    });

    it('lists every app once, page by page', async () => {
      const ids = Array.from({ length: 25 }, (_, number) => `app-${number}`);
      for (const id of ids) await store.create(record(id));
      const listed: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Awaited<ReturnType<AppStore['list']>> = await store.list({ limit: 10, cursor });
        expect(page.apps.length).toBeLessThanOrEqual(10);
        listed.push(...page.apps.map(({ id }) => id));
        cursor = page.next;
      } while (cursor !== null);
      expect(listed.sort()).toEqual(ids.sort());
    });

    it('lists nothing when it is empty', async () => {
      expect(await store.list({ limit: 10, cursor: null })).toEqual({ apps: [], next: null });
    });

    it('does not miss or repeat apps that stay while others come and go', async () => {
      for (const id of ['a', 'b', 'c', 'd']) await store.create(record(id));
      const first = await store.list({ limit: 2, cursor: null });
      const [gone] = first.apps;
      await store.delete(gone?.id ?? '');
      await store.create(record('zz'));
      const rest = await store.list({ limit: 10, cursor: first.next });
      const seen = [...first.apps, ...rest.apps].map(({ id }) => id).filter((id) => id !== 'zz');
      expect(seen.sort()).toEqual(['a', 'b', 'c', 'd']);
    });

    it('reports what was written since a mark, if it can tell', async () => {
      await store.create(record('a'));
      const start = await store.changedSince?.(null, 10);
      await store.create(record('b'));
      await store.update(record('a', { enabled: false }));
      const changed = await store.changedSince?.(start?.mark ?? null, 10);
      const canTell = store.changedSince !== undefined;
      expect(start?.appIds).toEqual(canTell ? [] : undefined);
      expect(changed && new Set(changed.appIds)).toEqual(canTell ? new Set(['a', 'b']) : undefined);
    });

    it('is healthy while it is connected', async () => {
      await expect(store.health()).resolves.toBeUndefined();
    });
  });
}

function stored(app: StoredApp | null): Record<string, unknown> | null {
  if (app instanceof BrokenApp) throw new Error(JSON.stringify(app.problems));
  return app === null ? null : serializeAppRecord(app);
}
