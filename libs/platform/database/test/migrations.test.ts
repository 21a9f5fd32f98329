import { describe, expect, it, onTestFinished } from 'vitest';
import {
  baseline,
  breaking,
  compatible,
  type Migration,
  type MigrationClass,
  type MigrationInterface,
  placed,
  type QueryRunner,
  type Tables,
} from '../src/index.js';
import { connected, emptyDatabase, ENGINES, failure, processWith, settings, start } from './scene.js';

/** A migration by number; `{name}` in a statement stands for a qualified table. */
function migration(number: number, statements: readonly string[]): MigrationClass {
  class Made implements MigrationInterface {
    constructor(private readonly place: string | null) {}

    async up(runner: QueryRunner): Promise<void> {
      for (const statement of statements)
        await runner.query(statement.replace(/\{(\w+)\}/g, (_, name: string) => this.named(name)));
    }

    async down(): Promise<void> {}

    private named(name: string): string {
      return this.place === null ? name : placed(this.place, name);
    }
  }
  return Object.defineProperty(Made, 'name', { value: `Made${1_764_000_000_000 + number}` });
}

/** A table that can be made only once. */
const table = (name: string, ...more: readonly Migration[]): Tables => ({
  name,
  owned: { tables: [name] },
  migrations: [
    baseline(migration(1, [`create table {${name}} (id int)`, `insert into {${name}} values (1)`])),
    ...more,
  ],
});

describe.each(ENGINES)('migrations in %s', (dialect, engineName) => {
  const home = dialect === 'postgres' ? 'service' : null;
  const at = (name: string): string => (home === null ? name : placed(home, name));

  it('of several processes that start at once run once', async () => {
    const url = await emptyDatabase(engineName);
    const all = await Promise.all(
      Array.from({ length: 6 }, () => connected(dialect, url, [table('one'), table('two')])),
    );
    for (const name of ['one', 'two']) {
      expect((await all[0]?.query(`select id from ${at(name)}`))?.rows).toEqual([{ id: 1 }]);
      expect(all.map((database) => database.place(name))).toEqual(all.map(() => home));
    }
  }, 120_000);

  it('of several rooms share one database, run in order, and are recorded', async () => {
    const url = await emptyDatabase(engineName);
    const { parts, databases } = await processWith(settings(dialect, url));
    const first = databases.use(dialect, [table('one')]);
    expect(databases.use(dialect, [table('two')])).toBe(first);
    expect(parts.startup.dependencies.map(({ name }) => name)).toEqual([`${dialect} database`]);
    expect(() => first.place('one')).toThrow('not connected yet');
    await start(parts);
    await first.close();
    const later = await connected(dialect, url, [
      table('one', compatible(migration(2, ['update {one} set id = id + 1']))),
      table('two'),
    ]);
    expect((await later.query(`select id from ${at('one')}`)).rows).toEqual([{ id: 2 }]);
    const { rows } = await later.query(`select name from ${at('service_migrations')} order by id`);
    expect(rows.map(({ name }) => name)).toEqual([
      'one Made1764000000001',
      'two Made1764000000001',
      'added to one Made1764000000002',
    ]);
  });

  it('that fail fail the start, free the lock, and are tried again', async () => {
    const url = await emptyDatabase(engineName);
    const { databases } = await processWith(settings(dialect, url));
    const statements = ['create table {bad} (id nonsense)'];
    const moody: Tables = {
      name: 'moody',
      owned: { tables: ['bad'] },
      migrations: [baseline(migration(1, statements))],
    };
    const database = databases.use(dialect, [moody]);
    onTestFinished(() => database.close());
    expect(await failure(database.connect())).toMatchObject({ name: 'DatabaseRejected' });
    await connected(dialect, url, [table('other')]);
    statements.splice(0, 1, 'create table {bad} (id int)');
    await database.connect();
    expect((await database.query(`select * from ${at('bad')}`)).rows).toEqual([]);
  });

  it('end the start of an older process when they are breaking, but not for tables it does not use', async () => {
    const url = await emptyDatabase(engineName);
    await connected(dialect, url, [table('one', breaking(migration(2, []), 'restore a copy')), table('two')]);
    const { databases } = await processWith(settings(dialect, url));
    const database = databases.use(dialect, [table('one')]);
    onTestFinished(() => database.close());
    expect(await failure(database.connect())).toMatchObject({
      message: expect.stringContaining(
        'one are of a newer version: this process does not know one Made1764000000002',
      ),
    });
    await connected(dialect, url, [table('two')]);
  });

  it('let older processes start and run once when they are compatible', async () => {
    const url = await emptyDatabase(engineName);
    const added = migration(2, ['insert into {one} values (2)']);
    const newer = table('one', compatible(added));
    for (const tables of [table('one'), newer, table('one'), newer, table('one')]) {
      const database = await connected(dialect, url, [tables]);
      await database.close();
    }
    const last = await connected(dialect, url, [newer]);
    expect((await last.query(`select id from ${at('one')} order by id`)).rows).toEqual([
      { id: 1 },
      { id: 2 },
    ]);
    await last.query(`drop table ${at('one')}`);
    const again = await connected(dialect, url, [newer]);
    expect((await again.query(`select id from ${at('one')}`)).rows).toHaveLength(2);
  });

  it('make again what somebody has dropped', async () => {
    const url = await emptyDatabase(engineName);
    const first = await connected(dialect, url, [table('one'), table('two')]);
    await first.query(`drop table ${at('one')}`);
    const second = await connected(dialect, url, [table('one'), table('two')]);
    expect((await second.query(`select id from ${at('one')}`)).rows).toEqual([{ id: 1 }]);
  });
});
