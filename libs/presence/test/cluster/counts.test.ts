import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MemoryChannelCounts, MemoryConnectionQuota } from '../../src/drivers/memory/memory-counts.js';
import type { ChannelCountChange } from '../../src/index.js';
import { Cluster, NODE_LEASE_MS, type Node } from './nodes.js';

const LONG_MS = NODE_LEASE_MS + 5000;
const line = ({ kind, channel, count }: ChannelCountChange): string => `${channel} ${kind} ${count}`;

async function scene(count: number, driver: 'redis' | 'redis-cluster' = 'redis') {
  const cluster = new Cluster(driver);
  onTestFinished(() => cluster.close());
  const nodes: Node[] = [];
  for (let at = 0; at < count; at += 1) nodes.push(await cluster.open());
  const [one, two = one] = nodes;
  if (one === undefined || two === undefined) throw new Error('no nodes');
  const told = (): string[] => nodes.flatMap(({ counted }) => counted.splice(0).map(line));
  return { cluster, nodes, one, two, told };
}

for (const driver of ['redis', 'redis-cluster'] as const) {
  describe(`subscriptions over ${driver}`, () => {
    it('are those of all processes; the first and the last are told once', async () => {
      const { one, two, told } = await scene(2, driver);
      expect(await one.counts.set('shop', 'news', 2)).toBe(2);
      expect(await two.counts.set('shop', 'news', 3)).toBe(5);
      expect(await two.counts.set('shop', 'weather:eu', 1)).toBe(1);
      expect(told()).toEqual(['news occupied 2', 'news counted 5', 'weather:eu occupied 1']);
      expect(await one.counts.counts('shop', ['news', 'nowhere', 'weather:eu'])).toEqual([5, 0, 1]);
      const looked = await one.counts.look('shop', ['news', 'nowhere', 'weather:eu']);
      expect(looked.map(({ count }) => count)).toEqual([5, 0, 1]);
      const later = await two.counts.look('shop', ['news']);
      expect(later[0]?.serial).toBeGreaterThan(looked[0]?.serial ?? Infinity);
      expect(await two.counts.occupied('shop', '')).toEqual(
        new Map([
          ['news', 5],
          ['weather:eu', 1],
        ]),
      );
      expect(await one.counts.occupied('shop', 'wea')).toEqual(new Map([['weather:eu', 1]]));
      expect(await one.counts.occupied('blog', '')).toEqual(new Map());
      await one.counts.set('shop', 'news', 0);
      await two.counts.set('shop', 'news', 0);
      expect(told()).toEqual(['news counted 3', 'news vacated 0']);
      expect(await one.counts.occupied('shop', '')).toEqual(new Map([['weather:eu', 1]]));
    });

    it('of a dead process go with its lease', async () => {
      const { cluster, one, two, told } = await scene(2, driver);
      await one.counts.set('shop', 'news', 2);
      await one.counts.set('shop', 'weather', 1);
      await two.counts.set('shop', 'news', 3);
      told();
      one.kill();
      await cluster.pass(LONG_MS);
      expect(told().sort()).toEqual(['news counted 3', 'weather vacated 0']);
      expect(await two.counts.occupied('shop', '')).toEqual(new Map([['news', 3]]));
    });
  });

  describe(`connections over ${driver}`, () => {
    it('are let in as many as there are places, wherever they come at the same time', async () => {
      const { nodes, one } = await scene(3, driver);
      const arrivals = nodes.flatMap(({ quota }) => Array.from({ length: 20 }, () => quota.take('shop', 25)));
      const letIn = (await Promise.all(arrivals)).filter((isLetIn) => isLetIn);
      expect(letIn).toHaveLength(25);
      expect(await one.quota.take('shop', 25)).toBe(false);
      expect(await one.quota.take('blog', 1)).toBe(true);
    });
  });
}

