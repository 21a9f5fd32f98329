import { describe, expect, it } from 'vitest';
import { redisTarget, type RedisCredentials } from '../src/index.js';
import { CLUSTER, REDIS, redisSettings } from './settings.js';

const said = ({ username, password }: RedisCredentials) => [username, password?.reveal() ?? null];

const SENTINELS = `
  [[database.redis.sentinels]]
  host = "s1"
  [[database.redis.sentinels]]
  host = "::1"
  port = 5000
`;

describe('the way to the data', () => {
  it('is the single server when nothing else is said', () => {
    const settings = redisSettings({
      DATABASE_REDIS_HOST: 'h',
      DATABASE_REDIS_PORT: '1',
      DATABASE_REDIS_DB: '2',
      DATABASE_REDIS_USERNAME: 'u',
      DATABASE_REDIS_PASSWORD: 'p',
    });
    const target = redisTarget(settings, REDIS);
    expect(target).toMatchObject({ kind: 'standalone', node: { host: 'h', port: 1 }, db: 2, tls: null });
    expect(said(target.credentials)).toEqual(['u', 'p']);
  });

  it('is encrypted when the host says so, or the settings of data links', () => {
    const byHost = redisTarget(redisSettings({ DATABASE_REDIS_HOST: 'rediss://h' }), REDIS);
    expect(byHost).toMatchObject({ node: { host: 'h', port: 6379 }, tls: { accept_invalid_certs: false } });
    const plain = redisTarget(redisSettings({ DATABASE_REDIS_HOST: 'redis://[::1]' }), REDIS);
    expect(plain).toMatchObject({ node: { host: '::1' }, tls: null });
    const bySetting = redisTarget(redisSettings({ DATABASE_REDIS_MASTER_TLS_ENABLED: 'true' }), REDIS);
    expect(bySetting).toMatchObject({ tls: { enabled: true } });
  });

  it('goes through the sentinels when there are some, each kind of link with its own settings', () => {
    const settings = redisSettings(
      {
        DATABASE_REDIS_USERNAME: 'u',
        DATABASE_REDIS_PASSWORD: 'p',
        DATABASE_REDIS_SENTINEL_USERNAME: 'su',
        DATABASE_REDIS_SENTINEL_PASSWORD: 'sp',
        DATABASE_REDIS_SENTINEL_TLS_ENABLED: 'true',
        DATABASE_REDIS_DB: '4',
      },
      SENTINELS,
    );
    const target = redisTarget(settings, REDIS);
    expect(target).toMatchObject({
      kind: 'sentinel',
      masterName: 'mymaster',
      sentinels: [
        { host: 's1', port: 26_379 },
        { host: '::1', port: 5000 },
      ],
      db: 4,
      tls: null,
      sentinelTls: { enabled: true },
    });
    expect(said(target.credentials)).toEqual(['u', 'p']);
    expect(target.kind === 'sentinel' && said(target.sentinelCredentials)).toEqual(['su', 'sp']);
  });

  it('is the cluster when the driver or the mode says so, whatever the sentinels', () => {
    const settings = redisSettings({ DATABASE_REDIS_CLUSTER_NODES: 'a:1,b' }, SENTINELS);
    const nodes = [
      { host: 'a', port: 1 },
      { host: 'b', port: 6379 },
    ];
    expect(redisTarget(settings, CLUSTER)).toMatchObject({ kind: 'cluster', nodes, tls: null });
    expect(redisTarget(settings, { ...REDIS, clusterMode: true })).toMatchObject({ kind: 'cluster', nodes });
  });

  it('prefers the credentials inside the address of a member, and knows some for members found later', () => {
    const own = redisSettings({
      DATABASE_REDIS_CLUSTER_NODES: 'redis://u%21:p@a:1,b:2',
      DATABASE_REDIS_CLUSTER_USERNAME: 'cu',
      DATABASE_REDIS_CLUSTER_PASSWORD: 'cp',
    });
    const target = redisTarget(own, CLUSTER);
    expect(target.kind === 'cluster' && target.nodes.map(said)).toEqual([
      ['u!', 'p'],
      ['cu', 'cp'],
    ]);
    expect(said(target.credentials)).toEqual(['cu', 'cp']);
    const only = redisSettings({ DATABASE_REDIS_CLUSTER_NODES: 'redis://u:p@a:1' });
    expect(said(redisTarget(only, CLUSTER).credentials)).toEqual(['u', 'p']);
  });

  it.each([
    ['the cluster', { DATABASE_REDIS_CLUSTER_USE_TLS: 'true' }, 'a:1'],
    ['data links', { DATABASE_REDIS_MASTER_TLS_ENABLED: 'true' }, 'a:1'],
    ['the address', {}, 'rediss://a:1'],
  ])('encrypts a cluster when %s says so', (_, env, nodes) => {
    const settings = redisSettings({ ...env, DATABASE_REDIS_CLUSTER_NODES: nodes });
    expect(redisTarget(settings, CLUSTER).tls).not.toBeNull();
  });

  it('is a URL of its own before everything else, and that alone', () => {
    const settings = redisSettings(
      {
        DATABASE_REDIS_CLUSTER_NODES: 'a:1',
        DATABASE_REDIS_DB: '7',
        DATABASE_REDIS_PASSWORD: 'p',
        DATABASE_REDIS_MASTER_TLS_ENABLED: 'true',
      },
      SENTINELS,
    );
    const plain = redisTarget(settings, { driver: 'redis', urlOverride: 'redis://h:5/1', clusterMode: true });
    expect(plain).toMatchObject({ kind: 'standalone', node: { host: 'h', port: 5 }, db: 1, tls: null });
    expect(said(plain.credentials)).toEqual([null, null]);
    const secure = redisTarget(settings, { ...REDIS, urlOverride: 'rediss://x:y@h' });
    expect(secure).toMatchObject({ node: { host: 'h', port: 6379 }, db: 0, tls: { enabled: true } });
    expect(said(secure.credentials)).toEqual(['x', 'y']);
  });

  it('is refused when there is none, without a word of what was said', () => {
    expect(() => redisTarget(redisSettings({}), CLUSTER)).toThrow(
      'database.redis.cluster.nodes: must not be empty',
    );
    expect(() => redisTarget(redisSettings({}), { ...REDIS, urlOverride: 'amqp://u:hunter2@h' })).toThrow(
      /^url_override: not an address of a Redis server$/,
    );
  });
});
