import { describe, expect, it } from 'vitest';
import { problems, runs } from './harness.js';

const development = { mode: 'development' };
const TOKEN = 'a-token-of-at-least-32-characters';
const token = { name: 'a', token: TOKEN, scopes: ['read'], apps: ['*'] };
const ACCEPT = 'http_api.accept_traffic: memory_threshold must be greater than 0 and at most 1';

describe('bounds of sections', () => {
  it.each<[object, readonly string[]]>([
    [{ http_api: { accept_traffic: { memory_threshold: 0 } } }, [ACCEPT]],
    [{ http_api: { accept_traffic: { memory_threshold: 1.01 } } }, [ACCEPT]],
    [
      { http_api: { accept_traffic: { memory_limit_bytes: 0, sample_interval_ms: 0 } } },
      [
        'http_api.accept_traffic: memory_limit_bytes must be greater than 0',
        'http_api.accept_traffic: sample_interval_ms must be greater than 0',
      ],
    ],
    [{ unix_socket: { permission_mode: '798' } }, ['unix_socket.permission_mode: must be octal digits 0-7']],
    [{ unix_socket: { permission_mode: '1000' } }, ['unix_socket.permission_mode: must be at most 777']],
    [{ unix_socket: { path: '/a/../b' } }, ['unix_socket.path: must not contain ../ or ..\\']],
    [{ unix_socket: { path: 'a' } }, ['unix_socket.path: must be an absolute path']],
    [{ port: 0 }, ['port: must be between 1 and 65535']],
    [{ port: 70_000 }, ['port: must be between 1 and 65535']],
    [{ host: '' }, ['host: must not be empty']],
    [{ activity_timeout: 0 }, ['activity_timeout: must be greater than 0']],
    [{ shutdown_grace_period: 3601 }, ['shutdown_grace_period: must be between 0 and 3600']],
    [{ drain: { delay_ms: 10_000 } }, ['drain.delay_ms: must be less than shutdown_grace_period']],
    [
      { instance: { process_id: 'a b' } },
      ['instance.process_id: must be at most 128 characters of A-Z a-z 0-9 . _ -'],
    ],
    [
      { workers: { push_stages: ['plan'] } },
      [
        'workers.push_stages[0]: must be one of planner, shard, dispatch, feedback, retry, scheduler, repair, cleanup (got "plan")',
      ],
    ],
    [
      { cors: { origin: ['', '*.', 'a*b*', '*.a..b', '://x'] } },
      [
        'cors.origin[0]: pattern must not be empty',
        'cors.origin[1]: wildcard domain must not be empty',
        'cors.origin[2]: pattern may contain at most one "*"',
        'cors.origin[3]: wildcard domain must not contain ".."',
        'cors.origin[4]: scheme and host must not be empty',
      ],
    ],
    [
      { websocket: { max_frame_size: 9, max_message_size: 8 } },
      ['websocket.max_frame_size: must be at most max_message_size'],
    ],
    [
      { websocket: { max_backpressure: 16_384 } },
      ['websocket.max_backpressure: must be greater than write_buffer_size'],
    ],
    [
      { opentelemetry: { enabled: true, service_name: '', batch_max_queue_size: 1 } },
      [
        'opentelemetry: batch_max_export_batch_size must not exceed batch_max_queue_size',
        'opentelemetry: service_name must not be empty when enabled',
      ],
    ],
    [
      { adapter: { cluster_health: { heartbeat_interval_ms: 20_000 } } },
      ['adapter.cluster_health.heartbeat_interval_ms: must be at most one third of node_timeout_ms'],
    ],
    [{ adapter: { routing: 'interest' } }, ['adapter: routing=interest is not supported by driver local']],
    [
      { adapter: { iggy: { partition_id: 1 } } },
      ['adapter.iggy: partition_id must be below partitions_count'],
    ],
    [
      { adapter: { driver: 'redis-cluster' }, cache: { driver: 'redis' } },
      ['adapter.cluster.nodes must not be empty'],
    ],
    [{ cache: { driver: 'redis-cluster' } }, ['database.redis.cluster.nodes: must not be empty']],
    [
      { queue: { reliability: { lease_renew_interval_ms: 30_000, retry_base_delay_ms: 60_001 } } },
      [
        'queue.reliability.lease_renew_interval_ms: must be less than lease_duration_ms',
        'queue.reliability.retry_base_delay_ms: must be at most retry_max_delay_ms',
      ],
    ],
    [
      { database: { redis: { master_tls: { client_cert_path: 'c.pem' } } } },
      [
        'database.redis.master_tls.client_cert_path: file not found: c.pem',
        'database.redis.master_tls: client_cert_path and client_key_path must be set together',
      ],
    ],
    [
      { database: { mysql: { table_name: 'a; drop' } } },
      ['database.mysql.table_name: invalid identifier "a; drop"'],
    ],
    [
      { database: { postgres: { pool_min: 5, pool_max: 2 } } },
      ['database.postgres.pool_min: must be at most pool_max'],
    ],
    [
      { database: { dynamodb: { aws_access_key_id: 'a' } } },
      ['database.dynamodb: aws_access_key_id and aws_secret_access_key must be set together'],
    ],
    [{ database_pooling: { min: 11 } }, ['database_pooling.min: must be at most max']],
    [
      { history: { enabled: true, writer_shards: 1025, max_page_size: 0 } },
      ['history.max_page_size: must be greater than 0', 'history.writer_shards: must be between 1 and 1024'],
    ],
    [
      { history: { enabled: true, postgres: { table_prefix: ' ' } } },
      ['history.postgres.table_prefix must not be empty'],
    ],
    [
      { history: { enabled: true, postgres: { table_prefix: 'a'.repeat(42) } } },
      ['history.postgres.table_prefix: must be at most 41 characters'],
    ],
    [
      { history: { enabled: true }, versioned_messages: { enabled: true, driver: 'mysql' } },
      ['versioned_messages.driver: must be the history backend (history.backend is postgres)'],
    ],
    [
      { ai_transport: { rollup: { default_window_ms: 30, min_window_ms: 600 } } },
      [
        'ai_transport: rollup.default_window_ms must be one of 0, 20, 40, 100, 500 and within min/max',
        'ai_transport: rollup.min_window_ms must be less than or equal to max_window_ms',
      ],
    ],
    [
      { ai_transport: { max_transport_value_bytes: 255, channels: [{}] } },
      [
        'ai_transport.channels[0].prefix: must not be empty',
        'ai_transport: max_transport_value_bytes must be at least 256',
      ],
    ],
    [
      { push: { fcm_enabled: true } },
      [
        'push: memory queue driver is not allowed in production',
        'push: memory storage driver is not allowed in production',
      ],
    ],
    [
      { ...development, push: { fcm_enabled: true, fcm_credential_ref: 'x' } },
      ['push.credential_encryption_key: required when stored credentials are used'],
    ],
    [
      { push: { webpush: { allow_local_endpoints: true } } },
      [
        'push.webpush.allow_local_endpoints: must not be set in production (PUSH_ALLOW_LOCAL_WEB_PUSH_ENDPOINTS)',
      ],
    ],
    [
      {
        ...development,
        push_rules: [
          {
            enabled: false,
            event_filter: [''],
            rate_limit_per_second: 0,
            payload_mapping: { title_field: '' },
          },
        ],
      },
      [
        'push_rules[0].channel_pattern: must not be empty',
        'push_rules[0].event_filter: names must be between 1 and 200 bytes',
        'push_rules[0].payload_mapping.title_field: must not be empty',
        'push_rules[0].rate_limit_per_second: must be greater than 0',
      ],
    ],
    [{ mcp: { path: '/apps/x' } }, ['mcp.path: shadows a built-in route']],
    [{ mcp: { path: 'x y' } }, ['mcp.path: must be an absolute path']],
    [{ mcp: { port: 9601 } }, ['mcp.port: must differ from the main and metrics ports']],
    [{ mcp: { enabled: true } }, ['mcp: no tokens configured']],
    [
      { mcp: { enabled: true, allow_anonymous: true } },
      ['mcp.allow_anonymous: is not allowed in production'],
    ],
    [
      { mcp: { enabled: true, tokens: [{ ...token, token: 'x'.repeat(31) }] } },
      ['mcp.tokens[0].token: must be at least 32 characters in production'],
    ],
    [
      { mcp: { tokens: [{ name: 'anonymous', token: 'short', scopes: [], apps: ['*', 'a'] }] } },
      [
        'mcp.tokens[0].apps: "*" must be the only entry',
        'mcp.tokens[0].name: must not be "anonymous"',
        'mcp.tokens[0].scopes: must not be empty',
        'mcp.tokens[0].token: must be 16 to 512 visible ASCII characters',
      ],
    ],
    [
      { mcp: { disabled_tools: ['publish'], allowed_origins: ['*'], max_body_bytes: 1 } },
      [
        'mcp.allowed_origins[0]: must be scheme://host[:port]',
        expect.stringMatching(/^mcp\.disabled_tools\[0\]: must be one of .* \(got "publish"\)$/) as string,
        'mcp.max_body_bytes: must be between 1024 and 67108864',
      ],
    ],
    [
      { compat: { keys: [{ app_id: '', key_name: 'a:b', secret: 'a.b', capability: '[]' }] } },
      [
        'compat.keys[0].app_id: must not be empty',
        'compat.keys[0].capability: must be a JSON object',
        'compat.keys[0].key_name: must not contain ":" or whitespace',
        'compat.keys[0].secret: must not contain ":", "." or whitespace',
      ],
    ],
    [{ compat: { max_token_ttl_ms: 0 } }, ['compat.max_token_ttl_ms: must be greater than 0']],
    [{ ssl: { redirect_http: true } }, ['ssl.redirect_http: needs ssl.enabled']],
  ])('%j', (json, lines) => {
    expect(problems({ json })).toEqual(lines);
  });

  it('let port 0 choose outside production', () => {
    expect(runs({ json: { ...development, port: 0, metrics: { port: 0 } } }).config.port).toBe(0);
  });

  it('warn about a short token outside production', () => {
    const json = { ...development, mcp: { enabled: true, tokens: [{ ...token, token: 'x'.repeat(31) }] } };
    expect(runs({ json }).warnings.map(({ path }) => path)).toEqual(['mcp.tokens[0].token']);
  });

  it('keep push out of memory in production, unless that is allowed', () => {
    expect(pushMemoryProblems({})).toHaveLength(2);
    expect(pushMemoryProblems({ storage_driver: 'postgres' })).toHaveLength(1);
    expect(pushMemoryProblems({ allow_memory_drivers: true })).toEqual([]);
  });

  it('warn about a push token that never changes', () => {
    const push = { allow_memory_drivers: true, fcm_enabled: true };
    const { warnings } = runs({ json: { push }, env: { FCM_PROVIDER_TOKEN: 'x', HMS_PROVIDER_TOKEN: 'y' } });
    expect(warnings.map(({ path }) => path)).toEqual(['push.fcm.provider_token']);
  });

  it('warn about an open Unix socket', () => {
    const json = { unix_socket: { enabled: true, path: '/tmp/x.sock', permission_mode: '666' } };
    expect(runs({ json }).warnings.map(({ path }) => path)).toEqual([
      'unix_socket.path',
      'unix_socket.permission_mode',
    ]);
  });
});

