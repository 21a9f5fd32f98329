import type { Config, ProcessKind } from '@carillon/config';
import { redisTarget, type RedisTarget } from '@carillon/redis';

type Dialect = 'mysql' | 'postgres';

/** Settings that name a SQL database as a store of this process; empty: it is not used. */
export function sqlUses(config: Config, dialect: Dialect): readonly string[] {
  const {
    app_manager: apps,
    history,
    push,
    presence_history: presence,
    versioned_messages: versions,
  } = config;
  const hasHistory = history.enabled || presence.enabled || versions.enabled;
  return [
    ...(apps.driver === dialect ? ['app_manager.driver'] : []),
    ...(hasHistory && history.backend === dialect ? ['history.backend'] : []),
    ...(hasPush(config) && push.storage_driver === dialect ? ['push.storage_driver'] : []),
  ];
}

const hasPush = ({ push, push_rules: rules }: Config): boolean =>
  rules.length > 0 ||
  push.fcm_enabled ||
  push.apns_enabled ||
  push.webpush_enabled ||
  push.hms_enabled ||
  push.wns_enabled;

/** One Redis installation, and the settings that lead to it. */
export interface RedisUse {
  readonly target: RedisTarget;
  /** `host:port`. */
  readonly address: string;
  readonly settings: string[];
}

/** Redis installations that the configuration uses, each once. */
export function redisUses(config: Config): readonly RedisUse[] {
  const { adapter, cache, queue, push, rate_limiter: limiter, database } = config;
  const found = new Map<string, RedisUse>();
  const add = (
    setting: string,
    driver: string,
    clusterMode: boolean,
    urlOverride: string | null,
    nodes?: readonly string[],
  ): void => {
    if (driver !== 'redis' && driver !== 'redis-cluster') return;
    const { redis } = database;
    const settings = nodes === undefined ? redis : { ...redis, cluster: { ...redis.cluster, nodes } };
    const target = redisTarget(settings, {
      driver,
      urlOverride,
      clusterMode: clusterMode || driver === 'redis-cluster',
    });
    const address = addressOf(target);
    const key = `${target.kind} ${address}`;
    const use = found.get(key);
    if (use === undefined) found.set(key, { target, address, settings: [setting] });
    else if (!use.settings.includes(setting)) use.settings.push(setting);
  };
  add('cache.driver', cache.driver, cache.redis.cluster_mode, cache.redis.url_override);
  if (adapter.driver === 'redis-cluster')
    add('adapter.driver', adapter.driver, true, null, adapter.cluster.nodes);
  else add('adapter.driver', adapter.driver, adapter.redis.cluster_mode, adapter.redis.redis_pub_options.url);
  for (const [setting, driver] of [
    ['queue.driver', queue.driver],
    ['push.queue_driver', hasPush(config) ? push.queue_driver : 'none'],
  ] as const) {
    if (driver === 'redis-cluster') add(setting, driver, true, null, queue.redis_cluster.nodes);
    else add(setting, driver ?? 'none', queue.redis.cluster_mode, queue.redis.url_override);
  }
  if (limiter.enabled)
    add('rate_limiter.driver', limiter.driver, limiter.redis.cluster_mode, limiter.redis.url_override);
  return [...found.values()];
}

function addressOf(target: RedisTarget): string {
  const node =
    target.kind === 'standalone'
      ? target.node
      : target.kind === 'cluster'
        ? target.nodes[0]
        : target.sentinels[0];
  return node === undefined ? '' : `${node.host}:${node.port}`;
}

/** Whether the process accepts sockets. */
export const hasSockets = (process: ProcessKind): boolean => process === 'server' || process === 'gateway';
