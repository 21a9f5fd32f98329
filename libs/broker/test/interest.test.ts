import { EventEmitter, once } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ClusterOptions } from '../src/cluster/cluster-parts.js';
import { clusterNode, known } from './cluster.js';
import { MemoryBroker } from './memory-broker.js';
import { event, Gateway } from './samples.js';

const SOON = { timeout: 10_000, interval: 5 };

async function twoNodes(more: Partial<ClusterOptions> = {}) {
  const broker = new MemoryBroker();
  const join = () => {
    const node = clusterNode(broker.wire(), more);
    onTestFinished(() => node.broker.close());
    return { ...node, gateway: new Gateway(node.broker) };
  };
  const nodes = [join(), join()] as const;
  await known(nodes, 1);
  const address = broker.names.channel('shop', 'orders');
  return { broker, address, publisher: nodes[0], subscriber: nodes[1] };
}

/** Returns a promise that is resolved on request. */
function gate() {
  const opener = new EventEmitter();
  return { closed: once(opener, 'open').then(() => undefined), open: () => opener.emit('open') };
}

describe('interest in a channel', () => {
  it('is not settled before the broker confirms it', async () => {
    const { broker, subscriber } = await twoNodes();
    const { closed, open } = gate();
    broker.confirms = closed;
    let isSettled = false;
    const settled = subscriber.broker.subscribe('shop', 'orders')?.then(() => (isSettled = true));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isSettled).toBe(false);
    open();
    await settled;
    expect(subscriber.counts.interestTimeout).toBe(0);
  });

  it('that is confirmed too late leaves nothing behind once it is given up', async () => {
    const { broker, address, subscriber } = await twoNodes({ confirmTimeoutMs: 50 });
    const { closed, open } = gate();
    broker.confirms = closed;
    const late = subscriber.broker.subscribe('shop', 'orders');
    await expect(late).rejects.toThrow('interest not confirmed by the broker in 50 ms');
    expect(subscriber.counts.interestTimeout).toBe(1);
    subscriber.broker.unsubscribe('shop', 'orders');
    open();
    await vi.waitFor(() => expect(subscriber.readings().interestChannels).toBe(0), SOON);
    await subscriber.broker.subscribe('shop', 'fence');
    expect(broker.subscribers(address)).toBe(0);
    await subscriber.broker.subscribe('shop', 'orders');
    expect(broker.subscribers(address)).toBe(1);
  });

  it('that is confirmed too late works when it is still wanted', async () => {
    const { broker, publisher, subscriber } = await twoNodes({ confirmTimeoutMs: 50 });
    const { closed, open } = gate();
    broker.confirms = closed;
    await expect(subscriber.broker.subscribe('shop', 'orders')).rejects.toThrow('not confirmed');
    open();
    await subscriber.broker.subscribe('shop', 'fence');
    await publisher.broker.publish(event('orders'));
    await vi.waitFor(() => expect(subscriber.gateway.received).toHaveLength(1), SOON);
  });

  it('that the broker refuses fails alone, and may be tried again', async () => {
    const { broker, address, subscriber } = await twoNodes();
    broker.refused.add(address);
    const both = [
      subscriber.broker.subscribe('shop', 'orders'),
      subscriber.broker.subscribe('shop', 'other'),
    ];
    await expect(both[0]).rejects.toThrow('the broker refuses the subscription');
    await both[1];
    expect(await subscriber.broker.health()).toBeNull();
    subscriber.broker.unsubscribe('shop', 'orders');
    broker.refused.clear();
    await subscriber.broker.subscribe('shop', 'orders');
    expect(broker.subscribers(address)).toBe(1);
  });

  it('that costs the link is found out, refused and told of, and costs the others nothing more', async () => {
    const { broker, address, publisher, subscriber } = await twoNodes();
    await subscriber.broker.subscribe('shop', 'before');
    broker.poisonous.add(address);
    const poisonous = subscriber.broker.subscribe('shop', 'orders');
    const [fine] = await Promise.all([
      subscriber.broker.subscribe('shop', 'beside'),
      expect(poisonous).rejects.toThrow('the broker refuses the subscription'),
    ]);
    expect(fine).toBeUndefined();
    expect(subscriber.counts.interestRefused).toBe(1);
    expect(subscriber.lines).toContain('the broker refuses a subscription');
    await vi.waitFor(async () => expect(await subscriber.broker.health()).toBeNull(), SOON);
    const { reconnected } = subscriber.counts;
    await expect(subscriber.broker.subscribe('shop', 'orders')).rejects.toThrow('refuses');
    for (const channel of ['before', 'beside']) await publisher.broker.publish(event(channel));
    await vi.waitFor(() => expect(subscriber.gateway.received).toHaveLength(2), SOON);
    expect(subscriber.counts.reconnected).toBe(reconnected);
  });

  it('outlives its last subscriber for a while, so that the next one waits for nothing', async () => {
    const { broker, address, subscriber } = await twoNodes({ lingerMs: 60_000 });
    await subscriber.broker.subscribe('shop', 'orders');
    subscriber.broker.unsubscribe('shop', 'orders');
    expect(subscriber.broker.subscribe('shop', 'orders')).toBeUndefined();
    subscriber.broker.unsubscribe('shop', 'orders');
    expect(subscriber.readings().interestChannels).toBe(1);
    expect(broker.subscribers(address)).toBe(1);
  });

  it('that only lingers is not made again after a reconnect', async () => {
    const { broker, address, subscriber } = await twoNodes({ lingerMs: 60_000 });
    await subscriber.broker.subscribe('shop', 'orders');
    await subscriber.broker.subscribe('shop', 'kept');
    subscriber.broker.unsubscribe('shop', 'orders');
    broker.cut();
    await vi.waitFor(() => expect(broker.subscribers(broker.names.channel('shop', 'kept'))).toBe(1), SOON);
    expect(broker.subscribers(address)).toBe(0);
    expect(subscriber.readings().interestChannels).toBe(1);
  });

  it('that comes and goes and comes while it is being made is there in the end', async () => {
    const { broker, publisher, subscriber } = await twoNodes({ lingerMs: 0 });
    for (let round = 0; round < 30; round += 1) {
      const wanted = subscriber.broker.subscribe('shop', 'orders');
      wanted?.catch(() => undefined);
      if (round % 3 === 0) await new Promise((resolve) => setTimeout(resolve, round));
      if (round < 29) subscriber.broker.unsubscribe('shop', 'orders');
    }
    await subscriber.broker.subscribe('shop', 'orders');
    await publisher.broker.publish(event('orders'));
    await vi.waitFor(() => expect(subscriber.gateway.received).toHaveLength(1), SOON);
    expect(broker.subscribers(broker.names.channel('shop', 'orders'))).toBe(1);
  });

  it('in many channels is made a few round trips at a time, and comes back after a reconnect', async () => {
    const { broker, publisher, subscriber } = await twoNodes({ coalesceMax: 64 });
    const channels = Array.from({ length: 1000 }, (_, at) => `c-${at}`);
    await Promise.all(channels.map(async (channel) => subscriber.broker.subscribe('shop', channel)));
    broker.cut();
    await vi.waitFor(async () => {
      expect(publisher.counts.reconnected + subscriber.counts.reconnected).toBe(2);
      expect(await subscriber.broker.health()).toBeNull();
      expect(broker.subscribers(broker.names.channel('shop', 'c-999'))).toBe(1);
    }, SOON);
    await publisher.broker.publish(event('c-500'));
    await vi.waitFor(() => expect(subscriber.gateway.received).toHaveLength(1), SOON);
  });
});

