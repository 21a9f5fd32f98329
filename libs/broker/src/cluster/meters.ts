import type { LogFields, Metrics } from '@carillon/runtime';

/** Counters of the cluster broker. */
export interface ClusterMeters {
  dropped(): void;
  published(): void;
  received(): void;
  unneeded(): void;
  reconnected(): void;
  interestConfirmed(afterMs: number): void;
  interestTimeout(): void;
  interestRefused(): void;
  asked(appId: string): void;
  /** A question came to its end. */
  resolved(appId: string, afterMs: number, complete: boolean): void;
  requestReceived(appId: string): void;
  responseReceived(appId: string): void;
  nodeDead(): void;
}

/** Values read at each scrape. */
export interface ClusterReadings {
  readonly queueDepth: number;
  readonly interestChannels: number;
  readonly nodes: number;
  readonly isLeader: boolean;
}

/** Log of the cluster broker; the implementation limits the rate of warnings. */
export interface ClusterLog {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Counts in the metrics of the process. */
export function clusterMeters(
  metrics: Metrics,
  driver: string,
  readings: () => ClusterReadings,
): ClusterMeters {
  const of = { driver };
  const counters = {
    dropped: metrics.counter('horizontal_transport_messages_dropped_total').for(of),
    published: metrics.counter('horizontal_broadcast_published_total').for(of),
    received: metrics.counter('horizontal_broadcast_received_total').for(of),
    unneeded: metrics.counter('horizontal_broadcast_unneeded_total').for(of),
    reconnected: metrics.counter('horizontal_transport_reconnections_total').for(of),
    interestTimeout: metrics.counter('horizontal_interest_timeouts_total').for(of),
    interestRefused: metrics.counter('horizontal_interest_refused_total').for(of),
    nodeDead: metrics.counter('cluster_dead_nodes_total').for(),
  };
  const confirmed = metrics.histogram('horizontal_interest_subscribe_seconds').for(of);
  const sent = metrics.counter('horizontal_adapter_sent_requests');
  const requests = metrics.counter('horizontal_adapter_received_requests');
  const responses = metrics.counter('horizontal_adapter_received_responses');
  const resolved = metrics.counter('horizontal_adapter_resolved_promises');
  const uncomplete = metrics.counter('horizontal_adapter_uncomplete_promises');
  const time = metrics.histogram('horizontal_adapter_resolve_time');
  show(metrics, driver, readings);
  return {
    dropped: () => counters.dropped.add(),
    published: () => counters.published.add(),
    received: () => counters.received.add(),
    unneeded: () => counters.unneeded.add(),
    reconnected: () => counters.reconnected.add(),
    interestTimeout: () => counters.interestTimeout.add(),
    interestRefused: () => counters.interestRefused.add(),
    nodeDead: () => counters.nodeDead.add(),
    interestConfirmed: (afterMs) => confirmed.observe(afterMs / 1000),
    asked: (app_id) => sent.for({ app_id }).add(),
    requestReceived: (app_id) => requests.for({ app_id }).add(),
    responseReceived: (app_id) => responses.for({ app_id }).add(),
    resolved: (app_id, afterMs, complete) => {
      (complete ? resolved : uncomplete).for({ app_id }).add();
      time.for({ app_id }).observe(afterMs);
    },
  };
}

function show(metrics: Metrics, driver: string, readings: () => ClusterReadings): void {
  const depth = metrics.gauge('horizontal_transport_queue_depth').for({ driver });
  const channels = metrics.gauge('horizontal_interest_channels').for({ driver });
  const nodes = metrics.gauge('cluster_nodes').for();
  const leader = metrics.gauge('cluster_is_leader').for();
  metrics.onScrape(() => {
    const now = readings();
    depth.set(now.queueDepth);
    channels.set(now.interestChannels);
    nodes.set(now.nodes);
    leader.set(now.isLeader ? 1 : 0);
  });
}
