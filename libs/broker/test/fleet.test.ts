import { expect, it, onTestFinished, vi } from 'vitest';
import type { ObservedMessage } from '../src/index.js';
import { clusterNode } from './cluster.js';
import { installation, SOON, type SharedBroker } from './installation.js';
import { MemoryBroker } from './memory-broker.js';
import { event } from './samples.js';

function memory(): SharedBroker {
  const broker = new MemoryBroker();
  return { routing: 'interest', wire: () => Promise.resolve(broker.wire()) };
}

const idsOf = (nodes: readonly { readonly broker: { readonly nodeId: string } }[]): string[] =>
  nodes.map(({ broker }) => broker.nodeId).sort();

it('request reaches every gateway and a process without sockets gets all answers', async () => {
  const broker = memory();
  const { nodes } = await installation(broker, 3);
  for (const { broker } of nodes)
    broker.fleet.serve(async (type, body) => ({
      type,
      body,
      node: broker.nodeId,
      text: 'é'.repeat(200_000),
    }));
  const observer = clusterNode(await broker.wire());
  onTestFinished(() => observer.broker.close());
  const { answers, missing } = await observer.broker.fleet.ask('probe', { at: 1 }, 5000);
  expect(missing).toEqual([]);
  expect([...answers.keys()].sort()).toEqual(idsOf(nodes));
  for (const [node, answer] of answers)
    expect(answer).toEqual({ type: 'probe', body: { at: 1 }, node, text: 'é'.repeat(200_000) });
  const [first] = nodes;
  const own = await first?.broker.fleet.ask('probe', null, 5000);
  expect([...(own?.answers.keys() ?? [])].sort()).toEqual(idsOf(nodes));
});

it('gateway is missing when its handler fails or does not end', async () => {
  const { nodes, first, second } = await installation(memory(), 3);
  const [, , third] = nodes;
  first.broker.fleet.serve(async () => 'ok');
  second.broker.fleet.serve(() => Promise.reject(new Error('no')));
  third?.broker.fleet.serve(() => new Promise(() => {}));
  const { answers, missing } = await first.broker.fleet.ask('probe', null, 300);
  expect([...answers]).toEqual([[first.broker.nodeId, 'ok']]);
  expect(missing).toEqual(idsOf(nodes.filter((node) => node !== first)));
});

it('gateway that leaves during a request is not missing', async () => {
  const { first, second } = await installation(memory(), 2);
  first.broker.fleet.serve(async () => 'ok');
  second.broker.fleet.serve(() => new Promise(() => {}));
  const asking = first.broker.fleet.ask('probe', null, 10_000);
  await second.broker.close();
  expect(await asking).toMatchObject({ missing: [] });
});

it('notice reaches every listening process or the named one', async () => {
  const { nodes, first, second } = await installation(memory(), 3);
  const heard: string[] = [];
  for (const [at, { broker }] of nodes.entries())
    broker.fleet.onNotice('node_report', (from, body) => heard.push(`${at} ${from} ${body as string}`));
  first.broker.fleet.notify('node_report', 'all');
  first.broker.fleet.notify('node_report', 'one', second.broker.nodeId);
  const from = first.broker.nodeId;
  await vi.waitFor(
    () =>
      expect(heard.toSorted()).toEqual([`0 ${from} all`, `1 ${from} all`, `1 ${from} one`, `2 ${from} all`]),
    SOON,
  );
});

it('observer sees each message of its channel once, and sockets keep the channel when it ends', async () => {
  const { first, second } = await installation(memory(), 2);
  const observed: ObservedMessage[] = [];
  const observation = first.broker.fleet.observe('shop', 'orders', (one) => observed.push(one));
  await observation.ready;
  await first.broker.subscribe('shop', 'orders');
  await second.broker.publish(event('orders'));
  await first.broker.publish(event('orders'));
  await second.broker.publish(event('other'));
  await vi.waitFor(() => expect(observed).toHaveLength(2), SOON);
  expect(observed.map(({ nodeId }) => nodeId).sort()).toEqual(idsOf([first, second]));
  observation.end();
  const last = event('orders');
  await second.broker.publish(last);
  await vi.waitFor(
    () => expect(first.gateway.received.map(({ eventId }) => eventId)).toContain(last.eventId),
    SOON,
  );
  expect(observed).toHaveLength(2);
});

it('observer keeps the channel when the last socket leaves', async () => {
  const { first, second } = await installation(memory(), 2);
  const observed: ObservedMessage[] = [];
  await first.broker.subscribe('shop', 'orders');
  const observation = first.broker.fleet.observe('shop', 'orders', (one) => observed.push(one));
  onTestFinished(() => observation.end());
  await observation.ready;
  first.broker.unsubscribe('shop', 'orders');
  // Longer than interest without a holder lingers.
  await new Promise((later) => setTimeout(later, 200));
  await second.broker.publish(event('orders'));
  await vi.waitFor(() => expect(observed).toHaveLength(1), SOON);
});
