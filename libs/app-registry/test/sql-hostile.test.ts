import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assert, asyncProperty, string } from 'fast-check';
import { AppNotStorable, BrokenApp, type StoredApp } from '../src/index.js';
import { record } from './samples.js';
import { corner, openSqlStore, SQL_DRIVERS, type SqlStore } from './sql-scene.js';

const secretOf = (app: StoredApp | null): string | undefined =>
  app === null || app instanceof BrokenApp ? undefined : app.secret.reveal();

describe.each(SQL_DRIVERS)('hostile text in %s', (driver) => {
  let place: Awaited<ReturnType<typeof corner>>;
  let opened: SqlStore;
  beforeAll(async () => {
    place = await corner(driver);
    opened = await openSqlStore(driver, place.url);
    await opened.store.init();
  });
  afterAll(async () => {
    await opened.close();
    await place.end();
  });

  it.each([
    `' or '1'='1`,
    String.raw`\' or 1=1 -- `,
    String.raw`\\`,
    '%',
    '"; drop table applications; --',
    '`$1 ? :key',
    '\u{1F514} e\u0301 \u202E \u2028',
    ' ',
    '\t',
    '𝒦'.repeat(127),
  ])('is stored and found as it is: %j', async (text) => {
    const { store } = opened;
    expect(await store.findByKey(text)).toBeNull();
    await store.create(record('h', { key: text, secret: text, policy: { x: { [text]: text } } }));
    expect(secretOf(await store.findByKey(text))).toBe(text);
    expect(await store.findByKey(`${text} `)).toBeNull();
    expect(await store.findById('h')).toMatchObject({ policy: { extra: { x: { [text]: text } } } });
    await store.delete('h');
  });

  it('that the database cannot hold is refused whole, and never found', async () => {
    const { store } = opened;
    const halves = '\uD800';
    await expect(store.create(record('h', { key: halves }))).rejects.toBeInstanceOf(AppNotStorable);
    await store.create(record('h', { key: '\uFFFD' }));
    expect(await store.findByKey(halves)).toBeNull();
    expect(await store.findByKey('a\0b')).toBeNull();
    await store.delete('h');
    const nul = await store
      .create(record('h', { key: 'a\0b', secret: 'hush' }))
      .catch((thrown: unknown) => thrown);
    if (driver === 'postgres') {
      expect(nul).toBeInstanceOf(AppNotStorable);
      expect((nul as Error).message).not.toMatch(/hush/);
    } else {
      expect((await store.findByKey('a\0b'))?.id).toBe('h');
    }
    await store.delete('h');
  });

  it('of any kind is looked up without harm', async () => {
    const { store } = opened;
    await store.create(record('h', { key: 'the key' }));
    await assert(
      asyncProperty(string({ unit: 'binary', maxLength: 300 }), async (text) => {
        expect(await store.findByKey(text)).toBeNull();
        expect(await store.findById(text)).toBeNull();
      }),
      { numRuns: 100 },
    );
    expect((await store.findByKey('the key'))?.id).toBe('h');
    await store.delete('h');
  });
});
