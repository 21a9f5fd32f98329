import { describe, expect, it } from 'vitest';
import { databaseTarget } from '../src/target.js';
import { processWith } from './scene.js';

const poolOf = async (env: Record<string, string>) =>
  databaseTarget((await processWith(env)).parts.config, 'postgres', 'carillon 1').pool;

describe('the way to a database', () => {
  it('is that of the defaults when nothing is set', async () => {
    const { config } = (await processWith({})).parts;
    const { password: _, ...postgres } = databaseTarget(config, 'postgres', 'carillon 1');
    expect(postgres).toEqual({
      dialect: 'postgres',
      host: 'localhost',
      port: 5432,
      username: 'postgres',
      database: 'service',
      pool: { min: 2, max: 10 },
      client: 'carillon 1',
    });
    expect(databaseTarget(config, 'mysql', 'carillon 1')).toMatchObject({ port: 3306, username: 'root' });
  });

  it('has the bounds of the pool from the database, else from the pooling', async () => {
    expect(await poolOf({ DATABASE_POOL_MIN: '3', DATABASE_POOL_MAX: '7' })).toEqual({ min: 3, max: 7 });
    expect(await poolOf({ DATABASE_POOL_MAX: '7', DATABASE_POSTGRES_POOL_MAX: '4' })).toEqual({
      min: 2,
      max: 4,
    });
  });

  it('has one bound without pooling', async () => {
    const env = { DATABASE_POOLING_ENABLED: 'false', DATABASE_CONNECTION_POOL_SIZE: '6' };
    expect(await poolOf(env)).toEqual({ min: 0, max: 6 });
  });

  it('does not print the password', async () => {
    const { config } = (await processWith({ DATABASE_POSTGRES_PASSWORD: 'hush' })).parts;
    expect(JSON.stringify(databaseTarget(config, 'postgres', 'carillon 1'))).not.toContain('hush');
  });
});
