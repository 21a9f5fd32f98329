import { describe, expect, it } from 'vitest';
import type { Migration, SqlDialect } from '../src/index.js';
import { connected, emptyDatabase, ENGINES, failure, processWith, settings, start } from './scene.js';

const schema = (dialect: SqlDialect) => (dialect === 'postgres' ? 'current_schema()' : 'database()');

/** A table that can be made only once. */
const table = (dialect: SqlDialect, name: string, log: string[] = []): Migration => ({
  name: `table ${name}`,
  async missing(session) {
    const { rows } = await session.query(
      `select 1 from information_schema.tables where table_schema = ${schema(dialect)} and table_name = '${name}'`,
    );
    log.push(`${name} ${rows.length}`);
    return rows.length === 0 ? [`create table ${name} (id int)`, `insert into ${name} values (1)`] : [];
  },
});

describe.each(ENGINES)('migrations in %s', (dialect, engineName) => {
  it('of several processes that start at once run once', async () => {
    const url = await emptyDatabase(engineName);
    const migrations = [table(dialect, 'one'), table(dialect, 'two')];
    const all = await Promise.all(Array.from({ length: 6 }, () => connected(dialect, url, migrations)));
    for (const name of ['one', 'two']) {
      expect((await all[0]?.query(`select id from ${name}`))?.rows).toEqual([{ id: 1 }]);
    }
  });

  it('of several rooms share one database and run in the order of their coming, at every start', async () => {
    const url = await emptyDatabase(engineName);
    const log: string[] = [];
    for (const expected of [
      ['one 0', 'two 0'],
      ['one 1', 'two 1'],
    ]) {
      const { parts, databases } = await processWith(settings(dialect, url));
      const first = databases.use(dialect, [table(dialect, 'one', log)]);
      expect(databases.use(dialect, [table(dialect, 'two', log)])).toBe(first);
      expect(parts.startup.dependencies.map(({ name }) => name)).toEqual([`${dialect} database`]);
      await start(parts);
      expect(log.splice(0)).toEqual(expected);
      await first.connect();
      expect(log).toEqual([]);
      await first.close();
    }
  });

  it('that fail fail the start, free the lock, and are tried again', async () => {
    const url = await emptyDatabase(engineName);
    const { databases } = await processWith(settings(dialect, url));
    let broken = true;
    const moody: Migration = {
      name: 'moody',
      missing: async () => (broken ? ['create table bad (id nonsense)'] : ['create table good (id int)']),
    };
    const database = databases.use(dialect, [moody]);
    expect(await failure(database.connect())).toMatchObject({ name: 'DatabaseRejected' });
    await connected(dialect, url, [table(dialect, 'other')]);
    broken = false;
    await database.connect();
    expect((await database.query('select * from good')).rows).toEqual([]);
    await database.close();
  });
});
