import type { Cluster, ClusterOptions, Redis, RedisOptions } from 'ioredis';
import type { RedisCredentials } from './address.js';
import type { ClusterTarget, RedisTarget, SentinelTarget } from './target.js';
import { tlsOptions } from './tls-options.js';

/** The client library's own object; nothing outside this room sees it. */
export type RedisClient = Cluster | Redis;

/** Longest wait for an answer, and for a connection. */
export const COMMAND_TIMEOUT_MS = 5000;
const TOPOLOGY_REFRESH_MS = 30_000;

/**
 * Options of every connection. The library neither queues unsendable commands, nor resends, nor reconnects: each
 * could execute a command long after its caller got an error.
 */
const POLICY = {
  connectTimeout: COMMAND_TIMEOUT_MS,
  // A server that is silent this long while it owes an answer is taken for gone.
  socketTimeout: COMMAND_TIMEOUT_MS,
  autoResendUnfulfilledCommands: false,
  retryStrategy: null,
  // A master that became a replica refuses writes: look for the new one.
  reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
} satisfies RedisOptions;

const login = ({ username, password }: RedisCredentials): RedisOptions => ({
  ...(username === null ? {} : { username }),
  ...(password === null ? {} : { password: password.reveal() }),
});

/** A client that is not connected yet. Rejects when a certificate cannot be read. Loads the library. */
export async function createClient(target: RedisTarget): Promise<RedisClient> {
  const library = await import('ioredis');
  const tls = await tlsOptions(target.tls);
  const common: RedisOptions = {
    ...POLICY,
    ...login(target.credentials),
    ...(tls === undefined ? {} : { tls }),
  };
  if (target.kind === 'cluster') return new library.Cluster(startNodes(target), clusterOptions(common));
  const single: RedisOptions = { ...common, db: target.db, enableOfflineQueue: false, lazyConnect: true };
  if (target.kind === 'sentinel') return new library.Redis({ ...single, ...(await sentinelOptions(target)) });
  return new library.Redis({ ...single, ...target.node });
}

async function sentinelOptions(target: SentinelTarget): Promise<RedisOptions> {
  const { username, password } = target.sentinelCredentials;
  const sentinelTLS = await tlsOptions(target.sentinelTls);
  return {
    sentinels: target.sentinels.map(({ host, port }) => ({ host, port })),
    name: target.masterName,
    role: 'master',
    sentinelCommandTimeout: COMMAND_TIMEOUT_MS,
    sentinelRetryStrategy: () => null,
    enableTLSForSentinelMode: target.tls !== null,
    ...(sentinelTLS === undefined ? {} : { sentinelTLS }),
    ...(username === null ? {} : { sentinelUsername: username }),
    ...(password === null ? {} : { sentinelPassword: password.reveal() }),
  };
}

const startNodes = ({ nodes }: ClusterTarget) =>
  nodes.map(({ host, port, ...credentials }) => ({ host, port, ...login(credentials) }));

function clusterOptions(common: RedisOptions): ClusterOptions {
  const { retryStrategy: _, ...redisOptions } = common;
  return {
    redisOptions,
    lazyConnect: true,
    // Members are connected at first use, and commands queue until then.
    enableOfflineQueue: true,
    clusterRetryStrategy: () => null,
    // A command on a connection that closed may have been carried out, so it is not sent to another member.
    retryDelayOnFailover: 0,
    slotsRefreshTimeout: COMMAND_TIMEOUT_MS,
    slotsRefreshInterval: TOPOLOGY_REFRESH_MS,
    // Names stay names, so that certificates can be checked against them.
    dnsLookup: (hostname, done) => done(null, hostname),
  };
}
