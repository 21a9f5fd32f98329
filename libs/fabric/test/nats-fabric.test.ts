import { engine } from '@carillon/engines';
import { natsWire } from '../src/drivers/nats/nats-wire.js';
import { clusterNode, knownListeners } from './cluster.js';
import { fabricConformance } from './conformance.js';
import { natsSettings } from './settings.js';

fabricConformance('nats', async () => {
  const { name, url } = await (await engine('nats')).isolate();
  const faults: unknown[] = [];
  const open = async () => {
    const settings = natsSettings({ NATS_SERVERS: url, NATS_PREFIX: name });
    const wire = await natsWire({ settings, connectionName: name, onEvent: () => {} });
    return clusterNode(wire, {}, (_, error) => faults.push(error));
  };
  const nodes = [await open(), await open(), await open()] as const;
  return {
    nodes: [nodes[0].fabric, nodes[1].fabric, nodes[2].fabric],
    faults,
    settle: () => knownListeners(nodes),
    dispose: () => Promise.resolve(),
  };
});