describe('subscriptions', () => {
  it('that change faster than the store answers are told as they are in the end', async () => {
    const { one, two, told } = await scene(2);
    const totals = await Promise.all([1, 2, 3, 1, 4].map((n) => one.counts.set('shop', 'news', n)));
    expect(totals).toEqual([4, 4, 4, 4, 4]);
    expect(told()).toEqual(['news occupied 4']);
    expect(await two.counts.counts('shop', ['news'])).toEqual([4]);
  });

  it('of a channel that somebody came to and left before the store answered are told', async () => {
    const { one, two, told } = await scene(2);
    const totals = await Promise.all([1, 0, 2, 1, 0, 1, 0].map((n) => one.counts.set('shop', 'news', n)));
    expect(totals).toEqual([1, 0, 0, 0, 0, 0, 0]);
    expect(told()).toEqual(['news occupied 1', 'news vacated 0']);
    await Promise.all([1, 0, 2].map((n) => two.counts.set('shop', 'news', n)));
    expect(told()).toEqual(['news occupied 1', 'news counted 2']);
  });

  it('change from none and to none once, whatever processes do at the same time', async () => {
    const change = fc.record({ node: fc.nat({ max: 2 }), count: fc.nat({ max: 2 }) });
    const { nodes, one, told } = await scene(3);
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 30 }), async (changes) => {
        const channel = `c${round++}`;
        await Promise.all(
          changes.map(async ({ node, count }) => nodes[node]?.counts.set('shop', channel, count)),
        );
        const last = [0, 1, 2].map((node) => changes.findLast((one) => one.node === node)?.count ?? 0);
        const total = last.reduce((sum, count) => sum + count, 0);
        expect(await one.counts.counts('shop', [channel])).toEqual([total]);
        const lines = told();
        const times = (kind: string) => lines.filter((text) => text.includes(` ${kind} `)).length;
        expect(times('occupied') - times('vacated')).toBe(total > 0 ? 1 : 0);
      }),
      { numRuns: 40 },
    );
  });
});

describe('connections', () => {
  it('give their places back, and those of a dead process with its lease', async () => {
    const { cluster, one, two } = await scene(2);
    expect([await one.quota.take('shop', 2), await two.quota.take('shop', 2)]).toEqual([true, true]);
    expect(await two.quota.take('shop', 2)).toBe(false);
    two.quota.release('shop');
    await cluster.settle();
    expect(await one.quota.take('shop', 2)).toBe(true);
    one.kill();
    expect(await two.quota.take('shop', 2)).toBe(false);
    await cluster.pass(LONG_MS);
    expect(await two.quota.take('shop', 2)).toBe(true);
    expect(await two.quota.take('shop', 2)).toBe(true);
    expect(await two.quota.take('shop', 2)).toBe(false);
  });

  it('that are there stay counted when the limit falls, and Infinity is none', async () => {
    const { one, two } = await scene(2);
    for (let n = 0; n < 5; n += 1) expect(await one.quota.take('shop', Infinity)).toBe(true);
    expect(await two.quota.take('shop', 3)).toBe(false);
    expect(await one.quota.take('shop', 3)).toBe(false);
    expect(await two.quota.take('shop', 6)).toBe(true);
  });

  it('that were never there give nothing back', async () => {
    const { cluster, one } = await scene(1);
    one.quota.release('shop');
    await cluster.settle();
    expect(await one.quota.take('shop', 1)).toBe(true);
    expect(await one.quota.take('shop', 1)).toBe(false);
  });
});

describe('a process that is alone', () => {
  it('counts its own subscriptions', async () => {
    const faults: unknown[] = [];
    const counts = new MemoryChannelCounts((error) => faults.push(error));
    const told: string[] = [];
    counts.observe((change) => {
      told.push(line(change));
      if (change.count === 7) throw new Error('broken');
    });
    for (const n of [2, 2, 7, 0, 0]) expect(await counts.set('shop', 'news', n)).toBe(n);
    await counts.set('shop', 'weather', 1);
    expect(told).toEqual(['news occupied 2', 'news counted 7', 'news vacated 0', 'weather occupied 1']);
    expect(faults).toHaveLength(1);
    expect(await counts.counts('shop', ['news', 'weather'])).toEqual([0, 1]);
    expect(await counts.occupied('shop', 'w')).toEqual(new Map([['weather', 1]]));
    expect(await counts.occupied('blog', '')).toEqual(new Map());
  });

  it('counts its own connections', async () => {
    const quota = new MemoryConnectionQuota();
    expect([await quota.take('a', 2), await quota.take('a', 2), await quota.take('a', 2)]).toEqual([
      true,
      true,
      false,
    ]);
    quota.release('a');
    expect([await quota.take('b', 1), await quota.take('a', 2), await quota.take('a', 2)]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
