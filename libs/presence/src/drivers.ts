import type { Config } from '@carillon/config';
import type { Logger } from '@carillon/runtime';
import type { PresencePorts } from './ports.js';

/**
 * In the memory of a process that is alone, else in the store that processes share. Rejects when they share none: the
 * cache is not one that they could share.
 */
export async function openPorts(config: Config, log: Logger): Promise<PresencePorts> {
  const { adapter, cache } = config;
  if (adapter.driver === 'local') {
    return (await import('./drivers/memory/open.js')).openMemoryPorts(log);
  }
  if (cache.driver !== 'redis' && cache.driver !== 'redis-cluster') {
    throw new Error(
      `presence over adapter.driver=${adapter.driver} requires cache.driver=redis or redis-cluster`,
    );
  }
  return (await import('./drivers/redis/open.js')).openRedisPorts(config, log);
}
