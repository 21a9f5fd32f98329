import { expect, vi } from 'vitest';
import { clusterNode, knownListeners } from './cluster.js';
import { brokerPortConformance } from './conformance.js';
import { REAL_WIRES, shared } from './wires.js';

for (const real of REAL_WIRES) {
  brokerPortConformance(real.name, async () => {
    const { url, prefix } = await shared(real);
    const faults: unknown[] = [];
    const open = async () => {
      const wire = await real.open(url, prefix);
      const node = clusterNode(wire, { routing: real.routing }, (_, error) => faults.push(error));
      // A broker that has just started may reject the first attempt.
      await vi.waitFor(async () => expect(await node.broker.health()).toBeNull(), { timeout: 20_000 });
      return node;
    };
    const nodes = [await open(), await open(), await open()] as const;
    return {
      nodes: [nodes[0].broker, nodes[1].broker, nodes[2].broker],
      faults,
      settle: () => knownListeners(nodes),
      dispose: () => Promise.resolve(),
    };
  });
}
