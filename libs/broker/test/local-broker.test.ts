import { describe, expect, it } from 'vitest';
import { LocalBroker, newNodeId } from '../src/index.js';
import { brokerPortConformance } from './conformance.js';
import { threeJoinedNodes } from './joined-broker.js';
import { event, Gateway } from './samples.js';

const nothing = () => Promise.resolve();
const unused = () => expect.unreachable('nothing goes wrong here');

brokerPortConformance('local', async () => {
  const faults: unknown[] = [];
  const node = new LocalBroker(newNodeId('gw-a'), (_, error) => faults.push(error));
  return { nodes: [node], faults, settle: nothing, dispose: nothing };
});

// The suite itself has to hold for several nodes.
brokerPortConformance('of the tests, with three nodes', async () => {
  const faults: unknown[] = [];
  const nodes = threeJoinedNodes((_, error) => faults.push(error));
  return { nodes, faults, settle: nothing, dispose: nothing };
});

describe('on the live path of one process', () => {
  it('nothing is waited for', () => {
    const broker = new LocalBroker('gw-a-00000000', unused);
    const { received } = new Gateway(broker);
    const returned: unknown[] = [broker.subscribe(), broker.publish(event('orders'))];
    expect(returned).toEqual([undefined, undefined]);
    expect(received).toHaveLength(1);
  });

  it('the listener gets the event itself, not a copy', () => {
    const broker = new LocalBroker('gw-a-00000000', unused);
    const { received } = new Gateway(broker);
    const published = event('orders');
    broker.publish(published);
    expect(received[0]).toBe(published);
  });
});
