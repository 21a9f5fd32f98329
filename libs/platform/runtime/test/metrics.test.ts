import { describe, expect, it } from 'vitest';
import { METRICS, Metrics, showNodejsMetrics, showProcessMetrics } from '../src/index.js';
import { capturedLog, testMetrics } from './fixtures.js';

const rows = Object.entries(METRICS);

describe('metrics', () => {
  it('shows only what was asked for, with the prefix and the constant port', async () => {
    const metrics = testMetrics();
    metrics.counter('new_connections_total').for({ app_id: 'shop' }).add(2);
    metrics.gauge('connected').for({ app_id: 'shop' }).set(41);
    expect(await metrics.text()).toBe(
      [
        '# HELP service_new_connections_total Connections accepted',
        '# TYPE service_new_connections_total counter',
        'service_new_connections_total{app_id="shop",port="6001"} 2',
        '',
        '# HELP service_connected Open WebSocket connections',
        '# TYPE service_connected gauge',
        'service_connected{app_id="shop",port="6001"} 41',
        '',
      ].join('\n'),
    );
  });

  it('gives the same series for the same labels, and keeps it across scrapes', async () => {
    const metrics = testMetrics();
    metrics.counter('ws_messages_sent_total').for({ app_id: 'a' }).add();
    metrics.counter('ws_messages_sent_total').for({ app_id: 'a' }).add();
    await metrics.text();
    metrics.counter('ws_messages_sent_total').for({ app_id: 'a' }).add(Number.NaN);
    metrics.counter('ws_messages_sent_total').for({ app_id: 'a' }).add(-1);
    expect(await metrics.text()).toContain('service_ws_messages_sent_total{app_id="a",port="6001"} 2');
  });

  it('starts counters at 0 once an app or driver is known, asked for before or after', async () => {
    const metrics = testMetrics();
    metrics.counter('new_connections_total');
    metrics.counter('connection_errors_total');
    metrics.gauge('connected');
    metrics.known({ app_id: 'shop' });
    metrics.counter('ws_messages_sent_total');
    metrics.known({ driver: 'nats' });
    metrics.counter('horizontal_broadcast_published_total');
    const text = await metrics.text();
    expect(text.split('\n').filter((line) => !line.startsWith('#') && line !== '')).toEqual([
      'service_new_connections_total{app_id="shop",port="6001"} 0',
      'service_ws_messages_sent_total{app_id="shop",port="6001"} 0',
      'service_horizontal_broadcast_published_total{driver="nats"} 0',
    ]);
  });

  it('shows no label value that a request could have brought', async () => {
    const metrics = testMetrics();
    const durations = metrics.histogram('http_request_duration_seconds');
    for (let n = 0; n < 500; n += 1)
      durations.for({ route: '/up', method: `M${n}`, status: '2xx' }).observe(1);
    durations.for({ route: 'x'.repeat(32_000), method: 'GET', status: '2xx' }).observe(1);
    const text = await metrics.text();
    expect(text).toContain('_count{route="/up",method="other",status="2xx"} 500');
    expect(text).toContain('_count{route="other",method="GET",status="2xx"} 1');
    expect(text.match(/_count\{/g)).toHaveLength(2);
  });

  it('counts unlabelled metrics from 0 and histograms in their buckets', async () => {
    const metrics = testMetrics();
    metrics.counter('commit_batches_total');
    metrics.histogram('commit_transaction_ms').for().observe(3);
    metrics.histogram('commit_transaction_ms').for().observe(Number.NaN);
    const text = await metrics.text();
    expect(text).toContain('service_commit_batches_total 0');
    expect(text).toContain('service_commit_transaction_ms_bucket{le="2.5"} 0');
    expect(text).toContain('service_commit_transaction_ms_bucket{le="5"} 1');
    expect(text).toContain('service_commit_transaction_ms_count 1');
  });

  it('folds label sets beyond the bound into one and warns once', async () => {
    const { logging, records } = capturedLog();
    const log = logging.for('service::ops');
    const metrics = new Metrics({ prefix: 'p_', port: 1, log, max_series_per_metric: 3 });
    const errors = metrics.counter('connection_errors_total');
    for (let i = 0; i < 1000; i += 1) errors.for({ app_id: `app${i}`, error_type: 'over_quota' }).add();
    for (let i = 0; i < 1000; i += 1) metrics.known({ app_id: `app${i}` });
    const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('p_'));
    expect(lines).toHaveLength(4);
    expect(lines.at(-1)).toBe('p_connection_errors_total{app_id="other",error_type="other",port="1"} 997');
    expect(records().map(({ fields }) => fields['metric'])).toEqual(['connection_errors_total']);
  });

  it('has a table of valid names whose labels cannot name a client thing', () => {
    expect(rows.length).toBeGreaterThan(180);
    for (const [name, row] of rows) {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(row.help).not.toBe('');
      expect(row.type === 'histogram').toBe(row.buckets.length > 0);
      expect([...row.buckets]).toEqual([...row.buckets].sort((a, b) => a - b));
      for (const label of row.labels as readonly string[]) {
        expect(label).toMatch(/^[a-z_]+$/);
        expect(['channel', 'user_id', 'socket_id', 'message_id', 'url', 'error']).not.toContain(label);
      }
    }
  });

  it('shows the process and the runtime under their standard names', async () => {
    const metrics = testMetrics();
    await showProcessMetrics(metrics);
    const stop = showNodejsMetrics(metrics);
    const text = await metrics.text();
    stop();
    const value = (name: string): number => Number(text.match(new RegExp(`^${name} (\\S+)$`, 'm'))?.[1]);
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e6);
    expect(value('process_virtual_memory_bytes')).toBeGreaterThan(value('process_resident_memory_bytes'));
    expect(value('process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(value('process_start_time_seconds')).toBeLessThanOrEqual(Date.now() / 1000);
    expect(value('process_open_fds')).toBeGreaterThan(3);
    expect(value('process_max_fds')).toBeGreaterThan(value('process_open_fds'));
    expect(value('service_nodejs_heap_used_bytes')).toBeGreaterThan(1e6);
    expect(value('service_nodejs_eventloop_utilization')).toBeGreaterThanOrEqual(0);
    expect(text).toContain('service_nodejs_gc_duration_seconds_count{kind="minor"}');
  });
});
