import { CLUSTER_METRICS } from './rows/cluster.js';
import { CONNECTION_METRICS } from './rows/connections.js';
import { HISTORY_METRICS } from './rows/history.js';
import { INGEST_METRICS } from './rows/ingest.js';
import { MANAGEMENT_METRICS } from './rows/management.js';
import { MESSAGE_METRICS } from './rows/messages.js';
import { PROCESS_METRICS } from './rows/process.js';
import { PUSH_METRICS } from './rows/push.js';

/** The tables with the titles of their sections in the reference. */
export const METRIC_SECTIONS = [
  ['Connections, HTTP, channels', CONNECTION_METRICS],
  ['History and commits', HISTORY_METRICS],
  ['Messages, annotations, AI transport', MESSAGE_METRICS],
  ['Cluster', CLUSTER_METRICS],
  ['Queues, webhooks, cleanup, process', PROCESS_METRICS],
  ['Push', PUSH_METRICS],
  ['Ingest', INGEST_METRICS],
  ['Management API', MANAGEMENT_METRICS],
] as const;

/**
 * Every metric of the service, by its name without the configured prefix. Label values are bounded: never a channel
 * name, user id, socket id, message id, URL or error text.
 */
export const METRICS = {
  ...CONNECTION_METRICS,
  ...HISTORY_METRICS,
  ...MESSAGE_METRICS,
  ...CLUSTER_METRICS,
  ...PROCESS_METRICS,
  ...PUSH_METRICS,
  ...INGEST_METRICS,
  ...MANAGEMENT_METRICS,
} as const;

type Rows = typeof METRICS;

/** Names of the metrics of one type. */
export type MetricName<Type extends 'counter' | 'gauge' | 'histogram'> = {
  [Name in keyof Rows]: Rows[Name]['type'] extends Type ? Name : never;
}[keyof Rows];

/** Labels a caller gives for a metric: all but `port`, which the registry knows. */
export type MetricLabels<Name extends keyof Rows> = Readonly<
  Record<Exclude<Rows[Name]['labels'][number], 'port'>, string>
>;
