// Writes the boards of Grafana from a table of questions: node deploy/grafana/make-boards.js [--check]
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const per = (expression, labels = 'instance') => `sum by (${labels}) (${expression})`;
const rate = (metric, labels = '') => `rate(${metric}${labels}[$__rate_interval])`;
const quantile = (q, metric, labels = '') =>
  `histogram_quantile(${q}, sum by (le${labels === '' ? '' : `, ${labels}`}) (${rate(`${metric}_bucket`)}))`;

/** Each row of a board: what is asked, in which unit, and the queries that answer it by the name of their lines. */
const BOARDS = {
  fleet: [
    ['Nodes alive', 'short', { '{{instance}}': 'service_cluster_nodes' }],
    ['Dependencies', 'short', { '{{instance}} {{dependency}}': 'service_dependency_up' }],
    ['Draining', 'short', { '{{instance}}': 'service_draining' }],
    ['Processor time', 'percentunit', { '{{instance}}': rate('process_cpu_seconds_total') }],
    ['Event loop lag p99', 's', { '{{instance}}': 'service_nodejs_eventloop_lag_seconds' }],
    ['Event loop utilisation', 'percentunit', { '{{instance}}': 'service_nodejs_eventloop_utilization' }],
    ['Resident memory', 'bytes', { '{{instance}}': 'process_resident_memory_bytes' }],
    ['Open file descriptors', 'short', { '{{instance}}': 'process_open_fds' }],
    [
      'HTTP requests by status',
      'reqps',
      { '{{status}}': per(rate('service_http_request_duration_seconds_count'), 'status') },
    ],
    [
      'HTTP time p99 by route',
      's',
      { '{{route}}': quantile(0.99, 'service_http_request_duration_seconds', 'route') },
    ],
    [
      'Broadcasts between nodes',
      'ops',
      {
        published: `sum(${rate('service_horizontal_broadcast_published_total')})`,
        received: `sum(${rate('service_horizontal_broadcast_received_total')})`,
        unneeded: `sum(${rate('service_horizontal_broadcast_unneeded_total')})`,
      },
    ],
    [
      'Broker reconnections',
      'short',
      { '{{instance}}': `increase(service_horizontal_transport_reconnections_total[$__rate_interval])` },
    ],
  ],
  sockets: [
    ['Open connections', 'short', { '{{instance}}': per('service_connected') }],
    ['New connections', 'ops', { '{{instance}}': per(rate('service_new_connections_total')) }],
    [
      'Refused connections by reason',
      'ops',
      { '{{error_type}}': per(rate('service_connection_errors_total'), 'error_type') },
    ],
    [
      'Frames',
      'ops',
      {
        received: `sum(${rate('service_ws_messages_received_total')})`,
        sent: `sum(${rate('service_ws_messages_sent_total')})`,
      },
    ],
    [
      'Time to the last subscriber p99',
      'ms',
      {
        '{{recipient_count_bucket}}': quantile(
          0.99,
          'service_broadcast_latency_ms',
          'recipient_count_bucket',
        ),
      },
    ],
    [
      'Slow clients closed',
      'ops',
      { '{{instance}}': per(rate('service_ws_slow_consumer_disconnects_total')) },
    ],
    [
      'Active channels by kind',
      'short',
      { '{{channel_type}}': per('service_active_channels', 'channel_type') },
    ],
    [
      'Subscriptions',
      'ops',
      {
        made: `sum(${rate('service_channel_subscriptions_total')})`,
        ended: `sum(${rate('service_channel_unsubscriptions_total')})`,
      },
    ],
    [
      'Refused by rate limits',
      'ops',
      { '{{limiter_type}}': per(rate('service_rate_limit_triggered_total'), 'limiter_type') },
    ],
    ['Shedding for memory', 'short', { '{{instance}}': 'service_memory_pressure_shedding' }],
  ],
  durable: [
    [
      'Durable writes',
      'ops',
      {
        written: `sum(${rate('service_history_writes_total')})`,
        failed: `sum(${rate('service_history_write_failures_total')})`,
      },
    ],
    [
      'Time of a commit request',
      'ms',
      {
        p50: quantile(0.5, 'service_commit_request_ms'),
        p99: quantile(0.99, 'service_commit_request_ms'),
      },
    ],
    ['Time of a transaction p99', 'ms', { p99: quantile(0.99, 'service_commit_transaction_ms') }],
    [
      'Records a batch',
      'short',
      {
        mean: `sum(${rate('service_commit_batch_records_sum')}) / sum(${rate('service_commit_batch_records_count')})`,
      },
    ],
    ['Records waiting', 'short', { '{{instance}}': per('service_commit_queue_depth') }],
    ['Lanes served', 'short', { '{{instance}}': 'service_commit_lanes_served' }],
    ['Lane moves', 'ops', { '{{instance}}': rate('service_commit_lane_moves_total') }],
    ['Retries by cause', 'ops', { '{{cause}}': per(rate('service_commit_retries_total'), 'cause') }],
    ['Degraded channels', 'short', { '{{app_id}}': 'sum by (app_id) (service_history_degraded_channels)' }],
    ['Gaps filled', 'ops', { '{{result}}': per(rate('service_gateway_gap_fetch_total'), 'result') }],
    [
      'Recoveries refused',
      'ops',
      { '{{code}}': per(rate('service_history_recovery_failures_total'), 'code') },
    ],
  ],
  push: [
    [
      'Accepted publishes',
      'ops',
      { '{{result}}': per(rate('service_push_publish_accepted_total'), 'result') },
    ],
    [
      'Provider calls',
      'ops',
      { '{{provider}} {{status}}': per(rate('service_push_dispatched_total'), 'provider, status') },
    ],
    [
      'Time of provider calls p99',
      's',
      { '{{provider}}': quantile(0.99, 'service_push_dispatch_duration_seconds', 'provider') },
    ],
    [
      'Oldest item of a stage',
      's',
      { '{{stage}} {{state}}': 'max by (stage, state) (service_push_queue_oldest_age_seconds)' },
    ],
    [
      'Circuit breakers',
      'short',
      { '{{provider}}': 'max by (provider) (service_push_circuit_breaker_state)' },
    ],
    [
      'Retries',
      'ops',
      {
        scheduled: `sum(${rate('service_push_retry_scheduled_total')})`,
        'given up': `sum(${rate('service_push_retry_expired_total')})`,
        'dead letters': `sum(${rate('service_push_retry_dead_lettered_total')})`,
      },
    ],
    ['Devices by state', 'short', { '{{state}}': 'sum by (state) (service_push_devices_total)' }],
    ['Lateness of the scheduler', 's', { lag: 'max(service_push_scheduler_lag_seconds)' }],
  ],
  webhooks: [
    ['Calls by outcome', 'ops', { '{{outcome}}': per(rate('service_webhook_deliveries_total'), 'outcome') }],
    ['Time of calls p99', 'ms', { p99: quantile(0.99, 'service_webhook_delivery_latency_ms') }],
    ['Jobs by state', 'short', { '{{queue}} {{state}}': 'max by (queue, state) (service_queue_jobs)' }],
    ['Oldest ready job', 's', { '{{queue}}': 'max by (queue) (service_queue_oldest_ready_age_seconds)' }],
    ['Events lost', 'ops', { '{{app_id}}': per(rate('service_webhook_events_dropped_total'), 'app_id') }],
    [
      'Jobs settled',
      'ops',
      { '{{queue}} {{outcome}}': per(rate('service_queue_settled_total'), 'queue, outcome') },
    ],
  ],
};

