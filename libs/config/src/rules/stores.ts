import { resolve } from 'node:path';
import { valueAt } from '../kernel/walk.js';
import type { Problem } from '../problem.js';
import type { Config } from '../schema/index.js';
import { isProduction } from '../mode.js';
import { clustered, rule, ruleEach, type Rule, type RuleContext } from './rule.js';

const TLS_BLOCKS = [
  'database.redis.sentinel_tls',
  'database.redis.master_tls',
  'adapter.cluster.tls',
] as const;
const TLS_FILES = ['ca_path', 'client_cert_path', 'client_key_path'] as const;

type TlsBlock = Config['database']['redis']['master_tls'];

function missingFiles(path: string, { config, files, cwd }: RuleContext): readonly Problem[] {
  const block = valueAt(config, path) as TlsBlock;
  return TLS_FILES.flatMap((key) => {
    const file = block[key];
    if (file === null || files.exists(resolve(cwd, file))) return [];
    return [{ path: `${path}.${key}`, message: `file not found: ${file}` }];
  });
}

const tlsFiles: Rule = {
  id: 'store-tls-files',
  severity: 'error',
  check: (context) => TLS_BLOCKS.flatMap((path) => missingFiles(path, context)),
};

/** Whether some part reaches the store through the cluster nodes of `database.redis`. */
function usesClusterNodes({ cache, rate_limiter: limiter, adapter, queue }: Config): boolean {
  return (
    cache.driver === 'redis-cluster' ||
    (cache.driver === 'redis' && cache.redis.cluster_mode) ||
    (limiter.enabled && limiter.driver === 'redis-cluster') ||
    (limiter.enabled && limiter.driver === 'redis' && limiter.redis.cluster_mode) ||
    (adapter.driver === 'redis' && adapter.redis.cluster_mode) ||
    (queue.driver === 'redis' && queue.redis.cluster_mode)
  );
}

const clusterMode = (config: Config): boolean =>
  usesClusterNodes(config) ||
  config.adapter.driver === 'redis-cluster' ||
  config.queue.driver === 'redis-cluster';

const SQL = ['mysql', 'postgres'] as const;

/** Rules of the databases and the key-value store. */
export const storeRules: readonly Rule[] = [
  tlsFiles,
  ruleEach('store-tls-pair', TLS_BLOCKS, (path, { config }) => {
    const block = valueAt(config, path) as TlsBlock;
    if ((block.client_cert_path === null) === (block.client_key_path === null)) return null;
    return { path, message: 'client_cert_path and client_key_path must be set together' };
  }),
  ruleEach(
    'accept-invalid-certs',
    TLS_BLOCKS.slice(0, 2),
    (path, { config }) =>
      isProduction(config) && (valueAt(config, path) as TlsBlock).accept_invalid_certs
        ? { path: `${path}.accept_invalid_certs`, message: 'certificates are not checked in production' }
        : null,
    'warning',
  ),
  rule(
    'redis-db',
    'database.redis.db',
    'must be 0 in cluster mode',
    (config) => config.database.redis.db !== 0 && clusterMode(config),
  ),
  rule(
    'redis-cluster-nodes',
    'database.redis.cluster.nodes',
    'must not be empty',
    (config) => usesClusterNodes(config) && config.database.redis.cluster.nodes.length === 0,
  ),
  rule(
    'pooling',
    'database_pooling.min',
    'must be at most max',
    ({ database_pooling: pooling }) => pooling.min > pooling.max,
  ),
  ruleEach('sql-pool', SQL, (name, { config: { database, database_pooling: pooling } }) => {
    const { pool_min: min, pool_max: max } = database[name];
    if (min === null && max === null) return null;
    if (max === 0) return { path: `database.${name}.pool_max`, message: 'must be greater than 0' };
    return (min ?? pooling.min) > (max ?? pooling.max)
      ? { path: `database.${name}.pool_min`, message: 'must be at most pool_max' }
      : null;
  }),
  rule(
    'aws-key-pair',
    'database.dynamodb',
    'aws_access_key_id and aws_secret_access_key must be set together',
    ({ database: { dynamodb } }) =>
      (dynamodb.aws_access_key_id === null) !== (dynamodb.aws_secret_access_key === null),
  ),
  rule(
    'embedded-cluster',
    'database.postgres.embedded',
    'an embedded PostgreSQL serves a single node; adapter.driver must be local',
    (config) => config.database.postgres.embedded && clustered(config),
  ),
];
