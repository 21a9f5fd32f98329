import { describe, expect, it } from 'vitest';
import { LocalFabric, newNodeId } from '../src/index.js';
import { fabricConformance } from './conformance.js';
import { threeJoinedNodes } from './joined-fabric.js';
import { event, Gateway } from './samples.js';

const nothing = () => Promise.resolve();
const unused = () => expect.unreachable('nothing goes wrong here');

fabricConformance('local', async () => {
  const faults: unknown[] = [];
  const node = new LocalFabric(newNodeId('gw-a'), (_, error) => faults.push(error));
  return { nodes: [node], faults, settle: nothing, dispose: nothing };
});

// The suite itself has to hold for several nodes.
fabricConformance('of the tests, with three nodes', async () => {
  const faults: unknown[] = [];
  const nodes = threeJoinedNodes((_, error) => faults.push(error));
  return { nodes, faults, settle: nothing, dispose: nothing };
});

describe('on the live path of one process', () => {
  it('nothing is waited for', () => {
    const fabric = new LocalFabric('gw-a-00000000', unused);
    const { received } = new Gateway(fabric);
    const returned: unknown[] = [fabric.subscribe(), fabric.publish(event('orders'))];
    expect(returned).toEqual([undefined, undefined]);
    expect(received).toHaveLength(1);
  });

  it('the listener gets the event itself, not a copy', () => {
    const fabric = new LocalFabric('gw-a-00000000', unused);
    const { received } = new Gateway(fabric);
    const published = event('orders');
    fabric.publish(published);
    expect(received[0]).toBe(published);
  });
});
