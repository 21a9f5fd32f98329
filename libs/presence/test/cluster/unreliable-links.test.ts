import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { brief, LOBBY } from '../samples.js';
import { act, deeds, NODES, USERS } from './deeds.js';
import { faultyLink, type Fault } from './faulty-link.js';
import { Cluster, NODE_LEASE_MS, type Node } from './nodes.js';

const someFaults = fc.array(
  fc.constantFrom<(Fault | undefined)[]>(undefined, undefined, undefined, 'answer', 'call', 'delay'),
  { maxLength: 60, size: 'max' },
);

describe('links that lose calls and answers', () => {
  it('never make what was told differ from who is there in the end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(deeds, { minLength: 5, maxLength: 20, size: 'max' }),
        someFaults,
        async (all, faults) => {
          const left = [...faults];
          const delayed: (() => Promise<unknown>)[] = [];
          const cluster = new Cluster('redis');
          const nodes: Node[] = [];
          const told: string[] = [];
          for (let at = 0; at < NODES; at += 1) {
            const node = await cluster.open({
              wrap: (link) =>
                faultyLink(link, {
                  fault: () => left.shift(),
                  losesRecalls: true,
                  onDelayed: (call) => delayed.push(call),
                }),
            });
            node.presence.observe((change) => told.push(brief(change)));
            nodes.push(node);
          }
          try {
            const over = { isTrue: false };
            const acting = Promise.all(
              all.map(async (one, n) => {
                const node = nodes[one.node];
                return node !== undefined && (await act(node, one, `${one.node}.${n}`)) ? one.user : null;
              }),
            ).finally(() => (over.isTrue = true));
            while (!over.isTrue) await cluster.pass(1000);
            const there = new Set((await acting).filter((user) => user !== null));
            await cluster.pass(60_000);
            for (const call of delayed) await call().catch(() => 'refused');
            await cluster.pass(NODE_LEASE_MS);
            for (const { presence } of nodes) {
              expect(await presence.present(LOBBY, USERS)).toEqual(there);
            }
            for (const user of USERS) {
              const times = (sign: string) => told.filter((text) => text === `${sign}${user}`).length;
              expect([user, times('+') - times('-')]).toEqual([user, there.has(user) ? 1 : 0]);
            }
            const counted = nodes.flatMap((node) => node.counted.map(({ kind }) => kind));
            const times = (kind: string) => counted.filter((one) => one === kind).length;
            const [news = 0] = (await nodes[0]?.counts.counts('shop', ['news'])) ?? [];
            expect(times('occupied') - times('vacated')).toBe(news > 0 ? 1 : 0);
          } finally {
            await cluster.close();
          }
        },
      ),
      { numRuns: 100 },
    );
  }, 120_000);
});
