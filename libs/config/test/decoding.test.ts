import { describe, expect, it } from 'vitest';
import { problems, runs } from './harness.js';

describe('reading the file against the schema', () => {
  it('keeps defaults field by field and replaces lists whole', () => {
    const { config } = runs({
      toml: '[cors]\nmethods = ["GET"]\n[adapter.cluster_health]\nnode_timeout_ms = 60000',
    });
    expect(config.cors.methods).toEqual(['GET']);
    expect(config.cors.allowed_headers).toContain('traceparent');
    expect(config.adapter.cluster_health).toEqual({
      enabled: true,
      heartbeat_interval_ms: 10_000,
      node_timeout_ms: 60_000,
      cleanup_interval_ms: 10_000,
    });
  });

  it('warns about an unknown key with the nearest known one', () => {
    const { warnings } = runs({ toml: '[adaptor]\ndriver = "nats"\n[cors]\norigins = ["*"]' });
    expect(warnings).toEqual([
      { path: 'adaptor', message: 'unknown key (did you mean "adapter"?)' },
      { path: 'cors.origins', message: 'unknown key (did you mean "origin"?)' },
    ]);
  });

  it('refuses unknown keys when strict', () => {
    const env = { SERVICE_CONFIG_STRICT: 'true' };
    expect(problems({ toml: '[adaptor]\ndriver = "nats"', env })).toEqual([
      'adaptor: unknown key (did you mean "adapter"?)',
    ]);
  });

  it('has no nearest key for a name far from all', () => {
    expect(runs({ toml: 'zzzzzzzz = 1' }).warnings).toEqual([{ path: 'zzzzzzzz', message: 'unknown key' }]);
  });

  it('is not fooled by names every object has', () => {
    const json = JSON.parse('{"__proto__": 1, "constructor": 2, "cors": {"toString": 1}}') as unknown;
    expect(runs({ json }).warnings.map(({ path }) => path)).toEqual([
      '__proto__',
      'constructor',
      'cors.toString',
    ]);
  });

  it.each([
    [{ port: 'x' }, 'port: expected integer, got string'],
    [{ port: 1.5 }, 'port: expected integer, got float'],
    [{ port: null }, 'port: expected integer, got null'],
    [{ debug: 'true' }, 'debug: expected boolean, got string'],
    [{ host: ['a'] }, 'host: expected string, got list'],
    [{ cors: [] }, 'cors: expected table, got list'],
    [{ cors: { origin: '*' } }, 'cors.origin: expected list, got string'],
    [{ cors: { origin: ['a.example', 1] } }, 'cors.origin[1]: expected string, got integer'],
    [
      { adapter: { driver: 'carrier-pigeon' } },
      expect.stringMatching(/^adapter\.driver: must be one of local, .* \(got "carrier-pigeon"\)$/) as string,
    ],
    [{ mcp: { tokens: [1] } }, 'mcp.tokens[0]: expected table, got integer'],
    [
      { push_rules: [{ channel_pattern: 1 }], push: { allow_memory_drivers: true } },
      'push_rules[0].channel_pattern: expected string, got integer',
    ],
    [
      { opentelemetry: { resource_attributes: { a: 1 } } },
      'opentelemetry.resource_attributes.a: expected string, got integer',
    ],
  ])('reports the wrong type of %j', (json, line) => {
    expect(problems({ json })).toEqual([line]);
  });

  it.each([
    ['adapter', 'redis_cluster', 'redis-cluster'],
    ['adapter', 'Rabbit-MQ', 'rabbitmq'],
    ['adapter', 'gcp-pubsub', 'google-pubsub'],
    ['adapter', 'apache_iggy', 'iggy'],
    ['app_manager', 'array', 'memory'],
    ['app_manager', 'pgsql', 'postgres'],
    ['app_manager', 'scylla', 'scylladb'],
    ['app_manager', 'surreal', 'surrealdb'],
  ] as const)('reads the driver %s=%s as %s', (section, text, driver) => {
    const files = {
      'c.json': JSON.stringify({
        [section]: { driver: text },
        cache: { driver: 'redis' },
        adapter: {
          ...(section === 'adapter' ? { driver: text } : {}),
          cluster: { nodes: ['a:1'] },
          google_pubsub: { project_id: 'p' },
        },
      }),
    };
    expect(runs({ files, argv: ['-c', 'c.json'] }).config[section].driver).toBe(driver);
  });

  it('does not read array as a driver elsewhere', () => {
    expect(problems({ json: { cache: { driver: 'array' } } })[0]).toContain('cache.driver: must be one of');
  });

  it('takes null for an optional or derived setting as unset', () => {
    const { config } = runs({ json: { mcp: { port: null, host: null } } });
    expect([config.mcp.port, config.mcp.host]).toEqual([null, '0.0.0.0']);
  });

  it('takes none as no limit', () => {
    expect(runs({ json: { websocket: { max_messages: 'none' } } }).config.websocket.max_messages).toBe(0);
  });

  it('keeps cluster nodes given as tables or as text', () => {
    const nodes = [{ host: 'a' }, { host: '::1', port: 1 }, 'redis://u:p@b:7001'];
    const { config } = runs({ json: { database: { redis: { cluster: { nodes } } } } });
    expect(config.database.redis.cluster.nodes).toEqual(['a:7000', '[::1]:1', 'redis://u:p@b:7001']);
  });

  it('cannot be changed afterwards', () => {
    const { config } = runs();
    expect(() => Object.assign(config.cors, { credentials: true })).toThrow(TypeError);
    expect(() => (config.cors.origin as string[]).push('x')).toThrow(TypeError);
  });
});

describe('aliases of keys', () => {
  it('stand for the canonical key', () => {
    const json = {
      cluster_health: { node_timeout_ms: 90_000 },
      database: { redis: { cluster_nodes: ['a:1'], cluster: { useTLS: true } } },
    };
    const { config, warnings } = runs({ json });
    expect(config.adapter.cluster_health.node_timeout_ms).toBe(90_000);
    expect(config.database.redis.cluster.nodes).toEqual(['a:1']);
    expect(config.database.redis.cluster.use_tls).toBe(true);
    expect(warnings).toEqual([]);
  });

  it('merge with it field by field and conflict only over different values', () => {
    const adapter = { cluster_health: { node_timeout_ms: 90_000, cleanup_interval_ms: 5000 } };
    const same = { adapter, cluster_health: { node_timeout_ms: 90_000, heartbeat_interval_ms: 9000 } };
    expect(runs({ json: same }).config.adapter.cluster_health).toMatchObject({
      heartbeat_interval_ms: 9000,
      cleanup_interval_ms: 5000,
    });
    const other = { adapter, cluster_health: { node_timeout_ms: 60_000 } };
    expect(problems({ json: other })).toEqual([
      'adapter.cluster_health.node_timeout_ms: conflicts with alias cluster_health.node_timeout_ms',
    ]);
  });
});
