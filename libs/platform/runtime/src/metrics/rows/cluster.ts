import { APP, counter, gauge, histogram, MILLISECONDS, SECONDS } from '../metric-row.js';

const DRIVER = ['driver'] as const;

/** Traffic and membership between nodes (spec 50 §5.3). */
export const CLUSTER_METRICS = {
  horizontal_adapter_resolve_time: histogram(
    MILLISECONDS,
    APP,
    'Milliseconds to a complete or timed-out answer',
  ),
  horizontal_adapter_resolved_promises: counter(APP, 'Requests every peer answered'),
  horizontal_adapter_uncomplete_promises: counter(APP, 'Requests some peer did not answer'),
  horizontal_adapter_sent_requests: counter(APP, 'Requests sent to peers'),
  horizontal_adapter_received_requests: counter(APP, 'Requests received from peers'),
  horizontal_adapter_received_responses: counter(APP, 'Answers received from peers'),
  horizontal_transport_queue_depth: gauge(DRIVER, 'Messages waiting to be sent'),
  horizontal_transport_messages_dropped_total: counter(DRIVER, 'Messages dropped by a full buffer'),
  horizontal_transport_reconnections_total: counter(DRIVER, 'Reconnections to the broker'),
  nats_events_total: counter(['event'], 'Events of the NATS connection'),
  horizontal_broadcast_published_total: counter(DRIVER, 'Broadcasts published'),
  horizontal_broadcast_received_total: counter(DRIVER, 'Broadcasts received'),
  horizontal_broadcast_unneeded_total: counter(DRIVER, 'Broadcasts received without a local subscriber'),
  horizontal_interest_channels: gauge(DRIVER, 'Channels this node has declared interest in'),
  horizontal_interest_subscribe_seconds: histogram(
    SECONDS,
    DRIVER,
    'Time until the broker confirms interest',
  ),
  horizontal_interest_timeouts_total: counter(DRIVER, 'Interest the broker did not confirm in time'),
  horizontal_interest_refused_total: counter(DRIVER, 'Interest the broker does not take'),
  cluster_nodes: gauge([], 'Nodes known to be alive, this one included'),
  cluster_dead_nodes_total: counter([], 'Nodes declared dead'),
  cluster_is_leader: gauge([], '1 on the node that cleans up after dead ones'),
} as const;
