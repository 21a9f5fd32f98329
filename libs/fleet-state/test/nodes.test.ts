import type { Json } from '@carillon/contracts';
import type { NoticeListener } from '@carillon/broker';
import { Metrics } from '@carillon/runtime';
import { describe, expect, it } from 'vitest';
import { NodeTable } from '../src/nodes/node-table.js';
import { SeriesRings, STEP_MS, STEPS } from '../src/nodes/series-rings.js';

class Bus {
  listener: NoticeListener = () => {};
  gone: (nodeId: string) => void = () => {};

  onNotice(_topic: string, listener: NoticeListener): () => void {
    this.listener = listener;
    return () => {};
  }

  onGone(listener: (nodeId: string) => void): () => void {
    this.gone = listener;
    return () => {};
  }
}

const report = (node_id: string, state: 'degraded' | 'down' | 'up' = 'up'): Json => ({
  node_id,
  role: 'gateway',
  version: '1.0.0',
  state: 'ready',
  started_at_ms: 1,
  reported_at_ms: 2,
  cpu: 0.1,
  event_loop_lag_ms: { p50: 0, p99: 1 },
  memory: { rss: 1, heap_used: 1, limit: null },
  connections: 1,
  channels: 1,
  messages_per_second: { in: 0, out: 0 },
  dependencies: [{ name: 'redis', state, latency_ms: null, error: state === 'up' ? null : 'timeout' }],
  interval_ms: 1000,
});

describe('NodeTable', () => {
  it('shows a silent node as unresponsive and forgets it after a minute', () => {
    let nowMs = 0;
    const bus = new Bus();
    const table = new NodeTable(bus, () => nowMs);
    bus.listener('gw-a', report('gw-a'));
    expect(table.one('gw-a')).toMatchObject({ state: 'ready', age_ms: 0 });
    nowMs = 3001;
    expect(table.one('gw-a')).toMatchObject({ state: 'unresponsive', age_ms: 3001 });
    nowMs = 60_001;
    expect(table.list()).toEqual([]);
  });

  it('ignores invalid reports and those under the name of another node', () => {
    const bus = new Bus();
    const table = new NodeTable(bus);
    bus.listener('gw-a', { node_id: 'gw-a' });
    bus.listener('gw-b', report('gw-a'));
    expect(table.list()).toEqual([]);
  });

  it('shows the worst state of a dependency with its nodes', () => {
    const bus = new Bus();
    const table = new NodeTable(bus);
    for (const [node, state] of [
      ['gw-a', 'up'],
      ['gw-b', 'down'],
      ['gw-c', 'degraded'],
    ] as const)
      bus.listener(node, report(node, state));
    expect(table.dependencies()).toMatchObject([{ name: 'redis', state: 'down', error: 'timeout' }]);
    bus.gone('gw-b');
    expect(table.dependencies()).toMatchObject([{ state: 'degraded' }]);
  });
});

const metrics = (): Metrics =>
  new Metrics({ prefix: 'p_', port: 1, log: { warn: () => undefined } as never });

describe('SeriesRings', () => {
  it('records the change of counters in each step by app', () => {
    let nowMs = 1000 * STEP_MS;
    const all = metrics();
    const published = all.counter('messages_published_total');
    const rings = new SeriesRings(all, () => nowMs);
    published.for({ app_id: 'shop' }).add(7);
    published.for({ app_id: 'other' }).add(2);
    nowMs += STEP_MS;
    rings.sample();
    published.for({ app_id: 'shop' }).add(3);
    nowMs += STEP_MS;
    rings.sample();
    rings.sample();
    expect(rings.values('messages_in', null, 1001).slice(-3)).toEqual([null, 9, 3]);
    expect(rings.values('messages_in', ['shop'], 1001).slice(-2)).toEqual([7, 3]);
    expect(rings.values('messages_in', [], 1001).slice(-2)).toEqual([0, 0]);
    expect(rings.values('http_errors', null, 1001)).toEqual(Array.from({ length: STEPS }, () => null));
  });

  it('forgets steps that are older than its length', () => {
    let nowMs = 0;
    const all = metrics();
    const connected = all.gauge('connected').for({ app_id: 'shop' });
    const rings = new SeriesRings(all, () => nowMs);
    for (let step = 1; step <= STEPS * 2; step += 1) {
      connected.set(step);
      nowMs = step * STEP_MS;
      rings.sample();
    }
    const values = rings.values('connections', ['shop'], STEPS * 2 - 1);
    expect(values[0]).toBe(STEPS + 1);
    expect(values.at(-1)).toBe(STEPS * 2);
  });
});
