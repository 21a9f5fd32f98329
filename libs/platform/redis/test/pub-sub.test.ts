import { randomUUID } from 'node:crypto';
import { engine, type EngineHandle } from '@carillon/test-backends';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openRedisPubSub, redisTarget, type RedisTarget } from '../src/index.js';
import { openLink, REDIS, redisSettings, to, toCluster } from './settings.js';

const SOON = { timeout: 20_000 };

async function session(target: RedisTarget, sharded = false) {
  const told: string[] = [];
  const lost: string[] = [];
  const listener = {
    message: (channel: string, bytes: Uint8Array) => told.push(`${channel} ${Buffer.from(bytes).toString()}`),
    lost: (reason: string) => lost.push(reason),
  };
  const pubSub = await openRedisPubSub({ publishTo: target, subscribeTo: target, sharded, listener });
  onTestFinished(() => pubSub.close());
  return { pubSub, told, lost };
}

describe.each([
  ['redis', false],
  ['redis-cluster', false],
  ['redis-cluster', true],
] as const)('publishing over %s, sharded: %s', (name, sharded) => {
  const target = async () => {
    const { url } = await engine(name);
    return name === 'redis' ? to(url) : toCluster(url);
  };

  it('reaches whoever has subscribed, and nobody else', async () => {
    const [one, two] = [await session(await target(), sharded), await session(await target(), sharded)];
    const channels = Array.from({ length: 20 }, () => randomUUID());
    expect(await two.pubSub.subscribe(channels)).toEqual([]);
    const [gone = '', ...rest] = channels;
    await two.pubSub.unsubscribe([gone]);
    for (const channel of channels) await one.pubSub.publish(channel, 'é');
    await vi.waitFor(
      () => expect(two.told.sort()).toEqual(rest.map((channel) => `${channel} é`).sort()),
      SOON,
    );
    await two.pubSub.check();
    expect([one.told, one.lost, two.lost]).toEqual([[], [], []]);
  });

  it('goes to the owner of the slot alone when it is sharded', async () => {
    const { pubSub } = await session(await target(), sharded);
    const channel = randomUUID();
    await pubSub.subscribe([channel]);
    const { link } = await openLink({ target: await target() });
    const asked = await Promise.all(
      (await link.masters()).map((server) => server('pubsub', 'shardnumsub', channel)),
    );
    const subscribers = asked.map((answer) => (answer as [string, number])[1]).sort();
    expect(subscribers.reduce((sum, count) => sum + count, 0)).toBe(sharded ? 1 : 0);
    link.close();
  });
});

describe('a session', () => {
  it('is lost with its server, once', async () => {
    const redis = await engine('redis', { own: true });
    onTestFinished(() => redis.release());
    const { pubSub, lost } = await session(to(redis.url));
    await redis.kill();
    await vi.waitFor(() => expect(lost).toHaveLength(1), SOON);
    await expect(pubSub.publish('a', 'b')).rejects.toMatchObject({ failure: 'lost' });
    await expect(session(to(redis.url))).rejects.toThrow(/ECONNREFUSED/);
    expect(lost).toHaveLength(1);
  });

  it('refuses what the server refuses, channel by channel', async () => {
    const redis = await engine('redis', { own: true });
    onTestFinished(() => redis.release());
    const { link } = await openLink({ target: to(redis.url) });
    await link.call('acl', 'setuser', 'guest', 'on', '>word', '+@all', 'resetchannels', '&mine');
    link.close();
    const { pubSub, told } = await session(to(redis.url.replace('://', '://guest:word@')));
    expect(await pubSub.subscribe(['mine', 'yours'])).toEqual(['yours']);
    await expect(pubSub.publish('yours', 'x')).rejects.toMatchObject({ failure: 'refused' });
    await pubSub.publish('mine', 'x');
    await vi.waitFor(() => expect(told).toEqual(['mine x']), SOON);
  });
});

function sentinelTarget({ urls }: EngineHandle): RedisTarget {
  const rows = urls.map((url: string) => {
    const { hostname, port } = new URL(url);
    return `[[database.redis.sentinels]]\nhost = "${hostname}"\nport = ${port}\n`;
  });
  return redisTarget(redisSettings({}, rows.join('')), REDIS);
}

describe('sentinels', () => {
  let engines: EngineHandle;
  beforeAll(async () => {
    engines = await engine('redis-sentinel', { own: true });
  });
  afterAll(() => engines.release());

  it('lead to the new master after a fail-over', async () => {
    const target = sentinelTarget(engines);
    const before = await session(target);
    await before.pubSub.subscribe(['a']);
    await engines.kill('master');
    await vi.waitFor(() => expect(before.lost).toHaveLength(1), SOON);
    await vi.waitFor(async () => {
      const after = await session(target);
      await after.pubSub.check();
      await after.pubSub.subscribe(['a']);
      await after.pubSub.publish('a', 'x');
      await vi.waitFor(() => expect(after.told).toEqual(['a x']));
    }, SOON);
  });
});
