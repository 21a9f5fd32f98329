import type { Config } from '@carillon/config';
import { maxMessageBytes } from '@carillon/contracts';
import type { ClusterOptions } from './cluster-parts.js';
import type { DiscoveryOptions } from './discovery.js';

/** Settings common to the configuration blocks of all brokers. */
export interface ClusterSettings {
  readonly requestTimeoutMs: number;
  readonly nodesNumber: number | null;
  readonly discovery?: DiscoveryOptions;
  readonly maxReconnects?: number | null;
  /** Largest message of the broker. Absent: it accepts the largest message of the service. */
  readonly largestMessageBytes?: number;
}

const DISCOVERY: DiscoveryOptions = { maxWaitMs: 1000, idleWaitMs: 150 };

const QUICK_TIMEOUT_MIN_MS = 200;

const KIB = 1024;
const MIB = 1024 * KIB;
/** A payload that is not a text becomes one inside of two others, and each may put a backslash before a character. */
const GROWTH = 4;
/** Timers take no more. */
const LONGEST_MS = 2 ** 31 - 1;

/** The configured way to run an installation of several processes. */
export function clusterOptions(
  {
    adapter,
    http_api,
    websocket_max_payload_kb,
  }: Pick<Config, 'adapter' | 'http_api' | 'websocket_max_payload_kb'>,
  broker: ClusterSettings,
): ClusterOptions {
  const { interest, cluster_health: health } = adapter;
  const largestPayload = Math.max(http_api.request_limit_in_mb * MIB, websocket_max_payload_kb * KIB);
  return {
    routing: adapter.routing,
    isWatching: health.enabled,
    heartbeatIntervalMs: atMost(health.heartbeat_interval_ms),
    nodeTimeoutMs: health.node_timeout_ms,
    cleanupIntervalMs: atMost(health.cleanup_interval_ms),
    lingerMs: atMost(interest.linger_ms),
    confirmTimeoutMs: atMost(interest.confirm_timeout_ms),
    coalesceMs: interest.coalesce_ms,
    coalesceMax: interest.coalesce_max,
    requestTimeoutMs: atMost(broker.requestTimeoutMs),
    quickTimeoutMinMs: QUICK_TIMEOUT_MIN_MS,
    nodesNumber: broker.nodesNumber,
    discovery: broker.discovery ?? DISCOVERY,
    maxReconnects: broker.maxReconnects ?? null,
    maxMessageBytes: Math.min(
      maxMessageBytes(largestPayload * GROWTH),
      broker.largestMessageBytes ?? Infinity,
    ),
  };
}

const atMost = (ms: number): number => Math.min(ms, LONGEST_MS);
