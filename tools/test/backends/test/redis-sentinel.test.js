import { describe, expect, it } from 'vitest';
import { engine, SENTINEL_MASTER } from '../src/index.js';
import { eventually } from '../src/pause.js';
import { redisCommand } from '../src/wire/redis.js';

/** @param {string} url */
async function masterPort(url) {
  const reply = await redisCommand(url, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', SENTINEL_MASTER);
  return Array.isArray(reply) ? Number(reply[1]) : null;
}

describe('redis-sentinel', () => {
  it('names the master at every sentinel', async () => {
    const { urls } = await engine('redis-sentinel');
    expect(urls).toHaveLength(3);
    const ports = await Promise.all(urls.map(masterPort));
    expect(new Set(ports).size).toBe(1);
    expect(await redisCommand(`redis://127.0.0.1:${ports[0]}`, 'ROLE')).toContain('master');
  });

  it('promotes the replica when the master is killed', async () => {
    const own = await engine('redis-sentinel', { own: true });
    const replica = own.nodes.find(({ name }) => name === 'replica')?.port;
    await own.kill('master');
    await eventually(async () => expect(await masterPort(own.urls[0] ?? '')).toBe(replica), {
      limitMs: 25_000,
    });
    expect(await redisCommand(`redis://127.0.0.1:${replica}`, 'SET', 'bell', 'tenor')).toBe('OK');
    await own.release();
  }, 60_000);
});