const WIDTH = 12;
const HEIGHT = 8;
const source = { type: 'prometheus', uid: 'prometheus' };

const panel = ([title, unit, lines], index) => ({
  id: index + 1,
  type: 'timeseries',
  title,
  datasource: source,
  gridPos: { x: (index % 2) * WIDTH, y: Math.floor(index / 2) * HEIGHT, w: WIDTH, h: HEIGHT },
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  targets: Object.entries(lines).map(([legendFormat, expr], at) => ({
    refId: String.fromCodePoint('A'.codePointAt(0) + at),
    datasource: source,
    expr,
    legendFormat,
  })),
});

const board = (name, rows) => ({
  uid: `carillon-${name}`,
  title: `Carillon: ${name}`,
  tags: ['carillon'],
  schemaVersion: 41,
  editable: true,
  refresh: '30s',
  time: { from: 'now-1h', to: 'now' },
  panels: rows.map(panel),
});

const check = process.argv.includes('--check');
let drifted = 0;
for (const [name, rows] of Object.entries(BOARDS)) {
  const path = join(import.meta.dirname, 'boards', `${name}.json`);
  const text = `${JSON.stringify(board(name, rows), null, 2)}\n`;
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
  drifted += 1;
  if (check) process.stderr.write(`${path} is out of date\n`);
  else writeFileSync(path, text);
}
process.exitCode = check && drifted > 0 ? 1 : 0;
