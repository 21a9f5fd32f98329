import { expect, it } from 'vitest';
import { connected, emptyDatabase, failure } from './scene.js';

// In other dialects a failed statement keeps the effects of others, and a commit keeps them.
it.each([false, true])(
  'a failure that nobody told of is told by the commit (sent early: %s)',
  async (early) => {
    const one = { DATABASE_POSTGRES_POOL_MAX: '1', DATABASE_POSTGRES_POOL_MIN: '1' };
    const database = await connected('postgres', await emptyDatabase('postgres'), [], one);
    const connection = async () => (await database.query('select pg_backend_pid() as pid')).rows;
    const before = await connection();
    await database.query('create table things (id int primary key)');
    const swallowing = database.transaction(async (session) => {
      await session.query('insert into things values (1)');
      const failed = session.query('insert into things values (1)').catch(() => 'swallowed');
      if (early) session.last();
      return failed;
    });
    expect(await failure(swallowing)).toMatchObject({ name: 'DatabaseRejected', reason: 'conflict' });
    expect((await database.query('select id from things')).rows).toEqual([]);
    expect(await connection()).toEqual(before);
  },
);
