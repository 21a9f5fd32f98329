import { expect, it, onTestFinished, vi } from 'vitest';
import { Subscriptions } from '../src/cluster/subscriptions.js';
import { clusterNode, known } from './cluster.js';
import { MemoryBroker } from './memory-broker.js';
import { event, Gateway } from './samples.js';

const never = (): Promise<never> => new Promise(() => {});

const SOON = { timeout: 10_000, interval: 5 };

function join(broker: MemoryBroker) {
  const node = clusterNode(broker.wire());
  onTestFinished(() => node.broker.close());
  return { ...node, gateway: new Gateway(node.broker) };
}

it('a listener is told when the broker is out of reach, and when all that is wanted comes again', async () => {
  const broker = new MemoryBroker();
  const [first, second] = [join(broker), join(broker)];
  await known([first, second], 1);
  await second.broker.subscribe('shop', 'orders');
  expect(second.gateway.notices).toEqual([]);
  broker.stop();
  expect(second.gateway.notices).toEqual(['out of reach since 0']);
  const confirming = new AbortController();
  broker.confirms = new Promise((resolve) => confirming.signal.addEventListener('abort', () => resolve()));
  broker.isUp = true;
  await vi.waitFor(
    () => expect(second.lines.filter((line) => line.startsWith('connected'))).toHaveLength(2),
    SOON,
  );
  expect(second.gateway.notices).toHaveLength(1);
  confirming.abort();
  await vi.waitFor(
    () => expect(second.gateway.notices).toEqual(['out of reach since 0', 'in reach again']),
    SOON,
  );
  await first.broker.publish(event('orders'));
  await vi.waitFor(() => expect(second.gateway.received).toHaveLength(1), SOON);
});

it('a session that is lost before it was of use is part of the same absence', async () => {
  const broker = new MemoryBroker();
  const { gateway, lines } = join(broker);
  broker.confirms = new Promise(() => {});
  await vi.waitFor(() => expect(lines.filter((line) => line.startsWith('connected'))).toHaveLength(1), SOON);
  broker.cut();
  await vi.waitFor(() => expect(lines.filter((line) => line.startsWith('connected'))).toHaveLength(2), SOON);
  broker.confirms = Promise.resolve();
  broker.cut();
  await vi.waitFor(() => expect(gateway.notices).toEqual(['out of reach since 0', 'in reach again']), SOON);
});

it('channels that the broker let go of are back when the last of them is, refused and unwanted ones aside', async () => {
  const returns: number[] = [];
  const held: string[][] = [];
  const subscriptions = new Subscriptions({
    confirmTimeoutMs: 1000,
    lingerMs: 0,
    coalesceMs: 0,
    coalesceMax: 1,
    onConfirmed: () => {},
    onTimeout: () => {},
    onRefused: () => {},
    onComplete: () => {},
    onReturned: () => returns.push(held.length),
    onFault: () => {},
  });
  onTestFinished(() => subscriptions.close());
  subscriptions.attach({
    publish: async () => {},
    subscribe: async (addresses) => {
      held.push([...addresses]);
      return held.length > 4 && addresses[0] === 'b' ? addresses : [];
    },
    unsubscribe: async () => {},
    check: async () => {},
    close: async () => {},
    lanes: { call: never, serve: never, stopServing: never },
  });
  for (const address of ['a', 'b', 'c', 'd']) await subscriptions.hold(address);
  expect(returns).toEqual([]);
  subscriptions.dropped(['a', 'b', 'c']);
  await vi.waitFor(() => expect(returns).toEqual([7]), SOON);
  expect(held.flat()).toEqual(['a', 'b', 'c', 'd', 'a', 'b', 'c']);
});
