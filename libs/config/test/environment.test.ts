import { describe, expect, it } from 'vitest';
import { isProduction } from '../src/index.js';
import { printed, problems, runs } from './harness.js';

describe('environment overrides', () => {
  it('ignores a variable that is set but empty or blank', () => {
    expect(runs({ toml: 'port = 7001', env: { PORT: '' } }).config.port).toBe(7001);
    expect(runs({ toml: 'port = 7001', env: { PORT: '  ' } }).config.port).toBe(7001);
  });

  it('reaches the printed tree', () => {
    const tree = printed({ env: { CLUSTER_HEALTH_NODE_TIMEOUT: '60000' } });
    expect(tree).toMatchObject({ adapter: { cluster_health: { node_timeout_ms: 60_000 } } });
  });

  it('reports every bad variable in one list', () => {
    expect(problems({ env: { PORT: 'abc', QUEUE_RETRY_JITTER: '2' } })).toEqual([
      'PORT: not an integer in range',
      'queue.reliability.retry_jitter: must be between 0 and 1',
    ]);
  });

  it.each([
    [{ PORT: '70000' }, 'PORT: not an integer in range'],
    [{ PORT: '-1' }, 'PORT: not an integer in range'],
    [{ PORT: '0x10' }, 'PORT: not an integer in range'],
    [{ CORS_CREDENTIALS: 'maybe' }, 'CORS_CREDENTIALS: not a boolean: "maybe"'],
    [{ QUEUE_RETRY_JITTER: 'Infinity' }, 'QUEUE_RETRY_JITTER: not a number'],
    [{ QUEUE_RETRY_JITTER: '1e-1' }, 'QUEUE_RETRY_JITTER: not a number'],
    [
      { SERVICE_OTEL_RESOURCE_ATTRIBUTES: 'a=1,b' },
      'SERVICE_OTEL_RESOURCE_ATTRIBUTES: not a list of key=value',
    ],
    [{ SERVICE_SERVER_ROLE: 'king' }, 'SERVICE_SERVER_ROLE: unknown value "king" (expected default, api)'],
    [{ SERVICE_COMPAT_KEYS_JSON: '{}' }, 'SERVICE_COMPAT_KEYS_JSON: not a JSON array'],
  ])('refuses %j', (env, line) => {
    expect(problems({ env })).toEqual([line]);
  });

  it.each([
    ['YES', true],
    [' on ', true],
    ['1', true],
    ['Off', false],
    ['no', false],
    ['0', false],
  ])('reads %j as %s', (text, value) => {
    expect(runs({ env: { WEBSOCKET_AUTO_PING: text } }).config.websocket.auto_ping).toBe(value);
  });

  it('reads lists, maps, counts and limits', () => {
    const { config } = runs({
      env: {
        CORS_METHODS: ' GET ,, POST ',
        SERVICE_OTEL_RESOURCE_ATTRIBUTES: 'a=1, b = x=y',
        CLEANUP_WORKER_THREADS: 'AUTO',
        WEBSOCKET_MAX_BYTES: 'none',
        QUEUE_RETRY_JITTER: '.5',
      },
    });
    expect(config.cors.methods).toEqual(['GET', 'POST']);
    expect(config.opentelemetry.resource_attributes).toEqual({ a: '1', b: 'x=y' });
    expect(config.cleanup.worker_threads).toBe('auto');
    expect(config.websocket.max_bytes).toBe(0);
    expect(config.queue.reliability.retry_jitter).toBe(0.5);
  });

  it('lets an empty value clear some optional settings', () => {
    const json = {
      database: { redis: { username: 'u', password: 'p' } },
      opentelemetry: { endpoint: 'http://c:1' },
    };
    const { redis } = runs({ json, env: { DATABASE_REDIS_USERNAME: '', DATABASE_REDIS_PASSWORD: '' } }).config
      .database;
    expect([redis.username, redis.password?.reveal()]).toEqual([null, 'p']);
    expect(runs({ json, env: { SERVICE_OTEL_ENDPOINT: '' } }).config.opentelemetry.endpoint).toBeNull();
  });
});

const inline = (env: Record<string, string>): boolean =>
  runs({ env }).config.app_manager.register_inline_apps;

