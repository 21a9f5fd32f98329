import { describe, expect, it } from 'vitest';
import { engine } from '../src/index.js';
import { postgresQuery } from '../src/wire/postgres.js';

describe('postgres', () => {
  it('answers statements after a log-in with a password', async () => {
    const { url } = await engine('postgres');
    expect(await postgresQuery(url, 'select n * 2 from generate_series(1, 3) n')).toEqual(['2', '4', '6']);
  });

  it('refuses a wrong password', async () => {
    const { url } = await engine('postgres');
    const wrong = new URL(url);
    wrong.password = 'wrong';
    await expect(postgresQuery(wrong.href, 'select 1')).rejects.toThrow('password authentication failed');
  });

  it('gives every test file a database of its own, and takes it back', async () => {
    const database = await engine('postgres');
    const [one, two] = await Promise.all([database.isolate(), database.isolate()]);
    await postgresQuery(one.url, 'create table bells (name text)');
    await expect(postgresQuery(two.url, 'select name from bells')).rejects.toThrow('does not exist');
    await Promise.all([one.end(), two.end()]);
    await expect(postgresQuery(one.url, 'select 1')).rejects.toThrow('does not exist');
  });

  it('keeps what was committed through a kill when asked to be durable', async () => {
    const own = await engine('postgres', { own: true, durable: true });
    expect(await postgresQuery(own.url, 'show fsync')).toEqual(['on']);
    await postgresQuery(own.url, "create table bells as select 'tenor' as name");
    await own.kill();
    await expect(own.ready()).rejects.toThrow('ECONNREFUSED');
    await own.restart();
    expect(await postgresQuery(own.url, 'select name from bells')).toEqual(['tenor']);
    await own.release();
  });
});
