import { describe, expect, it } from 'vitest';
import { engine } from '../src/index.js';
import { mariadbQuery } from '../src/wire/mariadb.js';

describe('mariadb', () => {
  it('answers statements after a log-in with a password', async () => {
    const { url } = await engine('mariadb');
    expect(await mariadbQuery(url, 'select 2 union select 4')).toEqual(['2', '4']);
  });

  it('refuses a wrong password', async () => {
    const { url } = await engine('mariadb');
    const wrong = new URL(url);
    wrong.password = 'wrong';
    await expect(mariadbQuery(wrong.href, 'select 1')).rejects.toThrow('Access denied');
  });

  it('gives every test file a database of its own, and takes it back', async () => {
    const database = await engine('mariadb');
    const [one, two] = await Promise.all([database.isolate(), database.isolate()]);
    await mariadbQuery(one.url, 'create table bells (name text)');
    await expect(mariadbQuery(two.url, 'select name from bells')).rejects.toThrow("doesn't exist");
    await Promise.all([one.end(), two.end()]);
    await expect(mariadbQuery(one.url, 'select 1')).rejects.toThrow('Unknown database');
  });
});
