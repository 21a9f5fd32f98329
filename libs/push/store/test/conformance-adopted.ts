import { readFile } from 'node:fs/promises';
import type { QueryRunner } from '@carillon/database';
import { expect, it } from 'vitest';
import { openSql } from '../src/index.js';
import { pushTables } from '../src/sql/schema.js';
import { admission, claim, NOW } from './samples.js';
import { cornerOf } from './scene.js';

/** Tables of before migrations were recorded, made by the program of that time. */
export function adoptedConformance(dialect: 'mysql' | 'postgres'): void {
  it(`takes over the tables of before in ${dialect}, with their rows, and takes them away again`, async () => {
    const { databases: open, end } = await cornerOf(dialect);
    const before = open().apart(dialect, { waiting: 9, statementMs: 5000 });
    await before.connect();
    const text = await readFile(new URL(`../../test/fixtures/${dialect}.sql`, import.meta.url), 'utf8');
    for (const statement of text.trim().split('\n')) await before.query(statement.replace(/;$/, ''));
    await before.close();
    const databases = open();
    const store = openSql(databases, dialect);
    await store.connect();
    const database = databases.use(dialect);
    expect(database.place('push')).toBe(dialect === 'postgres' ? 'service' : null);
    expect(await store.device('shop', 'd1')).toMatchObject({ clientId: 'u1', provider: 'fcm' });
    expect(await store.credentials('shop', null, 9)).toMatchObject([{ sealedFields: { s: 'sealed' } }]);
    expect(await store.template('shop', 't1')).toMatchObject({ defaultLocale: 'en' });
    expect(await store.channels('shop', null, 9)).toEqual(['news']);
    const runner = {
      query: async (sql: string) => (await database.query(sql)).rows,
    } as unknown as QueryRunner;
    // Columns added since are missing.
    await store.admit(admission('p'));
    await store.plan('shop', 'p', [claim('p', 'k', { firstAttemptMs: NOW })]);
    expect(await store.claim('shop', 'p', 'k')).toMatchObject({ firstAttemptMs: NOW });
    for (const { migration: Migration } of pushTables(dialect).migrations.toReversed())
      await new Migration(database.place('push')).down(runner);
    await store.close();
    const anew = openSql(open(), dialect);
    await anew.connect();
    expect(await anew.device('shop', 'd1')).toBeNull();
    await anew.close();
    await end();
  });
}
