import type { Config } from '@carillon/config';
import { openRedisLink, redisTarget } from '@carillon/redis';
import type { Logger } from '@carillon/runtime';
import { PROCESS_CLOCK } from '../../clock.js';
import { Keys } from '../../cluster/keys.js';
import { Ledger } from '../../cluster/ledger.js';
import { ClusterStore } from '../../cluster/store.js';
import type { PresencePorts } from '../../ports.js';
import { MemoryConnectionQuota } from '../memory/memory-counts.js';
import { RedisChannelCounts } from './redis-channel-counts.js';
import { RedisConnectionQuota } from './redis-connection-quota.js';
import { RedisPresence } from './redis-presence.js';

const NO_TIME_MS = 0;

/** Opens presence over the shared store of the cache. Connects in the background. */
export async function openRedisPorts(config: Config, log: Logger): Promise<PresencePorts> {
  const { adapter, cache, database, instance } = config;
  const { node_timeout_ms, heartbeat_interval_ms, cleanup_interval_ms } = adapter.cluster_health;
  const target = redisTarget(database.redis, {
    driver: cache.driver,
    urlOverride: cache.redis.url_override,
    clusterMode: cache.redis.cluster_mode,
  });
  const link = await openRedisLink({
    target,
    listener: {
      lost: (reason) =>
        log.warn('connection to the shared presence lost', { error: reason, retryable: true }),
      restored: () => {
        log.info('connection to the shared presence is back');
        ledger.restored();
      },
      moved: () => ledger.restored(),
    },
  });
  const keys = new Keys(`${database.redis.key_prefix}${cache.redis.prefix}`);
  const ledger: Ledger = new Ledger({
    store: new ClusterStore(link, keys, () => NO_TIME_MS),
    processId: instance.process_id,
    leaseMs: node_timeout_ms,
    beatMs: heartbeat_interval_ms,
    sweepMs: cleanup_interval_ms,
    clock: PROCESS_CLOCK,
    onTrouble: (what, error) => log.warn('the shared presence is in trouble', { doing: what, error }),
  });
  return {
    presence: new RedisPresence({
      ledger,
      onObserverFault: (error, { kind, appId }) =>
        log.error('a presence change was not handled', { error, kind, app_id: appId }),
    }),
    channelCounts: new RedisChannelCounts(ledger, (error, { kind, appId }) =>
      log.error('a change of subscriptions was not handled', { error, kind, app_id: appId }),
    ),
    connectionQuota: adapter.enable_socket_counting
      ? new RedisConnectionQuota(ledger)
      : new MemoryConnectionQuota(),
    connect: () => ledger.connect(),
  };
}
