import type { Config } from '@carillon/config';
import { parseRedisAddress, type RedisCredentials, type RedisNode } from './address.js';

type Settings = Config['database']['redis'];

/** TLS settings of one kind of link; files are read when the link is opened. */
export type RedisTls = Settings['master_tls'];

/** Settings of a part of the service besides its driver's name. */
export interface RedisUse {
  readonly driver: string;
  /** `url_override`; null: none. */
  readonly urlOverride: string | null;
  readonly clusterMode: boolean;
}

interface Data {
  readonly credentials: RedisCredentials;
  /** Null: not encrypted. */
  readonly tls: RedisTls | null;
}

export interface StandaloneTarget extends Data {
  readonly kind: 'standalone';
  readonly node: RedisNode;
  readonly db: number;
}

export interface SentinelTarget extends Data {
  readonly kind: 'sentinel';
  /** Asked in this order. */
  readonly sentinels: readonly RedisNode[];
  readonly masterName: string;
  readonly db: number;
  readonly sentinelCredentials: RedisCredentials;
  readonly sentinelTls: RedisTls | null;
}

export interface ClusterTarget extends Data {
  readonly kind: 'cluster';
  /** Seed nodes with their credentials; `credentials` are for members found later. */
  readonly nodes: readonly (RedisNode & RedisCredentials)[];
}

/** Address of the data. */
export type RedisTarget = ClusterTarget | SentinelTarget | StandaloneTarget;

const DEFAULT_PORT = 6379;
const DEFAULT_DB = 0;

const enabled = (tls: RedisTls): RedisTls | null => (tls.enabled ? tls : null);

/**
 * The way `database.redis` and the part's own settings describe; the first that applies of a URL of its own, the
 * cluster, the sentinels, the single server. Throws an error that names the setting that cannot be used.
 */
export function redisTarget(settings: Settings, use: RedisUse): RedisTarget {
  if (use.urlOverride !== null) return overridden(use.urlOverride, settings);
  if (use.driver === 'redis-cluster' || use.clusterMode) return cluster(settings);
  return settings.sentinels.length > 0 ? sentinel(settings) : standalone(settings);
}

/** The URL alone determines address, credentials and TLS; only certificates are those of data links. */
function overridden(url: string, { master_tls: tls }: Settings): StandaloneTarget {
  const { host, port, db, username, password, tls: secure } = parseRedisAddress(url, 'url_override');
  return {
    kind: 'standalone',
    node: { host, port: port ?? DEFAULT_PORT },
    db: db ?? DEFAULT_DB,
    credentials: { username, password },
    tls: secure ? tls : null,
  };
}

function standalone({
  host: text,
  port,
  db,
  username,
  password,
  master_tls: tls,
}: Settings): StandaloneTarget {
  const address = parseRedisAddress(text, 'database.redis.host');
  return {
    kind: 'standalone',
    node: { host: address.host, port: address.port ?? port },
    db: address.db ?? db,
    credentials: address.password === null ? { username, password } : address,
    tls: address.tls ? tls : enabled(tls),
  };
}

function sentinel(settings: Settings): SentinelTarget {
  const { sentinels, name, db, username, password } = settings;
  return {
    kind: 'sentinel',
    sentinels: sentinels.map(({ host, port }) => ({
      host: parseRedisAddress(host, 'database.redis.sentinels').host,
      port,
    })),
    masterName: name,
    db,
    credentials: { username, password },
    sentinelCredentials: { username: settings.sentinel_username, password: settings.sentinel_password },
    tls: enabled(settings.master_tls),
    sentinelTls: enabled(settings.sentinel_tls),
  };
}

function cluster({ cluster: settings, master_tls: tls }: Settings): ClusterTarget {
  const common: RedisCredentials = { username: settings.username, password: settings.password };
  const addresses = settings.nodes.map((text) => parseRedisAddress(text, 'database.redis.cluster.nodes'));
  if (addresses.length === 0) throw new Error('database.redis.cluster.nodes: must not be empty');
  const own = addresses.find(({ password }) => password !== null);
  const secure = settings.use_tls || tls.enabled || addresses.some((address) => address.tls);
  return {
    kind: 'cluster',
    nodes: addresses.map(({ host, port, username, password }) => ({
      host,
      port: port ?? DEFAULT_PORT,
      ...(password === null ? common : { username, password }),
    })),
    credentials: common.password === null && own !== undefined ? own : common,
    tls: secure ? tls : null,
  };
}
