import type { EngineHandle } from '@carillon/test-backends';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Broker } from '../src/port.js';
import { clusterNode, known } from './cluster.js';
import { event, Gateway } from './samples.js';
import { own, type RealWire } from './wires.js';

const SOON = { timeout: 40_000, interval: 20 };
/**
 * Clients reconnect seconds apart after a broker restart; nodes are not declared dead for this time, which is shorter
 * than an outage.
 */
const GIVEN_UP_MS = 5000;
const LANE = { use: 'commit', lane: 2 } as const;

const isHealthy = async (broker: Broker): Promise<void> => expect(await broker.health()).toBeNull();

/** Behaviour over a broker that is killed and restarted. */
export const restarts = (wires: readonly RealWire[]) =>
  describe.each(wires)('broker $name, killed and restarted', { timeout: 90_000 }, (real) => {
    let broker: EngineHandle;
    let around: Awaited<ReturnType<typeof outage>>;
    beforeAll(async () => {
      broker = await own(real);
      around = await outage();
    });
    afterAll(async () => {
      await around.streamed.stop();
      for (const { broker } of around.all) await broker.close();
      await broker.release();
    });

    async function open(prefix = 'restart') {
      const node = clusterNode(await real.open(broker.url, prefix), {
        routing: real.routing,
        nodeTimeoutMs: GIVEN_UP_MS,
      });
      return { ...node, gateway: new Gateway(node.broker) };
    }

    /** A publisher that publishes until it is stopped, and a subscriber beside it; `confirmed` are ids of events. */
    async function stream() {
      const [publisher, subscriber] = [await open('stream'), await open('stream')] as const;
      const nodes = [publisher, subscriber] as const;
      await known(nodes, 1);
      for (const { broker } of nodes) await broker.subscribe('shop', 'orders');
      const stopping = new AbortController();
      const confirmed: string[] = [];
      const publishing = (async () => {
        for (let count = 0; !stopping.signal.aborted; count += 1) {
          const eventId = String(count);
          const sent = publisher.broker.publish(event('orders', { eventId }));
          // Several are on their way at any time.
          if (count % 10 === 0) await sent.then(() => confirmed.push(eventId)).catch(() => undefined);
          else sent.catch(() => undefined);
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      })();
      await vi.waitFor(() => expect(subscriber.gateway.received.length).toBeGreaterThan(50), SOON);
      const stop = async (): Promise<void> => {
        stopping.abort();
        await publishing;
      };
      return { nodes, publisher, subscriber, confirmed, stop };
    }

    /** Nodes from before it went, one that came since, lanes that are called and served, and a stream of events. */
    async function outage() {
      const [publisher, neighbour] = [await open(), await open()];
      await known([publisher, neighbour], 1);
      await publisher.broker.subscribe('shop', 'orders');
      const [asking, serving] = [await open('lanes'), await open('lanes')];
      for (const { broker } of [asking, serving]) await vi.waitFor(() => isHealthy(broker), SOON);
      const heard: string[] = [];
      await asking.broker.lanes.hear((bytes) => heard.push(Buffer.from(bytes).toString()));
      await serving.broker.lanes.serve(LANE, async () => '{"v":1}');
      const call = (budgetMs: number) => asking.broker.lanes.call(LANE, '{"v":1}', budgetMs);
      expect(await call(5000)).toMatchObject({ kind: 'reply' });
      const streamed = await stream();
      await broker.kill();
      const first = await call(500);
      const late = await open('late');
      return {
        all: [publisher, neighbour, asking, serving, late, ...streamed.nodes],
        streamed,
        publisher,
        asking,
        serving,
        late,
        heard,
        call,
        first,
      };
    }

    it('while it is away, publishers are told, who have delivered at home', async () => {
      const { publisher } = around;
      await vi.waitFor(async () => expect(await publisher.broker.health()).toMatch(/not connected/), SOON);
      const published = event('orders');
      await expect(publisher.broker.publish(published)).rejects.toThrow(/not confirmed by the broker/);
      expect(publisher.gateway.received).toEqual([published]);
      expect(await publisher.broker.ask('sockets_count', 'shop', null)).toMatchObject({ complete: false });
      await expect(publisher.broker.subscribe('shop', 'new')).rejects.toThrow(/interest not confirmed/);
    });

    it('while it is away, calls of lanes end by their budget', async () => {
      const { asking, call, first } = around;
      expect(first.kind).not.toBe('reply');
      await vi.waitFor(async () => expect(await asking.broker.health()).toMatch(/not connected/), SOON);
      expect(await call(500)).toEqual({ kind: 'no_responder' });
      await expect(asking.broker.lanes.announce('{"v":1}')).rejects.toThrow('not connected');
    });

    it('whoever was there before finds it again, and whoever came since finds it', async () => {
      const { publisher, late } = around;
      expect(await late.broker.health()).toMatch(/not connected/);
      await broker.restart();
      for (const { broker } of [publisher, late]) await vi.waitFor(() => isHealthy(broker), SOON);
      expect(late.gateway.asked).toEqual([]);
    });

    it('brings interest back, gives nobody up, and keeps the order without copies, once it is there again', async () => {
      const { nodes, publisher, subscriber, confirmed, stop } = around.streamed;
      for (const { broker } of nodes) await vi.waitFor(() => isHealthy(broker), SOON);
      const before = subscriber.gateway.received.length;
      await vi.waitFor(() => expect(subscriber.gateway.received.length).toBeGreaterThan(before + 50), SOON);
      await stop();

      const order = subscriber.gateway.received.map(({ eventId }) => Number(eventId));
      expect(order).toEqual([...new Set(order)].sort((one, two) => one - two));
      expect(confirmed.length).toBeGreaterThan(0);
      for (const node of nodes) expect(node.counts).toMatchObject({ reconnected: 1, nodeDead: 0 });
      expect(await publisher.broker.ask('sockets_count', 'shop', null)).toEqual({
        answer: 0,
        complete: true,
      });
    });

    it('lanes serve and hear again afterwards', async () => {
      const { serving, heard, call } = around;
      await vi.waitFor(async () => expect(await call(500)).toMatchObject({ kind: 'reply' }), SOON);
      await vi.waitFor(async () => {
        await serving.broker.lanes.announce('{"v":1}');
        expect(heard.length).toBeGreaterThan(0);
      }, SOON);
    });
  });
