import {
  bool,
  bound,
  clusterNodes,
  derived,
  dynamoName,
  each,
  enumeration,
  identifier,
  isUrl,
  list,
  matches,
  notEmpty,
  optional,
  path,
  rows,
  secret,
  string,
  table,
  u16,
  u32,
  u64,
} from '../kernel/index.js';
import { tlsBlock } from './tls-block.js';

const REDIS = 'DATABASE_REDIS';

const redisCluster = table({
  nodes: clusterNodes({
    default: [],
    env: ['REDIS_CLUSTER_NODES', `${REDIS}_CLUSTER_NODES`],
    aliases: ['database.redis.cluster_nodes'],
    bounds: [each(notEmpty)],
    meaning: 'Cluster nodes; a table item defaults to `127.0.0.1` and 7000',
  }),
  username: optional(
    string({ default: null, emptyClears: true, env: `${REDIS}_CLUSTER_USERNAME`, meaning: 'User' }),
  ),
  password: optional(secret({ default: null, env: `${REDIS}_CLUSTER_PASSWORD`, meaning: 'Password' })),
  use_tls: bool({
    default: false,
    env: `${REDIS}_CLUSTER_USE_TLS`,
    aliases: ['database.redis.cluster.useTLS'],
    meaning: 'Use TLS',
  }),
});

const redis = table({
  host: string({
    default: '127.0.0.1',
    notEmpty: true,
    env: `${REDIS}_HOST`,
    meaning: 'Host; may carry `redis://` or `rediss://`',
  }),
  port: u16({ default: 6379, min: 1, max: 65_535, env: `${REDIS}_PORT`, meaning: 'Port' }),
  db: u32({
    default: 0,
    env: `${REDIS}_DB`,
    bounds: [bound('0 in cluster mode', () => null)],
    meaning: 'Database number',
  }),
  username: optional(string({ default: null, emptyClears: true, env: `${REDIS}_USERNAME`, meaning: 'User' })),
  password: optional(secret({ default: null, env: `${REDIS}_PASSWORD`, meaning: 'Password' })),
  key_prefix: string({ default: 'service:', env: `${REDIS}_KEY_PREFIX`, meaning: 'In front of every key' }),
  sentinels: rows({
    row: table({
      host: string({ default: 'localhost', notEmpty: true, meaning: 'Host' }),
      port: u16({ default: 26_379, min: 1, max: 65_535, meaning: 'Port' }),
    }),
    meaning: 'Sentinels; not empty enables sentinel mode',
  }),
  sentinel_username: optional(
    string({
      default: null,
      emptyClears: true,
      env: `${REDIS}_SENTINEL_USERNAME`,
      meaning: 'User at the sentinels',
    }),
  ),
  sentinel_password: optional(
    secret({
      default: null,
      emptyClears: true,
      env: `${REDIS}_SENTINEL_PASSWORD`,
      meaning: 'Password at the sentinels',
    }),
  ),
  name: string({ default: 'mymaster', notEmpty: true, meaning: 'Name of the monitored master' }),
  sentinel_tls: tlsBlock(`${REDIS}_SENTINEL_TLS`),
  master_tls: tlsBlock(`${REDIS}_MASTER_TLS`),
  cluster: redisCluster,
});

const cacheTtl = () =>
  u64({ default: 300, unit: 's', env: 'CACHE_TTL_SECONDS', meaning: 'How long apps are remembered' });
const cacheCapacity = () => u64({ default: 100, min: 1, meaning: 'Apps remembered' });

function sql(env: string, initial: { port: number; username: string }, userEnv: readonly string[]) {
  const pool = (key: string, meaning: string) =>
    optional(u32({ default: null, env: `${env}_${key}`, meaning }));
  return {
    host: string({ default: 'localhost', notEmpty: true, env: `${env}_HOST`, meaning: 'Host' }),
    port: u16({ default: initial.port, min: 1, max: 65_535, env: `${env}_PORT`, meaning: 'Port' }),
    username: string({ default: initial.username, env: [...userEnv, `${env}_USERNAME`], meaning: 'User' }),
    password: secret({ default: '', env: `${env}_PASSWORD`, meaning: 'Password' }),
    database: string({ default: 'service', notEmpty: true, env: `${env}_DATABASE`, meaning: 'Database' }),
    table_name: string({
      default: 'applications',
      bounds: [identifier],
      env: `${env}_TABLE_NAME`,
      meaning: 'Table of the apps',
    }),
    connection_pool_size: u32({
      default: 10,
      min: 1,
      env: 'DATABASE_CONNECTION_POOL_SIZE',
      meaning: 'Most connections when `database_pooling` is off',
    }),
    pool_min: pool('POOL_MIN', 'Connections kept open; wins over `database_pooling.min`'),
    pool_max: pool('POOL_MAX', 'Most connections; wins over `database_pooling.max`'),
    cache_ttl: cacheTtl(),
    cache_cleanup_interval: u64({
      default: 60,
      min: 1,
      unit: 's',
      meaning: 'Time between two removals of forgotten apps',
    }),
    cache_max_capacity: cacheCapacity(),
  };
}

