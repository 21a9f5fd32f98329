import * as fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LOBBY } from '../samples.js';
import { act, deeds, NODES, USERS } from './deeds.js';
import { ForgetfulStore } from './forgetful-store.js';
import { Cluster, NODE_LEASE_MS, type Node } from './nodes.js';
import { openStoreLink } from './store-link.js';

/** Time after which every process has written its holdings again and unowned ones are removed. */
const LONG_MS = NODE_LEASE_MS + 20_000;

/** When the store loses everything, and how much later each process notices. */
const losses = fc.array(
  fc.record({
    afterMs: fc.nat({ max: 4 }),
    noticedMs: fc.array(fc.nat({ max: 3 }), { minLength: NODES, maxLength: NODES }),
  }),
  { maxLength: 4 },
);

describe('a store that loses everything while much is going on', () => {
  it('has in the end whoever is there, and nobody else', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(deeds, { minLength: 5, maxLength: 20, size: 'max' }),
        losses,
        async (all, lost) => {
          const cluster = new Cluster('redis');
          const store = new ForgetfulStore(await openStoreLink('redis'), cluster.prefix);
          const nodes: Node[] = [];
          for (let at = 0; at < NODES; at += 1) {
            nodes.push(await cluster.open({ wrap: (link) => store.seenBy(link) }));
          }
          const lose = async (): Promise<void> => {
            for (const { afterMs, noticedMs } of lost) {
              await sleep(afterMs);
              await store.lose();
              await Promise.all(
                nodes.map(async ({ ledger }, at) => {
                  await sleep(noticedMs[at]);
                  ledger.restored();
                }),
              );
            }
          };
          try {
            const over = { isTrue: false };
            const acting = Promise.all([
              lose(),
              ...all.map(async (one, n) => {
                const node = nodes[one.node];
                return node !== undefined && (await act(node, one, `${one.node}.${n}`)) ? one.user : null;
              }),
            ]).finally(() => (over.isTrue = true));
            while (!over.isTrue) await cluster.pass(1000);
            const there = new Set((await acting).filter((user) => typeof user === 'string'));
            await cluster.pass(2 * LONG_MS);
            for (const { presence } of nodes) {
              expect(await presence.present(LOBBY, USERS)).toEqual(there);
              expect(presence.leases).toBe(0);
            }
          } finally {
            await cluster.close();
            await store.close();
          }
        },
      ),
      { numRuns: 60 },
    );
  }, 120_000);
});
