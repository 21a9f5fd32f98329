import type { Config } from '../schema/index.js';
import { isProduction } from '../mode.js';
import { clustered, rule, ruleEach, type Rule } from './rule.js';

const INTEREST = new Set(['nats', 'redis', 'redis-cluster']);

const routing: Rule = {
  id: 'routing',
  severity: 'error',
  check: ({ config: { adapter } }) =>
    adapter.routing === 'broadcast' || INTEREST.has(adapter.driver)
      ? []
      : [
          {
            path: 'adapter',
            message: `routing=${adapter.routing} is not supported by driver ${adapter.driver}`,
          },
        ],
};

/** The sections that configure their own broker connection. */
const BLOCKS = ['adapter', 'queue'] as const;

const selected = (config: Config, driver: string): boolean =>
  config.queue.driver === driver || config.push.queue_driver === driver;

/** Rules of the adapter, its brokers and the drivers they share with the queue. */
export const adapterRules: readonly Rule[] = [
  routing,
  rule(
    'heartbeat',
    'adapter.cluster_health.heartbeat_interval_ms',
    'must be at most one third of node_timeout_ms',
    ({ adapter: { cluster_health: health } }) => health.heartbeat_interval_ms * 3 > health.node_timeout_ms,
  ),
  rule(
    'dead-node-search',
    'adapter.cluster_health.cleanup_interval_ms',
    'must be at most node_timeout_ms',
    ({ adapter: { cluster_health: health } }) => health.cleanup_interval_ms > health.node_timeout_ms,
  ),
  rule(
    'cluster-nodes',
    '',
    'adapter.cluster.nodes must not be empty',
    ({ adapter }) => adapter.driver === 'redis-cluster' && adapter.cluster.nodes.length === 0,
  ),
  ruleEach('iggy-partition', BLOCKS, (block, { config }) =>
    config[block].iggy.partition_id >= config[block].iggy.partitions_count
      ? { path: `${block}.iggy`, message: 'partition_id must be below partitions_count' }
      : null,
  ),
  ruleEach('google-project', BLOCKS, (block, { config }) => {
    const used =
      block === 'adapter' ? config.adapter.driver === 'google-pubsub' : selected(config, 'google-pubsub');
    if (!used || config[block].google_pubsub.project_id !== '') return null;
    return { path: `${block}.google_pubsub.project_id`, message: `required when ${block}.driver is set` };
  }),
  rule(
    'sns-topic',
    'queue.sns.topic_arn',
    'required when queue.driver is set',
    (config) => selected(config, 'sns') && config.queue.sns.topic_arn === '',
  ),
  rule(
    'accept-invalid-cluster',
    'adapter.cluster.tls.accept_invalid_certs',
    'certificates are not checked in production',
    (config) => isProduction(config) && config.adapter.cluster.tls.accept_invalid_certs,
    'warning',
  ),
  rule(
    'app-store-per-node',
    'app_manager.driver',
    'apps are kept per node: the driver is memory and the adapter is clustered',
    (config) => clustered(config) && config.app_manager.driver === 'memory',
    'warning',
  ),
];
