import { describe, expect, it } from 'vitest';
import { connected, emptyDatabase, ENGINES, failure, processWith, settings } from './scene.js';

describe.each(ENGINES)('closing a %s database', (dialect, engineName) => {
  it('is idempotent, and nothing may follow', async () => {
    const database = await connected(dialect, await emptyDatabase(engineName));
    await database.close();
    await database.close();
    for (const call of [
      () => database.query('select 1'),
      () => database.connect(),
      () => database.health(),
    ]) {
      expect(await failure(call())).toMatchObject({ reason: 'closed' });
    }
  });

  it('lets what runs end, but cuts off what takes too long', async () => {
    const database = await connected(dialect, await emptyDatabase(engineName));
    const sleep = (seconds: number) =>
      database.query(dialect === 'postgres' ? `select pg_sleep(${seconds})` : `select sleep(${seconds})`);
    const quick = sleep(0.5);
    const slow = failure(sleep(4.5));
    // Both are under way when another call, which came after them, is done.
    await database.query('select 1');
    await database.close();
    expect((await quick).rows).toHaveLength(1);
    expect(await slow).toMatchObject({ name: 'DatabaseUnavailable' });
  });

  it('says that it is not connected before it is', async () => {
    const { databases } = await processWith(settings(dialect, await emptyDatabase(engineName)));
    const database = databases.use(dialect);
    expect(await failure(database.query('select 1'))).toMatchObject({ reason: 'lost' });
    await database.close();
  });
});