describe('variables that reach several settings', () => {
  it('REDIS_URL selects a standalone connection everywhere', () => {
    const url = 'redis://r:1';
    const { adapter, cache, queue, rate_limiter: limiter } = runs({ env: { REDIS_URL: url } }).config;
    const found = [
      adapter.redis.redis_pub_options.url,
      adapter.redis.redis_sub_options.url,
      cache.redis.url_override,
      queue.redis.url_override,
      limiter.redis.url_override,
    ];
    expect(found).toEqual([url, url, url, url, url]);
  });

  it('DATABASE_REDIS_CLUSTER_NODES wins over REDIS_CLUSTER_NODES', () => {
    const env = { DATABASE_REDIS_CLUSTER_NODES: 'b:1,b:2', REDIS_CLUSTER_NODES: 'a:1' };
    const { adapter, queue, database } = runs({ env }).config;
    for (const { nodes } of [adapter.cluster, queue.redis_cluster, database.redis.cluster]) {
      expect(nodes).toEqual(['b:1', 'b:2']);
    }
  });

  it.each([
    ['production', 'production'],
    ['Production', 'production'],
    [' production ', 'production'],
    ['prod', 'production'],
    ['dev', 'development'],
  ])('ENVIRONMENT=%j is %s', (text, mode) => {
    const { config } = runs({ env: { ENVIRONMENT: text } });
    expect(config.mode).toBe(mode);
    expect(isProduction(config)).toBe(mode === 'production');
    expect(config.webhooks.allow_private_targets).toBe(mode !== 'production');
  });

  it('ENVIRONMENT is one of its words', () => {
    expect(problems({ env: { ENVIRONMENT: 'live' } })).toEqual([
      'ENVIRONMENT: unknown value "live" (expected production, development, test)',
    ]);
  });

  it('an app is remembered as long as its database says, unless the memory of apps says it itself', () => {
    const json = { app_manager: { driver: 'postgres' }, database: { postgres: { cache_ttl: 7 } } };
    expect(runs({ json }).config.app_manager.cache.ttl).toBe(7);
    expect(runs({ json, env: { CACHE_TTL_SECONDS: '9' } }).config.app_manager.cache.ttl).toBe(9);
    expect(runs().config.app_manager.cache.ttl).toBe(300);
  });

  it('CACHE_TTL_SECONDS sets every time to live of apps and channels', () => {
    const { config } = runs({ env: { CACHE_TTL_SECONDS: '77' } });
    const { mysql, postgres, surrealdb } = config.database;
    expect([config.app_manager.cache.ttl, config.channel_limits.cache_ttl, config.cache.memory.ttl]).toEqual([
      77, 77, 77,
    ]);
    expect([mysql.cache_ttl, postgres.cache_ttl, surrealdb.cache_ttl]).toEqual([77, 77, 77]);
  });

  it('a broken one is reported once', () => {
    expect(problems({ env: { CACHE_TTL_SECONDS: 'x' } })).toEqual([
      'CACHE_TTL_SECONDS: not an integer in range',
    ]);
  });

  it('own partition variables win over the common one', () => {
    const env = {
      IGGY_PARTITIONS_COUNT: '4',
      QUEUE_IGGY_PARTITIONS_COUNT: '8',
      ADAPTER_IGGY_PARTITION_ID: '3',
    };
    const { adapter, queue } = runs({ env }).config;
    expect([adapter.iggy.partitions_count, adapter.iggy.partition_id]).toEqual([4, 3]);
    expect([queue.iggy.partitions_count, queue.iggy.partition_id]).toEqual([8, 0]);
  });

  it.each([
    [{ DEBUG: '1' }, true],
    [{ DEBUG: '0' }, false],
    [{ DEBUG: 'true', DEBUG_MODE: 'false' }, false],
    [{ DEBUG_MODE: 'true' }, true],
  ])('debug with %j is %s', (env, value) => {
    expect(runs({ env }).config.debug).toBe(value);
  });

  it('DEBUG that is false leaves the file alone', () => {
    expect(runs({ env: { DEBUG: 'false' }, toml: 'debug = true' }).config.debug).toBe(true);
  });

  it('SERVICE_SKIP_INLINE_APPS turns registration off, never on', () => {
    expect(inline({ SERVICE_SKIP_INLINE_APPS: 'yes' })).toBe(false);
    expect(inline({ SERVICE_SKIP_INLINE_APPS: 'no', APP_MANAGER_REGISTER_INLINE_APPS: 'false' })).toBe(false);
  });

  it('the push names override the matching quotas', () => {
    const env = { PUSH_DEFAULT_ACCEPTANCE_RPS: '1', PUSH_ACCEPTANCE_RATE_LIMIT: '2', PUSH_FANOUT_MAX: '3' };
    expect(runs({ env }).config.push.default_quotas).toMatchObject({ acceptance_rps: 2, fanout_max: 3 });
  });

  it('provider variables work with and without the common start', () => {
    const env = {
      PUSH_FCM_PROJECT_ID: 'a',
      APNS_TOPIC: 't',
      PUSH_APNS_TOPIC: 'u',
      GOOGLE_APPLICATION_CREDENTIALS: '/g',
      FCM_APPLICATION_DEFAULT: 'true',
    };
    const { push } = runs({ env }).config;
    expect([push.fcm.project_id, push.apns.topic, push.fcm.service_account_json_path]).toEqual([
      'a',
      't',
      '/g',
    ]);
    expect(push.fcm.application_default).toBe(true);
  });
});

describe('variables with rules of their own', () => {
  const token = 'a-token-of-at-least-32-characters';

  it('MCP_TOKEN appends a principal', () => {
    const env = { MCP_TOKEN: token, MCP_TOKEN_APPS: 'a, b' };
    const [first] = runs({ env }).config.mcp.tokens;
    expect({ ...first, token: first?.token.reveal() }).toEqual({
      name: 'env',
      token,
      scopes: ['read', 'write'],
      apps: ['a', 'b'],
    });
  });

  it('a clash of its name is a problem', () => {
    const json = { mcp: { tokens: [{ name: 'env', token: `${token}-2`, scopes: ['read'], apps: ['*'] }] } };
    expect(problems({ json, env: { MCP_TOKEN: token } })).toEqual(['mcp.tokens: duplicate name "env"']);
  });

  it('SERVICE_COMPAT_KEYS_JSON replaces the list', () => {
    const json = { compat: { keys: [{ app_id: 'a', key_name: 'a.old', secret: 's' }] } };
    const keys = JSON.stringify([
      { app_id: 'a', key_name: 'a.new', secret: 't', capability: '{"x":["publish"]}' },
    ]);
    const { config } = runs({ json, env: { SERVICE_COMPAT_KEYS_JSON: keys } });
    expect(config.compat.keys.map((key) => key.key_name)).toEqual(['a.new']);
  });

  it('an unknown log format warns and means text', () => {
    const { config, warnings } = runs({ env: { LOG_OUTPUT_FORMAT: 'xml' } });
    expect(config.logging.format).toBe('text');
    expect(warnings).toEqual([{ path: 'logging.format', message: 'unknown format, text is used' }]);
  });
});
