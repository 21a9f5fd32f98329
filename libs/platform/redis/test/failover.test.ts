import { randomUUID } from 'node:crypto';
import { engine } from '@carillon/test-backends';
import { describe, expect, it, vi } from 'vitest';
import { openRedisLink, redisTarget } from '../src/index.js';
import { openLink, REDIS, redisSettings, toCluster } from './settings.js';

const TAKEOVER = { timeout: 30_000, interval: 200 };

describe('a master that dies', () => {
  it('is replaced by the one the sentinels name', async () => {
    const sentinels = await engine('redis-sentinel', { own: true });
    const rows = sentinels.urls.map((url: string) => {
      const { hostname, port } = new URL(url);
      return `[[database.redis.sentinels]]\nhost = "${hostname}"\nport = ${port}\n`;
    });
    const { link } = await openLink({ target: redisTarget(redisSettings({}, rows.join('')), REDIS) });
    expect(await link.call('set', 'before', '1')).toBe('OK');
    expect(await link.call('wait', 1, 5000)).toBe(1);
    await sentinels.kill('master');
    await expect(link.call('set', 'after', '1')).rejects.toMatchObject({ failure: 'lost' });
    await vi.waitFor(async () => expect(await link.call('set', 'after', '1')).toBe('OK'), TAKEOVER);
    expect(await link.call('get', 'before')).toBe('1');
    link.close();
    await sentinels.release();
  }, 90_000);

  it('is replaced by its replica in a cluster, while the others go on', async () => {
    const cluster = await engine('redis-cluster', { own: true });
    let moves = 0;
    const listener = { lost: () => {}, restored: () => {}, moved: () => (moves += 1) };
    const link = await openRedisLink({ target: toCluster(cluster.url), listener });
    const keys = Array.from({ length: 30 }, () => randomUUID());
    const write = () => Promise.allSettled(keys.map((key) => link.call('set', key, '1')));
    const generation = link.generation;
    const written = async () => (await write()).filter(({ status }) => status === 'fulfilled').length;
    expect(await written()).toBe(keys.length);
    expect(moves).toBe(0);
    await cluster.kill('master-1');
    const during = await written();
    expect(during).toBeGreaterThan(0);
    expect(during).toBeLessThan(keys.length);
    await vi.waitFor(async () => expect(await written()).toBe(keys.length), TAKEOVER);
    expect(link.generation).toBeGreaterThan(generation);
    expect(moves).toBeGreaterThan(0);
    expect(await link.health()).toBeNull();
    link.close();
    await cluster.release();
  }, 90_000);

  it('comes back with a whole cluster that was dead', async () => {
    const cluster = await engine('redis-cluster', { own: true });
    const { link, heard } = await openLink({ target: toCluster(cluster.url) });
    await link.call('set', 'a', '1');
    await cluster.kill();
    await vi.waitFor(async () => {
      await link.call('get', 'a').catch(() => undefined);
      expect(heard).toEqual(['lost']);
    }, TAKEOVER);
    expect(await link.health()).toMatch(/not connected/);
    await cluster.restart();
    await vi.waitFor(async () => expect(await link.health()).toBeNull(), TAKEOVER);
    expect(await link.call('set', 'a', '2')).toBe('OK');
    expect(heard).toEqual(['lost', 'restored']);
    link.close();
    await cluster.release();
  }, 90_000);
});
