import { describe, expect, it } from 'vitest';
import { engine } from '../src/index.js';
import { cassandraQuery } from '../src/wire/cassandra.js';

/** A node takes some ten seconds to start. */
const START_LIMIT_MS = 120_000;

describe('cassandra', { timeout: START_LIMIT_MS }, () => {
  it('answers statements after a log-in with a password, and names its version', async () => {
    const { url, origin } = await engine('cassandra');
    const [[version = '', partitioner = ''] = []] = await cassandraQuery(
      url,
      'select release_version, partitioner from system.local',
    );
    process.stdout.write(`cassandra ${version} (${origin})\n`);
    expect(version).toMatch(/^\d+\.\d+/);
    expect(partitioner).toMatch(/Murmur3Partitioner$/);
  });

  it('refuses a wrong password', async () => {
    const { url } = await engine('cassandra');
    const wrong = new URL(url);
    wrong.password = 'wrong';
    await expect(cassandraQuery(wrong.href, 'select key from system.local')).rejects.toThrow('incorrect');
  });

  it('gives every test file a keyspace of its own, and drops it', async () => {
    const node = await engine('cassandra');
    const { name, end } = await node.isolate();
    await cassandraQuery(node.url, `create table ${name}.bells (name text primary key, tone text)`);
    const insert = `insert into ${name}.bells (name, tone) values ('tenor', 'c') if not exists`;
    await cassandraQuery(node.url, insert);
    expect(await cassandraQuery(node.url, `select name, tone from ${name}.bells`)).toEqual([['tenor', 'c']]);
    await end();
    await expect(cassandraQuery(node.url, `select name from ${name}.bells`)).rejects.toThrow(
      'does not exist',
    );
  });

  it('keeps acknowledged writes over a kill', async () => {
    const own = await engine('cassandra', { own: true });
    const { name } = await own.isolate();
    await cassandraQuery(own.url, `create table ${name}.bells (name text primary key)`);
    await cassandraQuery(own.url, `insert into ${name}.bells (name) values ('tenor')`);
    await own.kill();
    await own.restart();
    expect(await cassandraQuery(own.url, `select name from ${name}.bells`)).toEqual([['tenor']]);
    await own.release();
  });
});
