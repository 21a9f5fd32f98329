import { randomUUID } from 'node:crypto';
import { engine } from '@carillon/test-backends';
import { describe, expect, it } from 'vitest';
import { redisScript, RedisUnavailable } from '../src/index.js';
import { openLink, to, toCluster } from './settings.js';

const APPEND = redisScript(`return redis.call('APPEND', KEYS[1], ARGV[1])`);

const keys = (): string[] => Array.from({ length: 20 }, () => randomUUID());

describe.each(['redis', 'redis-cluster'])('calls to %s', (name) => {
  const open = async () => {
    const { url } = await engine(name);
    return openLink({ target: name === 'redis' ? to(url) : toCluster(url) });
  };

  it('reach whoever holds the key, from the first one on and all at once', async () => {
    const { link, heard } = await open();
    const all = keys();
    await Promise.all(all.map((key) => link.call('set', key, key, 'px', 60_000)));
    expect(await Promise.all(all.map((key) => link.call('get', key)))).toEqual(all);
    expect(await link.health()).toBeNull();
    expect(await link.connected()).toBeNull();
    expect(heard).toEqual([]);
    link.close();
  });

  it('run scripts that a server does not know yet, and again when it forgot them', async () => {
    const { link } = await open();
    const all = keys();
    expect(await Promise.all(all.map((key) => link.run(APPEND, key, 'ab')))).toEqual(all.map(() => 2));
    for (const server of await link.masters()) await server('script', 'flush', 'sync');
    expect(await Promise.all(all.map((key) => link.run(APPEND, key, 'c')))).toEqual(all.map(() => 3));
    await Promise.all(all.map((key) => link.call('del', key)));
    link.close();
  });

  it('reject with what the server refused', async () => {
    const { link } = await open();
    const key = randomUUID();
    await link.call('set', key, 'text', 'px', 60_000);
    const failure: unknown = await link.call('incr', key).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(RedisUnavailable);
    expect(failure).toMatchObject({ failure: 'refused', message: /not an integer/ });
    link.close();
  });

  it('reject once the link is closed, also those under way', async () => {
    const { link } = await open();
    const early = link.call('get', 'a').catch((thrown: unknown) => thrown);
    link.close();
    link.close();
    expect(await early).toBeInstanceOf(RedisUnavailable);
    await expect(link.call('get', 'a')).rejects.toMatchObject({ failure: 'closed' });
    await expect(link.masters()).rejects.toMatchObject({ failure: 'closed' });
    expect(await link.health()).toBe('the connection is closed');
  });
});
