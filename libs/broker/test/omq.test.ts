import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { omqWire } from '../src/drivers/omq/omq-wire.js';
import { known } from './cluster.js';
import { installation, SOON, stranger } from './installation.js';
import { newEndpoints, nextEndpoint } from './omq-endpoints.js';
import { event } from './samples.js';
import { configured } from './settings.js';

interface Place {
  readonly endpoints: string;
  readonly prefix?: string;
  readonly env?: Record<string, string>;
  readonly onDropped?: () => void;
}

const wireAt = ({ endpoints, prefix = 'omq', env = {}, onDropped = () => {} }: Place, bind?: string) =>
  omqWire(
    configured({
      OMQ_BIND_ENDPOINT: bind ?? nextEndpoint(endpoints),
      OMQ_CONNECT_ENDPOINTS: endpoints,
      OMQ_PREFIX: prefix,
      ...env,
    }).adapter.omq,
    onDropped,
  );

const brokerAt = (place: Place) => ({ routing: 'broadcast' as const, wire: () => wireAt(place) });

/** Publishes until it is stopped; ids count up. */
function publishing(publish: (eventId: string) => Promise<void>) {
  const stopping = new AbortController();
  let count = 0;
  const done = (async () => {
    for (; !stopping.signal.aborted; count += 1) {
      await publish(String(count));
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  const stop = async () => {
    stopping.abort();
    await done;
  };
  onTestFinished(stop);
  return { stop, count: () => count };
}

const idsOf = (received: readonly { eventId: string }[]) => received.map(({ eventId }) => Number(eventId));

describe('omq', { timeout: 30_000 }, () => {
  it('delivers to a node that joins under traffic everything from its first event on, and to others without a gap', async () => {
    const { join, first, second } = await installation(brokerAt({ endpoints: await newEndpoints() }), 2);
    await second.broker.subscribe('shop', 'orders');
    const traffic = publishing((eventId) => first.broker.publish(event('orders', { eventId })));
    const late = await join();
    await known([first, second, late], 2);
    await late.broker.subscribe('shop', 'orders');
    const from = traffic.count();
    await vi.waitFor(() => expect(late.gateway.received.length).toBeGreaterThan(200), SOON);
    await traffic.stop();
    const total = traffic.count();
    await vi.waitFor(() => expect(idsOf(late.gateway.received).at(-1)).toBe(total - 1), SOON);
    const [begin = Infinity] = idsOf(late.gateway.received);
    expect(begin).toBeLessThanOrEqual(from + 1);
    const all = (start: number) => Array.from({ length: total - start }, (_, at) => start + at);
    expect(idsOf(late.gateway.received)).toEqual(all(begin));
    expect(idsOf(second.gateway.received)).toEqual(all(0));
  });

  it('keeps delivering to the others when a node leaves under traffic, and to the node that replaces it', async () => {
    const place = { endpoints: await newEndpoints(3) };
    const { join, first, second, nodes } = await installation(brokerAt(place), 3);
    const leaving = nodes[2];
    for (const { broker } of nodes) await broker.subscribe('shop', 'orders');
    const traffic = publishing((eventId) => first.broker.publish(event('orders', { eventId })));
    await vi.waitFor(() => expect(second.gateway.received.length).toBeGreaterThan(50), SOON);
    await leaving?.broker.close();
    await known([first, second], 1);
    // The next in turn are those of nodes that still run.
    for (const _ of nodes.slice(1)) nextEndpoint(place.endpoints);
    const next = await join();
    await next.broker.subscribe('shop', 'orders');
    await vi.waitFor(() => expect(next.gateway.received.length).toBeGreaterThan(50), SOON);
    await traffic.stop();
    await vi.waitFor(() => expect(second.gateway.received).toHaveLength(traffic.count()), SOON);
    expect(first.counts.nodeDead).toBe(0);
  });

  it('drops and counts what a full buffer does not take', async () => {
    let dropped = 0;
    const endpoints = await newEndpoints(2);
    const env = { OMQ_SEND_HWM: '10', OMQ_RECV_HWM: '10' };
    const reader = await stranger(brokerAt({ endpoints, env }));
    const writer = await stranger(brokerAt({ endpoints, env, onDropped: () => (dropped += 1) }));
    const address = writer.wire.names.broadcast;
    await reader.session.subscribe([address]);
    const large = 'x'.repeat(64 * 1024);
    for (let count = 0; count < 2000; count += 1) void writer.session.publish(address, large);
    await vi.waitFor(() => expect(dropped).toBeGreaterThan(0), SOON);
    expect(dropped).toBeLessThan(2000);
    await writer.session.check();
  });

  it('brings nothing to an installation with another prefix', async () => {
    const endpoints = await newEndpoints(2);
    const heard: string[] = [];
    const foreign = await wireAt({ endpoints, prefix: 'b' }, endpoints.split(',')[1]);
    const session = await foreign.open({
      message: (address) => heard.push(address),
      dropped: () => {},
      lost: () => {},
    });
    onTestFinished(() => session.close());
    await session.subscribe([foreign.names.broadcast]);
    const own = await stranger(brokerAt({ endpoints, prefix: 'b' }));
    const other = await stranger({
      routing: 'broadcast',
      wire: () => wireAt({ endpoints, prefix: 'a' }, 'tcp://127.0.0.1:*'),
    });
    await other.session.publish(other.wire.names.broadcast, '{"v":1}');
    await own.session.publish(own.wire.names.broadcast, '{"v":1}');
    await vi.waitFor(() => expect(heard).toEqual([own.wire.names.broadcast]), SOON);
  });

  it('names the endpoint when it cannot be bound, or is none', async () => {
    const endpoints = await newEndpoints(1);
    const held = await wireAt({ endpoints });
    const session = await held.open({ message: () => {}, dropped: () => {}, lost: () => {} });
    onTestFinished(() => session.close());
    await expect(wireAt({ endpoints })).rejects.toThrow(
      `adapter.omq.bind_endpoint: cannot listen on "${endpoints}" (Address already in use)`,
    );
    await expect(wireAt({ endpoints }, 'nowhere')).rejects.toThrow(
      'adapter.omq.bind_endpoint: cannot listen on "nowhere"',
    );
    const wire = await wireAt({ endpoints: 'nowhere' }, 'tcp://127.0.0.1:*');
    await expect(wire.open({ message: () => {}, dropped: () => {}, lost: () => {} })).rejects.toThrow(
      'adapter.omq.connect_endpoints: cannot connect to "nowhere"',
    );
  });
});
