import type { RedisTarget } from '@carillon/redis';
import type { Redis } from 'ioredis';
import { networkReason } from '../api/request-errors.js';
import { type DoctorContext, STEP_MS } from './context.js';
import { checkOwner } from './prefix-owner.js';
import { type Report, skip } from './result.js';
import { type RedisUse, redisUses } from './uses.js';

const REQUIRED = [6, 2] as const;
const REFUSED = /^(WRONGPASS|NOAUTH|NOPERM|ERR (AUTH|invalid password|Client sent AUTH))/;
const AFTER_LOGIN = ['redis.version', 'redis.mode', 'redis.memory', 'prefix.owner'];

export async function checkRedis(context: DoctorContext, report: Report): Promise<void> {
  const uses = redisUses(context.loaded.config);
  await Promise.all(uses.map(async (use, index) => checkOne(context, use, suffixOf(uses, index), report)));
}

/** Names of checks of a second installation end with the setting that leads to it. */
function suffixOf(uses: readonly RedisUse[], index: number): string {
  const [setting = ''] = uses[index]?.settings ?? [];
  return index === 0 ? '' : `@${setting.split('.')[0]}`;
}

async function checkOne(
  context: DoctorContext,
  use: RedisUse,
  suffix: string,
  report: Report,
): Promise<void> {
  const { address: target, settings } = use;
  const named: Report = (result) => report({ target, ...result, id: `${result.id}${suffix}` });
  const connection = await connect(use.target);
  const failed = connection.error;
  if (failed !== null) {
    const { message } = failed;
    connection.client.disconnect();
    const isRefused = REFUSED.test(message);
    if (!isRefused) {
      named({
        id: 'redis.reach',
        status: 'error',
        setting: 'database.redis.port',
        message: `Redis at ${target} cannot be reached: ${networkReason(failed)}`,
        cure: 'start the server, or correct database.redis.host and database.redis.port',
        facts: { errno: (failed as NodeJS.ErrnoException).code ?? null },
      });
      return skip(named, 'redis.reach', ['redis.login', ...AFTER_LOGIN]);
    }
    const [word = ''] = message.split(' ');
    named({ id: 'redis.reach', status: 'ok', message: `${target} is reachable` });
    named({
      id: 'redis.login',
      status: 'error',
      setting: 'database.redis.password',
      message: `Redis at ${target} refuses user "${connection.user}" (${word})`,
      cure: 'correct database.redis.username and database.redis.password',
      facts: { user: connection.user, word },
    });
    return skip(named, 'redis.login', AFTER_LOGIN);
  }
  named({ id: 'redis.reach', status: 'ok', message: `${target} is reachable` });
  named({ id: 'redis.login', status: 'ok', message: `user "${connection.user}" is accepted` });
  try {
    await examine(context, connection.client, use, named);
    if (settings.includes('cache.driver')) await checkOwner(context, connection.client, named);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    named({ id: 'redis.reach', status: 'error', message: `Redis at ${target} does not answer: ${message}` });
  } finally {
    connection.client.disconnect();
  }
}

interface Connected {
  readonly client: Redis;
  readonly user: string;
  /** Null: it is connected. */
  readonly error: Error | null;
}

/** Connects to the server, to the master that the sentinels name, or to the first node of a cluster. */
async function connect(target: RedisTarget): Promise<Connected> {
  const { Redis } = await import('ioredis');
  const credentials =
    target.kind === 'cluster' ? (target.nodes[0] ?? target.credentials) : target.credentials;
  const password = credentials.password?.reveal();
  const common = {
    lazyConnect: true,
    connectTimeout: STEP_MS,
    commandTimeout: STEP_MS,
    retryStrategy: null,
    enableOfflineQueue: false,
    ...(credentials.username === null ? {} : { username: credentials.username }),
    ...(password === undefined ? {} : { password }),
    ...(target.tls === null ? {} : { tls: { rejectUnauthorized: !target.tls.accept_invalid_certs } }),
  };
  const place =
    target.kind === 'sentinel'
      ? {
          sentinels: [...target.sentinels],
          name: target.masterName,
          sentinelRetryStrategy: () => null,
          db: target.db,
        }
      : target.kind === 'cluster'
        ? { host: target.nodes[0]?.host ?? '', port: target.nodes[0]?.port ?? 0 }
        : { ...target.node, db: target.db };
  const client = new Redis({ ...common, ...place });
  let last: Error | null = null;
  client.on('error', (error: Error) => {
    last = error;
  });
  const user = credentials.username ?? 'default';
  try {
    await client.connect();
    await client.ping();
    return { client, user, error: null };
  } catch (error) {
    return { client, user, error: last ?? (error as Error) };
  }
}

