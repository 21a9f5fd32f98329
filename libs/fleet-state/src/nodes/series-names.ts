import type { Metrics } from '@carillon/runtime';

/** Time series that the API shows. */
export const SERIES_NAMES = [
  'connections',
  'messages_in',
  'messages_out',
  'http_requests',
  'http_errors',
  'refused_connections',
  'subscriptions',
  'webhooks_ok',
  'webhooks_failed',
  'push_ok',
  'push_failed',
] as const;

export type SeriesName = (typeof SERIES_NAMES)[number];

type Readings = ReturnType<Metrics['readings']>;
type Source = Parameters<Metrics['readings']>[0];

/** Where a series comes from. */
interface Rule {
  readonly source: Source;
  /** Subtracted from the source. */
  readonly less?: Source;
  /** Which readings count. Absent: all. */
  readonly counts?: (labels: Readonly<Record<string, string>>) => boolean;
}

/** Existing metrics, so that nothing is counted twice. Absent: no process counts it, and its values are null. */
export const SERIES_RULES: Readonly<Partial<Record<SeriesName, Rule>>> = {
  connections: { source: 'connected' },
  messages_in: { source: 'messages_published_total' },
  messages_out: { source: 'ws_messages_sent_total' },
  http_requests: { source: 'http_calls_received_total' },
  refused_connections: { source: 'connection_errors_total' },
  subscriptions: { source: 'channel_subscriptions_total', less: 'channel_unsubscriptions_total' },
  webhooks_ok: { source: 'webhook_deliveries_total', counts: ({ outcome }) => outcome === 'ok' },
  webhooks_failed: { source: 'webhook_deliveries_total', counts: ({ outcome }) => outcome !== 'ok' },
  push_ok: { source: 'push_dispatched_total', counts: ({ status }) => isDelivered(status) },
  push_failed: { source: 'push_dispatched_total', counts: ({ status }) => !isDelivered(status) },
};

/** Values that are levels, not numbers of events within a step. */
export const GAUGES: ReadonlySet<SeriesName> = new Set(['connections', 'subscriptions']);

const isDelivered = (status: string | undefined): boolean =>
  status === 'succeeded' || status === 'delivered' || status === 'ok';

/** The value of a series by app. */
export function valuesByApp(
  metrics: Pick<Metrics, 'readings'>,
  name: SeriesName,
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  const rule = SERIES_RULES[name];
  if (rule === undefined) return sums;
  const add = (readings: Readings, sign: number): void => {
    for (const { labels, value } of readings) {
      if (rule.counts?.(labels) === false) continue;
      const app = labels['app_id'] ?? labels['app'] ?? '';
      sums.set(app, (sums.get(app) ?? 0) + sign * value);
    }
  };
  add(metrics.readings(rule.source), 1);
  if (rule.less !== undefined) add(metrics.readings(rule.less), -1);
  return sums;
}
