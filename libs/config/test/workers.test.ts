import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { workerEnvironment } from '../src/index.js';
import { exits, problems, runs } from './harness.js';

/** Minimal settings of several processes. */
const NATS = { ADAPTER_DRIVER: 'nats', IDEMPOTENCY_ENABLED: 'false', CACHE_DRIVER: 'redis' };

const three = (env: Record<string, string> = {}) =>
  ({ process: 'gateway', argv: ['--workers', '3'], env: { ...NATS, ...env } }) as const;

const two = (driver: string, embedded: boolean) => ({
  argv: ['--workers=2'],
  env: { ...NATS, ADAPTER_DRIVER: driver },
  toml: embedded ? '[database.postgres]\nembedded = true' : '',
});

describe('--workers', () => {
  it('is one process unless said otherwise', () => {
    expect(runs().workers).toBe(1);
    expect(runs({ argv: ['--workers=1'] }).workers).toBe(1);
    expect(runs(three()).workers).toBe(3);
  });

  it.each([
    [['--workers']],
    [['--workers', '0']],
    [['--workers', '-2']],
    [['--workers=65']],
    [['--workers=two']],
    [['--workers=2', '--workers=2']],
  ])('refuses %j with 64', (argv) => {
    expect(exits({ argv }).code).toBe(64);
  });

  it('is only for what serves clients on the main port', () => {
    const { code, stderr } = exits({ process: 'webhook-worker', argv: ['--workers=2'] });
    expect([code, stderr.split('\n')[0]]).toEqual([64, '--workers is not for webhook-worker']);
  });

  it('needs an adapter that reaches the siblings', () => {
    const argv = ['--workers=2'];
    expect(problems({ argv })).toEqual([
      '--workers requires a horizontal adapter; adapter.driver=local is not supported',
    ]);
    expect(problems(three({ ADAPTER_FALLBACK_TO_LOCAL: 'true' }))).toEqual([
      '--workers cannot use adapter.fallback_to_local',
    ]);
  });

  it('never shares an embedded database: what it takes to be several processes turns it off', () => {
    expect(problems(two('local', false))).toEqual([
      '--workers requires a horizontal adapter; adapter.driver=local is not supported',
    ]);
    expect(problems(two('local', true))).toEqual(problems(two('local', false)));
    for (const driver of ['nats', 'redis', 'kafka', 'rabbitmq', 'pulsar']) {
      expect(runs(two(driver, false)).config.database.postgres.embedded).toBe(false);
      expect(problems(two(driver, true))).toContain(
        'database.postgres.embedded: an embedded PostgreSQL serves a single node; adapter.driver must be local',
      );
    }
  });

  it('needs a port that can be shared', () => {
    expect(problems(three({ PORT: '0', ENVIRONMENT: 'test' }))).toEqual([
      'port: must not be 0 with --workers: each would take a port of its own',
    ]);
    expect(problems(three({ UNIX_SOCKET_ENABLED: 'true', UNIX_SOCKET_PATH: '/run/carillon.sock' }))).toEqual([
      'unix_socket.enabled: is not supported with --workers: a Unix socket cannot be shared',
    ]);
  });

  it('needs a port for the metrics of each', () => {
    expect(problems(three({ METRICS_PORT: '6000' }))).toEqual([
      'port 6001 is used by port and metrics.port of worker 1',
    ]);
    expect(problems(three({ METRICS_PORT: '65534' }))).toEqual([
      'metrics.port of worker 2 would be above 65535',
    ]);
    expect(
      problems(three({ METRICS_TCP_EXPORTER_ENABLED: 'true', METRICS_TCP_EXPORTER_PORT: '9603' })),
    ).toEqual(['port 9603 is used by metrics.port of worker 2 and metrics.tcp_exporter.port of worker 0']);
    expect(runs(three({ METRICS_PORT: '6000', METRICS_ENABLED: 'false' })).workers).toBe(3);
  });

  it('needs room for the number in the process id', () => {
    expect(problems(three({ INSTANCE_PROCESS_ID: 'x'.repeat(127) }))).toEqual([
      'instance.process_id: leaves no room for the number of the worker',
    ]);
  });
});

describe('the environment of a worker', () => {
  it('gives each its own process id and listeners, and is a valid one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 64 }), (count) => {
        const env = { ...NATS, METRICS_TCP_EXPORTER_ENABLED: 'true', INSTANCE_PROCESS_ID: 'shop' };
        const { config } = runs({ process: 'gateway', argv: [`--workers=${count}`], env });
        const workers = Array.from({ length: count }, (_, index) => {
          const own = { ...env, ...workerEnvironment(config, index) };
          return runs({ process: 'gateway', env: own }).config;
        });
        expect(new Set(workers.map(({ instance }) => instance.process_id)).size).toBe(count);
        const ports = workers.flatMap(({ metrics }) => [metrics.port, metrics.tcp_exporter.port]);
        expect(new Set(ports).size).toBe(2 * count);
        expect(workers[1]).toMatchObject({ port: config.port, metrics: { port: config.metrics.port + 1 } });
        expect(workers[1]?.instance.process_id).toBe('shop-1');
      }),
      { numRuns: 5 },
    );
  });

  it('leaves a free port free', () => {
    const { config } = runs(three({ METRICS_PORT: '0', ENVIRONMENT: 'test' }));
    expect(Object.keys(workerEnvironment(config, 2))).toEqual(['INSTANCE_PROCESS_ID']);
  });
});