async function examine(context: DoctorContext, client: Redis, use: RedisUse, report: Report): Promise<void> {
  const beforeMs = Date.now();
  const [seconds = '0', micros = '0'] = (await client.time()).map(String);
  context.clock.compare('redis', Number(seconds) * 1000 + Number(micros) / 1000, beforeMs, Date.now());
  const info = infoOf(await client.info());
  checkVersion(info, report);
  checkMode(info, use, report);
  await checkMemory(client, info, report);
}

const infoOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split(/\r?\n/).flatMap((line) => {
      const at = line.indexOf(':');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : [];
    }),
  );

function checkVersion(info: ReadonlyMap<string, string>, report: Report): void {
  const found = info.get('redis_version') ?? 'unknown';
  const [major = 0, minor = 0] = found.split('.').map(Number);
  const isTooOld = major < REQUIRED[0] || (major === REQUIRED[0] && minor < REQUIRED[1]);
  const required = REQUIRED.join('.');
  report({
    id: 'redis.version',
    status: isTooOld ? 'error' : 'ok',
    message: `Redis ${found}; ${required} or newer is required`,
    ...(isTooOld ? { cure: `upgrade the server to Redis ${required} or newer` } : {}),
    facts: { found, required },
  });
}

function checkMode(info: ReadonlyMap<string, string>, { target, settings }: RedisUse, report: Report): void {
  const isCluster = info.get('cluster_enabled') === '1';
  const mode = info.get('redis_mode') ?? (isCluster ? 'cluster' : 'standalone');
  const role = info.get('role') ?? 'unknown';
  const facts = { redis_mode: mode, role, driver_settings: settings };
  const list = settings.join(', ');
  const about = { id: 'redis.mode', setting: settings[0] ?? 'cache.driver', facts };
  if (isCluster && target.kind !== 'cluster')
    report({
      ...about,
      status: 'error',
      message: `the server is in cluster mode, but ${list} uses the single-node driver redis`,
      cure: `set ${list} to redis-cluster, and database.redis.cluster.nodes`,
    });
  else if (!isCluster && target.kind === 'cluster')
    report({
      ...about,
      status: 'error',
      message: `the server is not in cluster mode, but ${list} uses the driver redis-cluster`,
      cure: `set ${list} to redis`,
    });
  else if (role === 'slave' && target.kind === 'standalone')
    report({
      ...about,
      status: 'error',
      message: `the server is a replica, but ${list} writes`,
      cure: 'name the master in database.redis.host, or use database.redis.sentinels',
    });
  else report({ ...about, status: 'ok', message: `mode ${mode}, role ${role}` });
}

async function checkMemory(client: Redis, info: ReadonlyMap<string, string>, report: Report): Promise<void> {
  const policy = info.get('maxmemory_policy') ?? 'unknown';
  const [used, max] = [Number(info.get('used_memory')), Number(info.get('maxmemory'))];
  const facts = { policy, used_memory: used, maxmemory: max };
  const about = { id: 'redis.memory', facts };
  if (info.get('rdb_last_bgsave_status') === 'err' && (await stopsWrites(client)))
    report({
      ...about,
      status: 'error',
      message: 'the server refuses writes (MISCONF): snapshots fail',
      cure: 'free disk space of the server, or correct its save settings',
    });
  else if (max > 0 && used >= max && policy === 'noeviction')
    report({
      ...about,
      status: 'error',
      message: `maxmemory is reached (${used} of ${max} bytes)`,
      cure: 'raise maxmemory',
    });
  else if (max > 0 && policy !== 'noeviction' && policy !== 'unknown')
    report({
      ...about,
      status: 'warn',
      message: `the eviction policy is ${policy}: the server may evict state that must not be lost`,
      cure: 'config set maxmemory-policy noeviction',
    });
  else report({ ...about, status: 'ok', message: `eviction policy ${policy}` });
}

async function stopsWrites(client: Redis): Promise<boolean> {
  try {
    return String(await client.config('GET', 'stop-writes-on-bgsave-error')).includes('yes');
  } catch {
    return true;
  }
}
