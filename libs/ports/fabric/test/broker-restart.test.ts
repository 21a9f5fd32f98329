import type { EngineHandle } from '@carillon/engines';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { clusterNode, known } from './cluster.js';
import { event, Gateway } from './samples.js';
import { own, REAL_WIRES } from './wires.js';

const SOON = { timeout: 30_000, interval: 20 };

describe.each(REAL_WIRES)('broker $name, killed and restarted', { timeout: 90_000 }, (real) => {
  let broker: EngineHandle;
  beforeAll(async () => {
    broker = await own(real);
  });
  afterAll(() => broker.release());

  async function join() {
    const node = clusterNode(await real.open(broker.url, 'restart'), { routing: real.routing });
    onTestFinished(() => node.fabric.close());
    return { ...node, gateway: new Gateway(node.fabric) };
  }

  async function twoNodes() {
    const nodes = [await join(), await join()] as const;
    await known(nodes, 1);
    for (const { fabric } of nodes) await fabric.subscribe('shop', 'orders');
    return nodes;
  }

  it('is waited for: interest comes back, nobody is given up, and order is kept without copies', async () => {
    const nodes = await twoNodes();
    const [publisher, subscriber] = nodes;
    const stopping = new AbortController();
    const confirmed: string[] = [];
    const publishing = (async () => {
      for (let count = 0; !stopping.signal.aborted; count += 1) {
        const eventId = String(count);
        const sent = publisher.fabric.publish(event('orders', { eventId }));
        // Several are on their way at any time.
        if (count % 10 === 0) await sent.then(() => confirmed.push(eventId)).catch(() => undefined);
        else sent.catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    })();
    await vi.waitFor(() => expect(subscriber.gateway.received.length).toBeGreaterThan(50), SOON);
    await broker.kill();
    await vi.waitFor(async () => expect(await subscriber.fabric.health()).toMatch(/not connected/), SOON);
    await broker.restart();
    for (const { fabric } of nodes) {
      await vi.waitFor(async () => expect(await fabric.health()).toBeNull(), SOON);
    }
    const before = subscriber.gateway.received.length;
    await vi.waitFor(() => expect(subscriber.gateway.received.length).toBeGreaterThan(before + 50), SOON);
    stopping.abort();
    await publishing;

    const order = subscriber.gateway.received.map(({ eventId }) => Number(eventId));
    expect(order).toEqual([...new Set(order)].sort((one, two) => one - two));
    expect(confirmed.length).toBeGreaterThan(0);
    for (const node of nodes) expect(node.counts).toMatchObject({ reconnected: 1, nodeDead: 0 });
    expect(await publisher.fabric.ask('sockets_count', 'shop', null)).toEqual({ answer: 0, complete: true });
  });

  it('is told of to publishers while it is away, who have delivered at home', async () => {
    const [publisher] = await twoNodes();
    await broker.kill();
    await vi.waitFor(async () => expect(await publisher.fabric.health()).toMatch(/not connected/), SOON);
    const published = event('orders');
    await expect(publisher.fabric.publish(published)).rejects.toThrow(/not confirmed by the broker/);
    expect(publisher.gateway.received).toEqual([published]);
    expect(await publisher.fabric.ask('sockets_count', 'shop', null)).toMatchObject({ complete: false });
    await expect(publisher.fabric.subscribe('shop', 'new')).rejects.toThrow(/interest not confirmed/);
    await broker.restart();
    await vi.waitFor(async () => expect(await publisher.fabric.health()).toBeNull(), SOON);
  });

  it('is found when it appears after the node', async () => {
    await broker.kill();
    const node = clusterNode(await real.open(broker.url, 'late'), { routing: real.routing });
    onTestFinished(() => node.fabric.close());
    const gateway = new Gateway(node.fabric);
    expect(await node.fabric.health()).toMatch(/not connected/);
    await broker.restart();
    await vi.waitFor(async () => expect(await node.fabric.health()).toBeNull(), SOON);
    expect(gateway.asked).toEqual([]);
  });
});
