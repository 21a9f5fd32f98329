import { describe, expect, it } from 'vitest';
import { engine } from '../src/index.js';
import { eventually } from '../src/pause.js';
import { redisCommand } from '../src/wire/redis.js';

/** @param {string} url @param {string} role */
async function portsOf(url, role) {
  const lines = String(await redisCommand(url, 'CLUSTER', 'NODES'))
    .trim()
    .split('\n');
  return lines
    .filter((line) => (line.split(' ')[2] ?? '').split(',').includes(role) && !line.includes('fail'))
    .map((line) => Number(/:(\d+)@/.exec(line)?.[1]));
}

describe('redis-cluster', () => {
  it('serves every slot from three masters with a replica each', async () => {
    const { urls } = await engine('redis-cluster');
    expect(urls).toHaveLength(6);
    const [url = ''] = urls;
    const info = String(await redisCommand(url, 'CLUSTER', 'INFO'));
    expect(info).toContain('cluster_state:ok');
    expect(info).toContain('cluster_slots_assigned:16384');
    expect(await portsOf(url, 'master')).toHaveLength(3);
    expect(await portsOf(url, 'slave')).toHaveLength(3);
  });

  it('lets a replica take over from a killed master, which comes back as a replica', async () => {
    const own = await engine('redis-cluster', { own: true });
    const [first, , third = ''] = own.nodes.map(({ port }) => `redis://127.0.0.1:${port}`);
    const lost = own.port;
    expect(first).toContain(String(lost));
    await own.kill('master-1');
    await eventually(
      async () => {
        const masters = await portsOf(third, 'master');
        if (masters.length < 3 || masters.includes(lost)) throw new Error('not taken over');
        await own.ready();
      },
      { limitMs: 25_000 },
    );
    await own.restart('master-1');
    await eventually(async () => expect(await portsOf(third, 'slave')).toContain(lost), { limitMs: 10_000 });
    await own.release();
  }, 60_000);
});
