import { describe, expect, it, onTestFinished } from 'vitest';
import { DatabaseRejected } from '../src/index.js';
import { connected, emptyDatabase, ENGINES, failure, placeholders, processWith, settings } from './scene.js';

describe.each(ENGINES)('statements in %s', (dialect, engineName) => {
  const opened = async () => connected(dialect, await emptyDatabase(engineName));
  const insert = `insert into things values (${placeholders(dialect, 2)})`;

  it('answer rows, and how many were written', async () => {
    const database = await opened();
    await database.query('create table things (id int primary key, name varchar(20))');
    expect((await database.query(insert, [1, 'one'])).changed).toBe(1);
    await database.query(insert, [2, null]);
    const { rows } = await database.query('select id, name from things order by id');
    expect(rows).toEqual([
      { id: 1, name: 'one' },
      { id: 2, name: null },
    ]);
    const updated = await database.query(`update things set name = ${placeholders(dialect, 1)}`, ['one']);
    expect(updated.changed).toBe(2);
  });

  it.each([
    `'; drop table things; --`,
    String.raw`\' or 1=1 -- `,
    '"; select 1',
    '$1 ? :name /* */ `',
    '\u{1F514}\u2028',
  ])('take %j as a value and as nothing else', async (hostile) => {
    const database = await opened();
    await database.query('create table things (id int primary key, name varchar(200))');
    await database.query(insert, [1, hostile]);
    const where = `select id from things where name = ${placeholders(dialect, 1)}`;
    expect((await database.query(where, [hostile])).rows).toHaveLength(1);
    expect((await database.query(where, [`${hostile}x`])).rows).toHaveLength(0);
  });

  it('that the database refuses say why without a value, and leave the connection usable', async () => {
    const database = await opened();
    await database.query('create table things (id int primary key, name varchar(10) unique)');
    await database.query(insert, [1, 'hush']);
    const failures = [
      await failure(database.query(insert, [2, 'hush'])),
      await failure(database.query(insert, [3, 'hush hush hush'])),
      await failure(database.query('select hush from nothing')),
      await failure(database.query("selec 'hush'")),
    ];
    expect(failures.map((one) => (one as DatabaseRejected).reason)).toEqual([
      'unique',
      'data',
      'statement',
      'statement',
    ]);
    expect(failures.every((one) => one instanceof DatabaseRejected)).toBe(true);
    expect(failures.map((one) => (one as Error).message).join()).not.toContain('hush');
    expect(failures.map((one) => (one as Error).cause)).toEqual(failures.map(() => undefined));
    expect((failures[2] as Error).message).toMatch(/nothing/);
    expect((await database.query('select count(*) as n from things')).rows).toHaveLength(1);
  });

  it('of one transaction all count, or none', async () => {
    const database = await opened();
    await database.query('create table things (id int primary key, name varchar(10))');
    const result = await database.transaction(async (session) => {
      await session.query(insert, [1, 'one']);
      return session.query(insert, [2, 'two']);
    });
    expect(result.changed).toBe(1);
    const broken = database.transaction(async (session) => {
      await session.query(insert, [3, 'three']);
      await session.query(insert, [1, 'one again']);
    });
    expect(await failure(broken)).toMatchObject({ reason: 'unique' });
    const own = new Error('changed my mind');
    const undone = database.transaction(async (session) => {
      await session.query(insert, [4, 'four']);
      throw own;
    });
    expect(await failure(undone)).toBe(own);
    expect((await database.query('select id from things order by id')).rows).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('of a database apart come after what sets up its connections', async () => {
    const setup = dialect === 'postgres' ? [`set lock_timeout = 123`, 'set jit = off'] : [`set @one = 'a'`];
    const look =
      dialect === 'postgres'
        ? `select current_setting('lock_timeout') || current_setting('jit') as told`
        : 'select @one as told';
    const { databases } = await processWith(settings(dialect, await emptyDatabase(engineName)));
    const database = databases.apart(dialect, { connections: 2, waiting: 9, statementMs: 1000, setup });
    onTestFinished(() => database.close());
    await database.connect();
    const answers = await Promise.all([database.query(look), database.query(look)]);
    const told = dialect === 'postgres' ? '123msoff' : 'a';
    expect(answers.map(({ rows }) => rows)).toEqual([[{ told }], [{ told }]]);
  });

  it('of a transaction come after what sets it up', async () => {
    const database = await opened();
    const [setup, look, told] =
      dialect === 'postgres'
        ? [
            `set local lock_timeout = 123; set local application_name = 'bells'`,
            `select current_setting('lock_timeout') as one, current_setting('application_name') as two`,
            { one: '123ms', two: 'bells' },
          ]
        : [`set @one = 'a'; set @two = 'b'`, 'select @one as one, @two as two', { one: 'a', two: 'b' }];
    const { rows } = await database.transaction((session) => session.query(look), setup);
    expect(rows).toEqual([told]);
  });

  it('of a transaction that cannot be set up do nothing', async () => {
    const database = await opened();
    await database.query('create table things (id int primary key, name varchar(10))');
    const broken = 'set no such thing';
    const alone = await failure(database.query(broken));
    const refused = await failure(
      database.transaction(async (session) => {
        await Promise.all([session.query(insert, [1, 'one']), session.query(insert, [2, 'two'])]);
      }, broken),
    );
    expect(refused).toEqual(alone);
    expect((await database.query('select id from things')).rows).toEqual([]);
  });

  it('that are asked for at once run in their order, and none counts when one fails', async () => {
    const database = await opened();
    await database.query('create table things (id int primary key, name varchar(10))');
    const count = 'select count(*) as n from things';
    const counts = await database.transaction((session) =>
      Promise.all(
        [1, 2, 3].map(async (id) => {
          const [, { rows }] = await Promise.all([session.query(insert, [id, 'x']), session.query(count)]);
          return Number(rows[0]?.['n']);
        }),
      ),
    );
    expect(counts).toEqual([1, 2, 3]);
    const twice = database.transaction((session) =>
      Promise.all([4, 1, 5].map((id) => session.query(insert, [id, 'x']))),
    );
    expect(await failure(twice)).toMatchObject({ reason: 'unique' });
    expect(Number((await database.query(count)).rows[0]?.['n'])).toBe(3);
  });

  it('that are said to be the last count with the commit behind them, or nothing does', async () => {
    const database = await opened();
    await database.query('create table things (id int primary key, name varchar(10))');
    const ending = (ids: readonly number[]) =>
      database.transaction(async (session) => {
        const written = Promise.all(ids.map((id) => session.query(insert, [id, 'x'])));
        session.last();
        return (await written).length;
      });
    expect(await ending([1, 2])).toBe(2);
    expect(await failure(ending([3, 1, 4]))).toMatchObject({ reason: 'unique' });
    expect(await ending([])).toBe(0);
    const { rows } = await database.query('select id from things order by id');
    expect(rows).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('wait for a connection when there are more than connections', async () => {
    const url = await emptyDatabase(engineName);
    const name = `DATABASE_${dialect.toUpperCase()}_POOL_`;
    const database = await connected(dialect, url, [], { [`${name}MAX`]: '3', [`${name}MIN`]: '1' });
    const own = dialect === 'postgres' ? 'pg_backend_pid()' : 'connection_id()';
    const calls = Array.from({ length: 50 }, () => database.query(`select ${own} as id`));
    const ids = (await Promise.all(calls)).map(({ rows }) => String(rows[0]?.['id']));
    expect(new Set(ids).size).toBeLessThanOrEqual(3);
  });

  it('are refused beyond a thousand at a time', async () => {
    const database = await opened();
    const calls = await Promise.allSettled(Array.from({ length: 1010 }, () => database.query('select 1')));
    const refused = calls.flatMap((one) =>
      one.status === 'rejected' ? [one.reason as { reason?: string }] : [],
    );
    // A busy machine does not do all of the others in their time.
    expect(refused.filter(({ reason }) => reason === 'busy')).toHaveLength(10);
  });
});
