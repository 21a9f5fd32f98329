import { describe, expect, it } from 'vitest';
import { problems, runs } from './harness.js';

/** A cluster in which nothing is wrong. */
const cluster = { adapter: { driver: 'nats' }, cache: { driver: 'redis' } };

const X3 = 'clustered compatibility and idempotency require cache.driver=redis or redis-cluster';
const X4 = 'clustered compatibility requires adapter.cluster_health.enabled';
const X7 = 'clustered mutable messages and annotations require a durable non-memory version store';
const X10 = ['history backend', 'version store'].map(
  (part) => `clustered ai_transport requires a durable non-memory ${part}`,
);

const open = (json: object): boolean =>
  runs({ json }).warnings.some(({ message }) => message.startsWith('no authentication'));

describe('rules between sections', () => {
  it('leave a plain cluster alone', () => {
    expect(runs({ json: cluster }).config.adapter.routing).toBe('interest');
  });

  it('X1 and X2 are listed together', () => {
    const json = { server_role: 'api', adapter: { fallback_to_local: true } };
    expect(problems({ json })).toEqual([
      'server_role=api cannot use adapter.fallback_to_local',
      'server_role=api requires a horizontal adapter; adapter.driver=local is not supported',
    ]);
  });

  it.each<[string, object, readonly string[]]>([
    ['X3', { adapter: { driver: 'nats' }, cache: { driver: 'memory' } }, [X3]],
    [
      'X4',
      {
        ...cluster,
        compat: { enabled: true },
        versioned_messages: { driver: 'postgres' },
        adapter: { driver: 'nats', cluster_health: { enabled: false } },
      },
      [X4],
    ],
    [
      'X5',
      { ...cluster, history: { enabled: true, backend: 'memory' } },
      ['clustered history requires a durable non-memory history backend'],
    ],
    [
      'X6',
      { ...cluster, presence_history: { enabled: true } },
      ['clustered presence history requires history.enabled with a durable backend'],
    ],
    ['X7', { ...cluster, versioned_messages: { enabled: true } }, [X7]],
    ['X8', { annotations: { enabled: true } }, ['annotations.enabled requires versioned_messages.enabled']],
    [
      'X9',
      { ai_transport: { enabled: true } },
      [
        'ai_transport.enabled requires history.enabled',
        'ai_transport.enabled requires versioned_messages.enabled',
      ],
    ],
    [
      'X10',
      {
        ...cluster,
        ai_transport: { enabled: true },
        history: { enabled: true, backend: 'memory' },
        versioned_messages: { enabled: true },
      },
      [...X10, 'clustered history requires a durable non-memory history backend', X7],
    ],
    ['X11', { metrics: { port: 6001 } }, ['port 6001 is used by port and metrics.port']],
    ['X15', { cache: { driver: 'none' } }, ['cache.driver=none cannot serve idempotency']],
  ])('%s', (_id, json, lines) => {
    expect(problems({ json })).toEqual(lines);
  });

  it('X10 names the cache as well', () => {
    const json = {
      adapter: { driver: 'nats' },
      idempotency: { enabled: false },
      ai_transport: { enabled: true },
      history: { enabled: true },
      versioned_messages: { enabled: true, driver: 'postgres' },
    };
    expect(problems({ json })).toContain(
      'clustered ai_transport requires cache.driver=redis or redis-cluster',
    );
  });

  it('X11 looks only at listeners that open', () => {
    const json = {
      unix_socket: { enabled: true },
      metrics: { port: 6001, tcp_exporter: { port: 6001 } },
      ssl: { http_port: 6001 },
    };
    expect(runs({ json }).config.metrics.port).toBe(6001);
  });

  it('X12 only where the queue is consumed', () => {
    const json = { queue: { driver: 'sns', sns: { topic_arn: 'arn' } } };
    expect(problems({ json })).toEqual(['queue.driver: sns is producer-only']);
    expect(runs({ json, process: 'gateway' }).config.queue.driver).toBe('sns');
    const push = {
      push: { queue_driver: 'sns', storage_driver: 'postgres' },
      queue: { sns: { topic_arn: 'arn' } },
    };
    expect(problems({ json: push, process: 'push-planner' })).toEqual([
      'push.queue_driver: sns is producer-only',
    ]);
  });

  it('X14 and X17 only warn', () => {
    const { warnings } = runs({ json: { ...cluster, rate_limiter: { enabled: true } } });
    expect(warnings.map(({ path }) => path)).toEqual([
      'adapter.driver',
      'app_manager.driver',
      'rate_limiter.driver',
    ]);
    expect(open({ ...cluster, adapter: { driver: 'nats', nats: { token: 'x' } } })).toBe(false);
    expect(open({ ...cluster, mode: 'development' })).toBe(false);
    expect(open({ ...cluster, adapter: { driver: 'rabbitmq' } })).toBe(false);
    expect(open({ ...cluster, adapter: { driver: 'omq' } })).toBe(true);
  });
});

