import { expect, it, vi } from 'vitest';
import type { Session, Wire } from '../src/cluster/wire.js';
import { clusterNode } from './cluster.js';
import { MemoryBroker } from './memory-broker.js';

const TIMES = { heartbeatIntervalMs: 20, nodeTimeoutMs: 120, cleanupIntervalMs: 20 };
const SOON = { timeout: 10_000, interval: 5 };

const never = (): Promise<never> => new Promise(() => {});

/** A wire that can silently lose its receiving direction: messages are sent, but none arrive. */
function deafening(wire: Wire): { readonly wire: Wire; deafen(): void; readonly sent: () => number } {
  let [isDeaf, sent] = [false, 0];
  const open: Wire['open'] = async (listener): Promise<Session> => {
    const session = await wire.open({
      ...listener,
      message: (address, bytes) => !isDeaf && listener.message(address, bytes),
    });
    return {
      lanes: session.lanes,
      publish: (address, text, key) => {
        if (isDeaf) sent += 1;
        return session.publish(address, text, key);
      },
      subscribe: (addresses) => session.subscribe(addresses),
      unsubscribe: (addresses) => session.unsubscribe(addresses),
      check: () => (isDeaf ? never() : session.check()),
      close: () => session.close(),
    };
  };
  return { wire: { names: wire.names, open }, deafen: () => (isDeaf = true), sent: () => sent };
}

it('a node that hears nothing any more, and does not know it yet, declares nobody dead', async () => {
  const broker = new MemoryBroker();
  const way = deafening(broker.wire());
  const nodes = [
    clusterNode(way.wire, TIMES),
    clusterNode(broker.wire(), TIMES),
    clusterNode(broker.wire(), TIMES),
  ];
  const ignore = { deliver: () => {}, deliverRecord: () => {}, answer: () => ({}) as never };
  for (const { broker } of nodes) broker.listen(ignore);
  for (const { broker } of nodes) await vi.waitFor(() => expect(broker.peers).toHaveLength(2), SOON);
  way.deafen();
  // Far more heartbeats than fit into the time after which a silent node counts as dead.
  await vi.waitFor(() => expect(way.sent()).toBeGreaterThan(30), SOON);
  expect(nodes.map(({ counts }) => counts.nodeDead)).toEqual([0, 0, 0]);
  expect(nodes.flatMap(({ lines }) => lines.filter((line) => line.includes('declared dead')))).toEqual([]);
  for (const { broker } of nodes) expect(broker.peers).toHaveLength(2);
  await Promise.all(nodes.map(({ broker }) => broker.close()));
});
