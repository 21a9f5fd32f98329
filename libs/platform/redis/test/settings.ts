import { configure, type Config } from '@carillon/config';
import {
  openRedisLink,
  redisTarget,
  type RedisLink,
  type RedisLinkOptions,
  type RedisUse,
} from '../src/index.js';

/** `database.redis` from environment variables and a file. */
export function redisSettings(env: Record<string, string>, file = ''): Config['database']['redis'] {
  const outcome = configure({
    process: 'server',
    argv: [],
    env: { ENVIRONMENT: 'development', ...env },
    cwd: '/nowhere',
    files: { exists: () => true, read: () => file },
  });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  return outcome.config.database.redis;
}

export const REDIS: RedisUse = { driver: 'redis', urlOverride: null, clusterMode: false };
export const CLUSTER: RedisUse = { ...REDIS, driver: 'redis-cluster' };

/** The way to a single server. */
export const to = (url: string) => redisTarget(redisSettings({}), { ...REDIS, urlOverride: url });

/** The way to a cluster. */
export const toCluster = (urls: string) => redisTarget(redisSettings({ REDIS_CLUSTER_NODES: urls }), CLUSTER);

export interface HeardLink {
  readonly link: RedisLink;
  /** Events of the listener. */
  readonly heard: string[];
}

export async function openLink(options: Omit<RedisLinkOptions, 'listener'>): Promise<HeardLink> {
  const heard: string[] = [];
  const listener = { lost: () => heard.push('lost'), restored: () => heard.push('restored') };
  return { link: await openRedisLink({ ...options, listener }), heard };
}