const postgres = table({
  ...sql('DATABASE_POSTGRES', { port: 5432, username: 'postgres' }, ['DATABASE_POSTGRES_USER']),
  host: derived(
    string({
      default: null,
      notEmpty: true,
      env: 'DATABASE_POSTGRES_HOST',
      meaning: 'Host; giving one turns the embedded PostgreSQL off',
    }),
    '`localhost`',
  ),
  embedded: derived(
    bool({
      default: null,
      meaning:
        'Keep durable records, and push where its queue is memory, in a PostgreSQL that comes along; single node only',
    }),
    'true when `history.backend` or `push.storage_driver` is postgres, the adapter is local and no host is given',
  ),
  embedded_path: path({
    default: './data/postgres',
    notEmpty: true,
    env: 'DATABASE_POSTGRES_EMBEDDED_PATH',
    meaning: 'Folder of the embedded PostgreSQL',
  }),
});

const dynamodb = table({
  region: string({
    default: 'us-east-1',
    notEmpty: true,
    env: 'DATABASE_DYNAMODB_REGION',
    meaning: 'Region',
  }),
  table_name: string({
    default: 'service-applications',
    bounds: [dynamoName],
    env: 'DATABASE_DYNAMODB_TABLE_NAME',
    meaning: 'Table of the apps',
  }),
  endpoint_url: optional(
    string({
      default: null,
      bounds: [isUrl],
      env: 'DATABASE_DYNAMODB_ENDPOINT_URL',
      meaning: 'Endpoint instead of the cloud',
    }),
  ),
  aws_access_key_id: optional(
    string({
      default: null,
      env: 'AWS_ACCESS_KEY_ID',
      bounds: [bound('with aws_secret_access_key', () => null)],
      meaning: 'Access key',
    }),
  ),
  aws_secret_access_key: optional(
    secret({ default: null, env: 'AWS_SECRET_ACCESS_KEY', meaning: 'Secret of the access key' }),
  ),
  aws_profile_name: optional(string({ default: null, meaning: 'Profile of the shared credentials file' })),
});

const SURREAL = 'DATABASE_SURREALDB';
const surrealdb = table({
  url: string({
    default: 'ws://127.0.0.1:8000',
    bounds: [isUrl],
    env: `${SURREAL}_URL`,
    meaning: 'Server address',
  }),
  namespace: string({
    default: 'service',
    bounds: [identifier],
    env: `${SURREAL}_NAMESPACE`,
    meaning: 'Namespace',
  }),
  database: string({ default: 'service', notEmpty: true, env: `${SURREAL}_DATABASE`, meaning: 'Database' }),
  username: string({ default: 'root', env: `${SURREAL}_USERNAME`, meaning: 'User' }),
  password: secret({ default: 'root', env: `${SURREAL}_PASSWORD`, meaning: 'Password' }),
  table_name: string({
    default: 'applications',
    bounds: [identifier],
    env: `${SURREAL}_TABLE_NAME`,
    meaning: 'Table of the apps',
  }),
  cache_ttl: cacheTtl(),
  cache_max_capacity: cacheCapacity(),
});

/** An IPv6 address is in brackets. */
const scyllaNode = matches(/^(\[[\da-fA-F:.]+\]|[^\s:/@[\]]+)(:\d{1,5})?$/, '`host` or `host:port`');

const scylladb = table({
  nodes: list({
    default: ['127.0.0.1:9042'],
    bounds: [notEmpty, each(scyllaNode)],
    env: 'SCYLLADB_NODES',
    meaning: 'Nodes of one data center as `host:port`; the port is 9042 unless given',
  }),
  keyspace: string({
    default: 'service',
    bounds: [identifier],
    env: 'SCYLLADB_KEYSPACE',
    meaning: 'Keyspace',
  }),
  table_name: string({ default: 'applications', bounds: [identifier], meaning: 'Table of the apps' }),
  username: optional(string({ default: null, meaning: 'User' })),
  password: optional(secret({ default: null, meaning: 'Password' })),
  replication_class: enumeration({
    values: ['SimpleStrategy', 'NetworkTopologyStrategy'],
    spellings: { simplestrategy: 'SimpleStrategy', networktopologystrategy: 'NetworkTopologyStrategy' },
    default: 'SimpleStrategy',
    env: 'SCYLLADB_REPLICATION_CLASS',
    meaning: 'Replication of a new keyspace',
  }),
  replication_factor: u32({
    default: 3,
    min: 1,
    env: 'SCYLLADB_REPLICATION_FACTOR',
    meaning: 'Copies of every row',
  }),
});

export const database = table({
  redis,
  mysql: table(sql('DATABASE_MYSQL', { port: 3306, username: 'root' }, [])),
  postgres,
  dynamodb,
  surrealdb,
  scylladb,
});

export const databasePooling = table({
  enabled: bool({
    default: true,
    env: 'DATABASE_POOLING_ENABLED',
    meaning: 'Pools grow and shrink between `min` and `max`',
  }),
  min: u32({
    default: 2,
    env: 'DATABASE_POOL_MIN',
    bounds: [bound('≤ max', () => null)],
    meaning: 'Connections kept open',
  }),
  max: u32({ default: 10, min: 1, env: 'DATABASE_POOL_MAX', meaning: 'Most connections' }),
});
