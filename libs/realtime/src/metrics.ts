import { CHANNEL_KINDS, type ChannelKind } from '@carillon/channels';
import type { AppendMeters } from './appends/append-pace.js';
import type { CounterSeries, GaugeSeries, HistogramSeries, Metrics } from '@carillon/runtime';

/** Values of the `type` label of `connection_errors_total`. */
export type ConnectionErrorType =
  | 'app_not_found'
  | 'app_disabled'
  | 'app_validation_failed'
  | 'origin_not_allowed'
  | 'over_quota'
  | 'over_capacity'
  | 'rate_limited'
  | 'unsupported_protocol'
  | 'socket_handling_failed'
  | 'missing_event_name';

/** Counted limits per socket. */
export type SocketLimit = 'client_events' | 'messages';

interface KindMeters {
  readonly subscriptions: CounterSeries;
  readonly unsubscriptions: CounterSeries;
  readonly channels: GaugeSeries;
  /** By audience size, created on demand. */
  readonly latency: Map<string, HistogramSeries>;
}

/** Returns the audience size label of the latency metric. */
function audienceSize(receivers: number): string {
  if (receivers <= 10) return 'xs';
  if (receivers <= 100) return 'sm';
  if (receivers <= 1000) return 'md';
  return receivers <= 10_000 ? 'lg' : 'xl';
}

/** Exposes the socket counters, at 0, for every current and future app. */
export function showSocketMetrics(metrics: Metrics): void {
  metrics.counter('new_connections_total');
  metrics.counter('new_disconnections_total');
  metrics.counter('ws_slow_consumer_disconnects_total');
  metrics.counter('ws_messages_dropped_total');
  metrics.counter('event_filter_suppressed_total');
  metrics.counter('echo_suppressed_total');
  metrics.counter('ws_messages_received_total');
  metrics.counter('ws_messages_sent_total');
  metrics.counter('socket_received_bytes');
  metrics.counter('socket_transmitted_bytes');
}

/** Creates the metrics of cleanup after disconnects; the queue length is read at every scrape. */
export function cleanupMeters(
  metrics: Metrics,
  depth: () => number,
): { readonly fallbacks: CounterSeries; readonly failures: CounterSeries } {
  const waiting = metrics.gauge('cleanup_queue_depth').for();
  metrics.onScrape(() => waiting.set(depth()));
  return {
    fallbacks: metrics.counter('cleanup_sync_fallback_total').for(),
    failures: metrics.counter('cleanup_failures_total').for(),
  };
}

function appendMeters(metrics: Metrics, app_id: string): AppendMeters {
  const delivered = metrics.counter('appends_delivered_total').for({ app_id });
  const ratio = metrics.histogram('rollup_ratio').for({ app_id });
  const latency = metrics.histogram('flush_latency').for({ app_id });
  return {
    delivered: (appends, waitedMs) => {
      delivered.add();
      ratio.observe(appends);
      latency.observe(waitedMs);
    },
  };
}

/** Time series of one app, cached so that counting is one addition. */
export class AppMeters {
  readonly connected: GaugeSeries;
  readonly connections: CounterSeries;
  readonly disconnections: CounterSeries;
  readonly slowDisconnects: CounterSeries;
  readonly dropped: CounterSeries;
  readonly #filtered: CounterSeries;
  readonly #notEchoed: CounterSeries;
  readonly #receivedFrames: CounterSeries;
  readonly #receivedBytes: CounterSeries;
  readonly #sentFrames: CounterSeries;
  readonly #sentBytes: CounterSeries;
  readonly #kinds = new Map<ChannelKind, KindMeters>();
  #appends: AppendMeters | null = null;

  constructor(
    private readonly metrics: Metrics,
    private readonly appId: string,
  ) {
    const labels = { app_id: appId };
    this.connected = metrics.gauge('connected').for(labels);
    this.connections = metrics.counter('new_connections_total').for(labels);
    this.disconnections = metrics.counter('new_disconnections_total').for(labels);
    this.slowDisconnects = metrics.counter('ws_slow_consumer_disconnects_total').for(labels);
    this.dropped = metrics.counter('ws_messages_dropped_total').for(labels);
    this.#filtered = metrics.counter('event_filter_suppressed_total').for(labels);
    this.#notEchoed = metrics.counter('echo_suppressed_total').for(labels);
    this.#receivedFrames = metrics.counter('ws_messages_received_total').for(labels);
    this.#receivedBytes = metrics.counter('socket_received_bytes').for(labels);
    this.#sentFrames = metrics.counter('ws_messages_sent_total').for(labels);
    this.#sentBytes = metrics.counter('socket_transmitted_bytes').for(labels);
    for (const kind of Object.keys(CHANNEL_KINDS) as ChannelKind[]) this.kind(kind);
  }

  received(bytes: number): void {
    this.#receivedFrames.value += 1;
    this.#receivedBytes.value += bytes;
  }

  /** A frame of this size was sent to this number of sockets. */
  sent(sockets: number, bytes: number): void {
    this.#sentFrames.value += sockets;
    this.#sentBytes.value += sockets * bytes;
  }

  /** A filter removed a message for this number of receivers. */
  filtered(receivers: number): void {
    this.#filtered.value += receivers;
  }

  /** A message was not echoed to its sender. */
  notEchoed(): void {
    this.#notEchoed.value += 1;
  }

  /** Metrics of append delivery, created on first use. */
  get appends(): AppendMeters {
    this.#appends ??= appendMeters(this.metrics, this.appId);
    return this.#appends;
  }

  error(type: ConnectionErrorType): void {
    this.metrics.counter('connection_errors_total').for({ app_id: this.appId, error_type: type }).add();
  }

  limit(limiter_type: SocketLimit, allowed: boolean): void {
    const labels = { app_id: this.appId, limiter_type, request_context: 'other' };
    this.metrics.counter('rate_limit_checks_total').for(labels).add();
    if (!allowed) this.metrics.counter('rate_limit_triggered_total').for(labels).add();
  }

  kind(kind: ChannelKind): KindMeters {
    let meters = this.#kinds.get(kind);
    if (meters === undefined) {
      const labels = { app_id: this.appId, channel_type: kind };
      meters = {
        subscriptions: this.metrics.counter('channel_subscriptions_total').for(labels),
        unsubscriptions: this.metrics.counter('channel_unsubscriptions_total').for(labels),
        channels: this.metrics.gauge('active_channels').for(labels),
        latency: new Map(),
      };
      this.#kinds.set(kind, meters);
    }
    return meters;
  }

  /** Latency from the acceptance of a publish to its last local write. */
  delivered(kind: ChannelKind, receivers: number, latencyMs: number): void {
    const { latency } = this.kind(kind);
    const recipient_count_bucket = audienceSize(receivers);
    let series = latency.get(recipient_count_bucket);
    if (series === undefined) {
      const labels = { app_id: this.appId, channel_type: kind, recipient_count_bucket };
      series = this.metrics.histogram('broadcast_latency_ms').for(labels);
      latency.set(recipient_count_bucket, series);
    }
    series.observe(latencyMs);
  }
}
