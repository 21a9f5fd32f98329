import { describe, expect, it, vi } from 'vitest';
import { known } from './cluster.js';
import { fence, installation, SOON, stranger, written, type SharedBroker } from './installation.js';
import { event } from './samples.js';

/** Requirements of brokers that route by channel. */
export function interestConformance(name: string, open: () => Promise<SharedBroker>): void {
  describe(`interest over ${name}`, () => {
    it('sends a node nothing of channels that nobody wants there', async () => {
      const { nodes, first, second } = await installation(await open(), 3);
      const [, , third] = nodes;
      await second.broker.subscribe('shop', 'orders');
      for (let count = 0; count < 20; count += 1) await first.broker.publish(event('orders'));
      await vi.waitFor(() => expect(second.gateway.received).toHaveLength(20), SOON);
      if (third !== undefined) await fence(first, third);
      expect(third?.counts).toMatchObject({ received: 1, unneeded: 0 });
      expect(second.counts).toMatchObject({ received: 20, unneeded: 0 });
      expect(first.counts).toMatchObject({ received: 0, published: 21 });
    });

    it('sends nothing more once nobody wants a channel any more', async () => {
      const { first, second } = await installation(await open(), 2);
      await second.broker.subscribe('shop', 'orders');
      second.broker.unsubscribe('shop', 'orders');
      await vi.waitFor(() => expect(second.readings().interestChannels).toBe(0), SOON);
      // The end of interest is on its way in front of this.
      await second.broker.subscribe('shop', 'fence');
      await first.broker.publish(event('orders'));
      await fence(first, second);
      expect(second.counts).toMatchObject({ received: 1, unneeded: 0 });
    });

    it('drops what comes under the address of another channel', async () => {
      const { broker, first, second } = await installation(await open(), 2);
      const { session, wire } = await stranger(broker);
      await second.broker.subscribe('shop', 'orders');
      await second.broker.subscribe('shop', 'payments');
      const address = wire.names.channel('shop', 'orders');
      for (const one of [event('payments'), event('orders', { appId: 'other' })]) {
        await session.publish(address, written(one, 'stranger'));
      }
      await vi.waitFor(() => expect(second.counts.dropped).toBe(2), SOON);
      await fence(first, second);
      expect(second.gateway.received.map(({ channel }) => channel)).toEqual(['fence']);
    });

    it('brings every event once to nodes that route in different ways', async () => {
      const { join, nodes: both } = await installation(await open(), 2);
      const nodes = [...both, await join({ routing: 'broadcast' }), await join({ routing: 'dual' })];
      await known(nodes, 3);
      for (const { broker } of nodes) await broker.subscribe('shop', 'orders');
      const published = nodes.flatMap(() => [event('orders'), event('orders')]);
      for (const [at, one] of published.entries()) await nodes[at % nodes.length]?.broker.publish(one);
      for (const from of nodes) for (const to of nodes) if (from !== to) await fence(from, to);
      const wanted = published.map(({ eventId }) => eventId).sort();
      for (const node of nodes) {
        const received = node.gateway.received.filter(({ channel }) => channel === 'orders');
        expect(received.map(({ eventId }) => eventId).sort()).toEqual(wanted);
      }
      expect(both[0]?.lines).toContainEqual(expect.stringContaining('routes by broadcast'));
    });
  });
}
