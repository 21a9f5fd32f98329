import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { engine } from '../src/index.js';
import { mariadbQuery } from '../src/wire/mariadb.js';

/** @param {string} path of a thread's or process's stat */
const stateOf = (path) => /\) (\w)/.exec(readFileSync(path, 'utf8'))?.[1];

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

  it.runIf(existsSync('/proc/self/task'))('stands still with every thread once it is paused', async () => {
    const own = await engine('mariadb', { own: true });
    const folder = `/proc/${own.nodes[0]?.pid}/task`;
    const states = () => readdirSync(folder).map((thread) => stateOf(`${folder}/${thread}/stat`));
    for (let round = 0; round < 20; round++) {
      // Somebody whom one of its threads serves at this moment.
      const served = mariadbQuery(own.url, 'select benchmark(200000, md5(1))');
      await own.pause();
      expect(new Set(states())).toEqual(new Set(['T']));
      await own.resume();
      await served;
    }
    await own.release();
  });
});
