import { engine } from '@carillon/test-backends';
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openPorts } from '../../src/drivers.js';
import { configuration } from '@carillon/testing';
import { as, brief, LOBBY } from '../samples.js';
import { silentLog } from './silent-log.js';

it('a process that is killed leaves nothing behind when its lease is over', async () => {
  const env = {
    ENVIRONMENT: 'development',
    ADAPTER_DRIVER: 'redis',
    CACHE_DRIVER: 'redis',
    REDIS_URL: (await engine('redis')).url,
    DATABASE_REDIS_KEY_PREFIX: `t-${randomUUID()}:`,
    CLUSTER_HEALTH_HEARTBEAT_INTERVAL: '300',
    CLUSTER_HEALTH_NODE_TIMEOUT: '1000',
    CLUSTER_HEALTH_CLEANUP_INTERVAL: '300',
  };
  const { presence, channelCounts, connect } = await openPorts(configuration(env), silentLog());
  onTestFinished(() => presence.close());
  await connect?.();
  const told: string[] = [];
  presence.observe((change) => told.push(brief(change)));
  channelCounts.observe(({ kind, channel }) => told.push(`${channel} ${kind}`));
  const victim = fork(new URL('victim.js', import.meta.url), { env: { PATH: process.env['PATH'], ...env } });
  onTestFinished(() => {
    victim.kill('SIGKILL');
  });
  await once(victim, 'message');
  await presence.join(as('bo', '1.1'), Infinity);
  expect(await presence.members(LOBBY)).toMatchObject([{ userId: 'ada' }, { userId: 'bo' }]);
  // Its lease is renewed as long as it lives.
  await sleep(2500);
  expect(await presence.memberCounts(LOBBY.appId, [LOBBY.channel])).toEqual([2]);
  victim.kill('SIGKILL');
  while (told.length < 2) await sleep(20);
  expect(told.sort()).toEqual(['-ada', 'news vacated']);
  expect(await presence.members(LOBBY)).toMatchObject([{ userId: 'bo' }]);
  expect(await channelCounts.occupied(LOBBY.appId, '')).toEqual(new Map());
});
