import { redisTarget, type RedisTarget } from '@carillon/redis';
import { openCluster } from '../../cluster/open-cluster.js';
import type { BrokerConfig, BrokerOptions } from '../../broker-options.js';
import type { OpenedBroker } from '../../port.js';
import { redisWire } from './redis-wire.js';

/** Driver `redis`. */
export async function openRedis(options: BrokerOptions): Promise<OpenedBroker> {
  const { adapter, database } = options.config;
  const { redis_pub_options: pub, redis_sub_options: sub, ...settings } = adapter.redis;
  const to = (urlOverride: string | null): RedisTarget =>
    redisTarget(database.redis, { driver: 'redis', urlOverride, clusterMode: settings.cluster_mode });
  const wire = await redisWire({
    prefix: settings.prefix,
    publishTo: to(pub.url),
    subscribeTo: to(sub.url),
    sharded: false,
  });
  return openCluster(options, wire, { requestTimeoutMs: settings.requests_timeout, nodesNumber: null });
}

/** Driver `redis-cluster`. */
export async function openRedisCluster(options: BrokerOptions): Promise<OpenedBroker> {
  const settings = options.config.adapter.cluster;
  const target = clusterTarget(options.config);
  const wire = await redisWire({
    prefix: settings.prefix,
    publishTo: target,
    subscribeTo: target,
    sharded: settings.use_sharded_pubsub,
  });
  return openCluster(options, wire, { requestTimeoutMs: settings.request_timeout_ms, nodesNumber: null });
}

/** The adapter's own nodes, with the credentials of the database. */
function clusterTarget({ adapter, database }: BrokerConfig): RedisTarget {
  const { nodes, tls } = adapter.cluster;
  const { cluster, master_tls } = database.redis;
  const settings = {
    ...database.redis,
    cluster: { ...cluster, nodes },
    master_tls: tls.enabled ? tls : master_tls,
  };
  return redisTarget(settings, { driver: 'redis-cluster', urlOverride: null, clusterMode: true });
}
