import { MemoryCache } from '@carillon/cache';
import type { BrokerOutage } from '@carillon/broker';
import { expect, it, onTestFinished } from 'vitest';
import { Outages } from '../../src/leave/outages.js';

/** A node without its broker; nodes that share a store are one installation. */
function lost(store: MemoryCache | null, nodeId: string, peers: readonly string[], hostAnswers = true) {
  const outage: BrokerOutage = { nodeId, peers: () => peers, hostAnswers: async () => hostAnswers };
  const outages = new Outages(store);
  onTestFinished(() => outages.end());
  return { begin: () => outages.begin(outage), isForAll: () => outages.isForAll(outage) };
}

function newStore(): MemoryCache {
  const store = new MemoryCache({ capacity: 100, defaultTtlMs: 0, cleanupIntervalMs: 60_000 });
  onTestFinished(() => store.close());
  return store;
}

it('an outage is of one node while another node is not marked, whatever the broker answers', async () => {
  const store = newStore();
  for (const hostAnswers of [true, false]) {
    const first = lost(store, 'a', ['b', 'c'], hostAnswers);
    first.begin();
    lost(store, 'b', ['a', 'c']).begin();
    expect(await first.isForAll()).toBe(false);
  }
});

it('an outage is of the installation when all other nodes are marked', async () => {
  const store = newStore();
  const nodes = [lost(store, 'a', ['b', 'c']), lost(store, 'b', ['a', 'c']), lost(store, 'c', ['a', 'b'])];
  for (const node of nodes) node.begin();
  expect(await Promise.all(nodes.map((node) => node.isForAll()))).toEqual([true, true, true]);
});

it('an outage is of the installation when no other node is known', async () => {
  expect(await lost(newStore(), 'a', []).isForAll()).toBe(true);
});

it('an outage is of one node when the installation has no shared store', async () => {
  expect(await lost(null, 'a', ['b']).isForAll()).toBe(false);
});

it('an outage is judged by the hosts of the broker when the store is unavailable as well', async () => {
  const store = newStore();
  await store.close();
  for (const hostAnswers of [true, false])
    expect(await lost(store, 'a', ['b'], hostAnswers).isForAll()).toBe(hostAnswers);
});