describe('the process', () => {
  it('api defaults to its role and refuses the other', () => {
    expect(runs({ json: cluster, process: 'api' }).config.server_role).toBe('api');
    expect(problems({ json: { ...cluster, server_role: 'default' }, process: 'api' })).toEqual([
      'server_role: must be "api" in the api process',
    ]);
  });

  it('server is judged as an api process when its role is api', () => {
    const json = { ...cluster, cache: { driver: 'memory' }, idempotency: { enabled: false } };
    expect(problems({ json, process: 'server' })).toContainEqual(
      expect.stringMatching(/^cache\.driver: must be/),
    );
    for (const process of ['api', 'server'] as const)
      expect(runs({ json: { ...json, server_role: 'api' }, process }).config.server_role).toBe('api');
  });

  it('gateway refuses the role of api', () => {
    expect(problems({ json: { ...cluster, server_role: 'api' }, process: 'gateway' })).toEqual([
      'server_role: must not be "api" in the gateway process',
    ]);
  });

  it('workers need what they share', () => {
    expect(problems({ process: 'webhook-worker' })).toEqual(['webhook-worker needs a shared queue driver']);
    expect(problems({ process: 'push-dispatch' })).toEqual([
      'push-dispatch needs a shared queue driver',
      'push-dispatch needs a shared storage driver',
    ]);
    expect(problems({ process: 'history-writer' })).toEqual([
      'history-writer requires a horizontal adapter; adapter.driver=local is not supported',
    ]);
    expect(
      runs({ process: 'webhook-worker', json: { queue: { driver: 'redis' } } }).config.queue.driver,
    ).toBe('redis');
  });
});

describe('drivers of this build', () => {
  const drivers = {
    'adapter.driver': ['local'],
    'cache.driver': ['memory'],
    'rate_limiter.driver': ['memory'],
    'history.backend': ['memory'],
    'versioned_messages.driver': ['memory'],
    'push.queue_driver': ['memory'],
    'push.storage_driver': ['memory'],
  };

  it('matter for what is in use', () => {
    const json = { ...cluster, history: { enabled: true }, rate_limiter: { enabled: true, driver: 'redis' } };
    expect(problems({ json, drivers })).toEqual([
      'adapter.driver: driver nats is not available in this build',
      'cache.driver: driver redis is not available in this build',
      'history.backend: driver postgres is not available in this build',
      'rate_limiter.driver: driver redis is not available in this build',
    ]);
  });

  it('do not matter for what is off', () => {
    const json = { push: { queue_driver: 'kafka', storage_driver: 'mysql' } };
    expect(runs({ json, drivers }).config.history.backend).toBe('postgres');
    const used = { ...json, push_rules: [{ channel_pattern: '*' }] };
    expect(problems({ json: used, drivers })).toHaveLength(2);
  });

  it('matter for the limits that apps have of their own, though the rate limiter is off', () => {
    const json = { rate_limiter: { enabled: false, driver: 'redis' } };
    expect(problems({ json, drivers })).toEqual([
      'rate_limiter.driver: driver redis is not available in this build',
    ]);
  });
});