describe('a node that hears nothing', () => {
  it('is not healthy, although it is connected', async () => {
    const memory = new MemoryBroker();
    memory.refused.add(memory.names.requests);
    const { broker } = clusterNode(memory.wire());
    onTestFinished(() => broker.close());
    const gateway = new Gateway(broker);
    expect(await broker.health()).toBe('the broker has not confirmed what this node must hear');
    expect(await broker.ask('sockets_count', 'shop', null)).toEqual({ answer: 0, complete: false });
    expect(gateway.asked).toHaveLength(1);
  });

  it('gives up nobody', async () => {
    const { broker, publisher, subscriber } = await twoNodes({ nodeTimeoutMs: 300, heartbeatIntervalMs: 50 });
    broker.stop();
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await subscriber.broker.health()).toMatch(/not connected/);
    expect(subscriber.broker.peers).toEqual([publisher.broker.nodeId]);
    broker.isUp = true;
    await vi.waitFor(async () => expect(await subscriber.broker.health()).toBeNull(), SOON);
    expect([publisher.counts.nodeDead, subscriber.counts.nodeDead]).toEqual([0, 0]);
  });

  it('is given up for good after as many attempts as it may make', async () => {
    const memory = new MemoryBroker();
    const { broker, lines } = clusterNode(memory.wire(), { maxReconnects: 1 });
    onTestFinished(() => broker.close());
    expect(await broker.health()).toBeNull();
    memory.stop();
    await vi.waitFor(
      async () => expect(await broker.health()).toBe('given up after 1 attempts: the broker is down'),
      SOON,
    );
    expect(lines).toContain('broker given up');
  });
});

describe('a process without sockets', () => {
  it('hears of nobody until it asks', async () => {
    const memory = new MemoryBroker();
    const { broker, counts } = clusterNode(memory.wire());
    onTestFinished(() => broker.close());
    expect(await broker.health()).toBeNull();
    await broker.publish(event('orders'));
    const { names } = memory;
    const heard = [names.broadcast, names.requests, names.control, names.node(broker.nodeId)];
    expect(heard.map((address) => memory.subscribers(address))).toEqual([0, 0, 0, 0]);
    expect(await broker.ask('sockets_count', 'shop', null)).toEqual({ answer: 0, complete: true });
    expect(heard.map((address) => memory.subscribers(address))).toEqual([0, 0, 1, 1]);
    expect(counts.asked).toBe(0);
  });
});

describe('without heartbeats', () => {
  it('who lives is found out for each question', async () => {
    const broker = new MemoryBroker();
    const join = () => {
      const node = clusterNode(broker.wire(), { isWatching: false, nodesNumber: 2 });
      onTestFinished(() => node.broker.close());
      return { ...node, gateway: new Gateway(node.broker) };
    };
    const [first, second] = [join(), join()];
    first.gateway.answers = { ...first.gateway.answers, sockets_count: 1 };
    second.gateway.answers = { ...second.gateway.answers, sockets_count: 2 };
    expect(await first.broker.health()).toBeNull();
    expect(await second.broker.health()).toBeNull();
    expect(await first.broker.ask('sockets_count', 'shop', null)).toEqual({ answer: 3, complete: true });
  });
});