const pushMemoryProblems = (push: object) =>
  problems({
    json: { mode: 'production', activity_timeout: 0, push: { fcm_enabled: true, ...push } },
  }).filter((one) => one.startsWith('push: memory'));

const mayBePrivate = (env: Record<string, string>) => runs({ env }).config.webhooks.allow_private_targets;

describe('values that follow from others', () => {
  it('drain, filter, routing and the tool protocol host', () => {
    const { config } = runs({ json: { shutdown_grace_period: 60, debug: true, host: '::1' } });
    expect([config.drain.delay_ms, config.logging.filter, config.adapter.routing, config.mcp.host]).toEqual([
      5000,
      'info,service=debug',
      'broadcast',
      '::1',
    ]);
    expect(runs().config.logging.filter).toBe('info');
    expect(runs({ json: { shutdown_grace_period: 0 } }).config.drain.delay_ms).toBe(0);
  });

  it('webhooks reach private addresses outside production only, unless told otherwise', () => {
    expect(mayBePrivate({ ENVIRONMENT: 'production' })).toBe(false);
    expect(mayBePrivate({ ENVIRONMENT: 'development' })).toBe(true);
    expect(mayBePrivate({ ENVIRONMENT: 'production', WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' })).toBe(true);
  });

  it('a process id of its own each time', () => {
    expect(runs().config.instance.process_id).not.toBe(runs().config.instance.process_id);
  });

  it('credentials are off where every origin may call, with a warning for who asked', () => {
    expect(runs().config.cors.credentials).toBe(false);
    expect(runs({ json: { cors: { origin: ['a.example'] } } }).config.cors.credentials).toBe(true);
    expect(runs({ env: { CORS_CREDENTIALS: 'true' } }).warnings.map(({ path }) => path)).toEqual([
      'cors.credentials',
    ]);
  });

  it('a purge is at least 10 seconds away', () => {
    expect(
      runs({ json: { history: { purge_interval_seconds: 1 } } }).config.history.purge_interval_seconds,
    ).toBe(10);
  });

  it('versions of a single node live with its history', () => {
    const { config } = runs({ json: { history: { enabled: true }, versioned_messages: { enabled: true } } });
    expect(config.versioned_messages.driver).toBe('postgres');
  });

  it('PostgreSQL is embedded on a single node without a host', () => {
    expect(runs().config.database.postgres).toMatchObject({ embedded: true, host: 'localhost' });
    expect(runs({ env: { DATABASE_POSTGRES_HOST: 'localhost' } }).config.database.postgres.embedded).toBe(
      false,
    );
    expect(
      runs({ json: { adapter: { driver: 'nats' }, cache: { driver: 'redis' } } }).config.database.postgres
        .embedded,
    ).toBe(false);
  });

  it('the consumer name is the host, then the process', () => {
    expect(runs({ env: { HOSTNAME: 'pod-1' } }).config.queue.iggy.consumer_name).toBe('pod-1');
    expect(runs({ env: { INSTANCE_PROCESS_ID: 'me' } }).config.adapter.iggy.consumer_name).toBe('me');
  });

  it('compat brings recovery and deltas', () => {
    const { config } = runs({ json: { compat: { enabled: true }, delta_compression: { enabled: false } } });
    expect([config.connection_recovery.enabled, config.delta_compression.enabled]).toEqual([true, true]);
  });

  it('one trailing slash of the tool protocol path is dropped', () => {
    expect(runs({ json: { mcp: { path: '/tools/' } } }).config.mcp.path).toBe('/tools');
  });
});
