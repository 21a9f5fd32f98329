import { configure } from '@carillon/config';
import type { AddressInfo } from 'node:net';
import {
  Admission,
  createLogging,
  Health,
  Metrics,
  OCCUPANCY_SOURCE,
  ProcessState,
  Reloads,
  RuntimeModule,
  Shutdown,
  Startup,
  type AppLookup,
  type OccupancySource,
} from '@carillon/runtime';
import { Module, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterEach, describe, expect, it } from 'vitest';
import { APP_LOOKUP, OpsApiModule, type OpsApiOptions } from '../src/index.js';
import { demoOf } from '../src/welcome/demo.js';
import { NodeHttpAdapter } from './node-http-adapter.js';

const open: INestApplication[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((app) => app.close()));
});

const apps: AppLookup = { find: async (id) => (id === 'shop' ? { enabled: true } : null) };
const sockets: OccupancySource = {
  appIds: () => ['shop', 'empty'],
  counters: (id) => ({
    connections: id === 'shop' ? 2 : 0,
    authenticated_connections: 1,
    users: 1,
    connections_with_meta: 0,
  }),
  sockets: () => [
    [{ channel: 'presence-room', presenceUserId: 'ada' }],
    [{ channel: 'news', presenceUserId: null }],
  ],
};

@Module({
  providers: [
    { provide: APP_LOOKUP, useValue: apps },
    { provide: OCCUPANCY_SOURCE, useValue: sockets },
  ],
  exports: [APP_LOOKUP, OCCUPANCY_SOURCE],
})
class SourcesModule {}

@Module({ providers: [{ provide: APP_LOOKUP, useValue: apps }], exports: [APP_LOOKUP] })
class AppsModule {}

function parts() {
  const outcome = configure({ process: 'server', argv: [], env: {}, cwd: '/nowhere' });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  const logging = createLogging(
    { debug: false, colors_enabled: false, include_target: true, format: 'text', filter: 'off' },
    { destination: { write: () => undefined } },
  );
  const log = logging.for('service::ops');
  const metrics = new Metrics({ prefix: 'service_', port: 6001, log });
  const process = new ProcessState();
  process.advance('RUNNING');
  const admission = new Admission(
    { enabled: false, memory_threshold: 0.9, sample_interval_ms: 500 },
    { process, metrics, log },
  );
  const health = new Health({ health_check_timeout_ms: 100, health_check_cache_ms: 0 }, metrics, log);
  const shutdown = new Shutdown(
    { shutdown_grace_period: 0, drain: {}, queue_shutdown_timeout_ms: 0, server_role: 'default' },
    { process, metrics, log, flushLog: () => undefined, exit: () => undefined },
  );
  const { config } = outcome;
  const reloads = new Reloads({ config, log });
  return { admission, config, health, logging, metrics, process, reloads, shutdown, startup: new Startup() };
}

const down = async (): Promise<void> => {
  throw new Error('refused');
};

const ALL: OpsApiOptions['routes'] = ['live', 'accept-traffic', 'up', 'up-app', 'usage', 'stats'];

async function serve(options: Partial<OpsApiOptions> = {}) {
  const process = parts();
  const ops = OpsApiModule.register({
    routes: ALL,
    usage_enabled: true,
    health_check_timeout_ms: 100,
    server_role: 'default',
    imports: [SourcesModule],
    ...options,
  });
  const root = { module: class RootModule {}, imports: [RuntimeModule.forProcess(process), ops] };
  const app = await NestFactory.create(root, new NodeHttpAdapter(), { logger: false, bodyParser: false });
  open.push(app);
  const server = (await app.listen(0, '127.0.0.1')) as { address(): AddressInfo };
  const base = `http://127.0.0.1:${server.address().port}`;
  const get = async (path: string) => {
    const response = await fetch(base + path);
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
  return { get, ...process };
}

describe('the first page', () => {
  const demo = { key: "k</script>'", secret: null, socketPath: '/app/' };

  it('is whole, loads nothing, and holds the key of the app without becoming anything else', async () => {
    const { get } = await serve({ routes: ['welcome', 'up'], demo });
    const { status, headers, body } = await get('/');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(body).toContain('"k\\u003c/script>\'"');
    expect(body.match(/<\/script>/g)).toHaveLength(1);
    expect(body).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect((await get('/up')).status).toBe(200);
  });

  it('is not found without an app to try', async () => {
    const { get } = await serve({ routes: ['welcome'] });
    expect((await get('/')).status).toBe(404);
  });

  it.each<[string, Record<string, string>, object | null]>([
    ['in production there is none', { ENVIRONMENT: 'production' }, null],
    [
      'a secret that is not published stays where it is',
      { SERVICE_DEFAULT_APP_SECRET: 'own' },
      { secret: null },
    ],
    ['the published one is used', {}, { key: 'demo-key', secret: 'demo-secret', socketPath: '/app/' }],
  ])('%s', (_, more, expected) => {
    const env = {
      ENVIRONMENT: 'development',
      SERVICE_DEFAULT_APP_ID: '1001',
      SERVICE_DEFAULT_APP_KEY: 'demo-key',
      SERVICE_DEFAULT_APP_SECRET: 'demo-secret',
      ...more,
    };
    const outcome = configure({ process: 'server', argv: [], env, cwd: '/nowhere' });
    if (outcome.kind === 'exit') throw new Error(outcome.stderr);
    const found = demoOf(outcome.config);
    if (expected === null) expect(found).toBeNull();
    else expect(found).toMatchObject(expected);
  });
});

describe('operational routes', () => {
  it('answer the probes through Nest', async () => {
    const { get, process } = await serve();
    const live = await get('/live');
    expect([live.status, live.body]).toEqual([200, 'OK']);
    expect(live.headers.get('cache-control')).toBe('no-store');
    expect(live.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const up = await get('/up');
    expect([up.status, up.body, up.headers.get('x-health-check')]).toEqual([200, 'OK', 'OK']);
    expect((await get('/up/shop')).status).toBe(200);
    const unknown = await get('/up/none');
    expect([unknown.status, unknown.body]).toEqual([404, 'NOT_FOUND']);
    const accept = await get('/accept-traffic');
    expect([accept.status, accept.body]).toEqual([200, 'ACCEPTING']);
    expect(accept.headers.get('x-memory-pressure-monitor')).toBe('DISABLED');
    expect(accept.headers.get('x-memory-limit-source')).toBe('unavailable');
    process.advance('DRAINING');
    expect((await get('/live')).status).toBe(200);
    expect(await get('/up')).toMatchObject({ status: 503, body: 'DRAINING' });
    expect(await get('/accept-traffic')).toMatchObject({ status: 503, body: 'DRAINING' });
  });

  it('show health and never name the part', async () => {
    const { get, health } = await serve();
    health.register({ part: 'webhook queue', severity: 'non-critical', check: down });
    const degraded = await get('/up');
    expect([degraded.status, degraded.body, degraded.headers.get('x-health-check')]).toEqual([
      200,
      'DEGRADED',
      'DEGRADED',
    ]);
    health.register({ part: 'cache', severity: 'critical', check: () => new Promise(() => undefined) });
    expect(await get('/up')).toMatchObject({ status: 503, body: 'ERROR' });
  });

  it('give usage and statistics as JSON', async () => {
    const { get } = await serve();
    const usage = await get('/usage');
    expect(usage.headers.get('content-type')).toContain('application/json');
    expect(usage.headers.get('cache-control')).toBe('no-store');
    const { memory, process } = JSON.parse(usage.body) as Record<string, Record<string, number>>;
    expect(Object.keys(memory ?? {})).toEqual(['free', 'used', 'total', 'percent']);
    expect(Object.keys(process ?? {})).toEqual(['rss', 'heap_used', 'heap_total', 'external']);
    const [native, operator] = await Promise.all([get('/stats'), get('/operator/stats')]);
    const body = JSON.parse(native.body) as Record<string, unknown>;
    expect(Object.keys(body)).toEqual(['memory', 'history', 'presence_history', 'totals', 'apps']);
    const numbers = {
      connections: 2,
      authenticated_connections: 1,
      users: 1,
      connections_with_meta: 0,
      occupancy: {
        channels: 2,
        subscriptions: 2,
        presence_channels: 1,
        presence_subscriptions: 1,
        presence_members: 1,
      },
    };
    const disabled = {
      enabled: false,
      backend: 'disabled',
      state_authority: 'disabled',
      degraded_channels: 0,
      reset_required_channels: 0,
      queue_depth: 0,
    };
    expect(JSON.parse(operator.body)).toMatchObject({
      history: disabled,
      presence_history: disabled,
      totals: { apps: 1, ...numbers },
      apps: [{ app_id: 'shop', ...numbers }],
    });
  });

  it('name the role and have no sockets on an api node', async () => {
    const { get } = await serve({ server_role: 'api', imports: [AppsModule] });
    const body = JSON.parse((await get('/stats')).body) as Record<string, unknown>;
    expect(body).toMatchObject({ server_role: 'api', apps: [], totals: { apps: 0, connections: 0 } });
  });

  it('are 404 with the one error body when usage is off', async () => {
    const { get } = await serve({ usage_enabled: false });
    for (const path of ['/usage', '/stats', '/operator/stats']) {
      const { status, body, headers } = await get(path);
      expect(status).toBe(404);
      expect(headers.get('content-type')).toBe('application/json');
      expect(JSON.parse(body)).toEqual({ error: 'no such route', code: 'not_found', status: 404 });
    }
    expect((await get('/live')).status).toBe(200);
  });

  it('exist only where asked for', async () => {
    const { get } = await serve({ routes: ['live', 'up', 'usage'], imports: [] });
    const status = async (path: string): Promise<number> => (await get(path)).status;
    expect(await Promise.all(['/live', '/up', '/usage'].map(status))).toEqual([200, 200, 200]);
    expect(await Promise.all(['/accept-traffic', '/up/shop', '/stats'].map(status))).toEqual([404, 404, 404]);
  });

  it('answer a failing source with the one internal error', async () => {
    const failing: OccupancySource = {
      ...sockets,
      appIds: () => {
        throw new Error('secret detail');
      },
    };
    const broken = {
      module: class BrokenModule {},
      providers: [
        { provide: APP_LOOKUP, useValue: apps },
        { provide: OCCUPANCY_SOURCE, useValue: failing },
      ],
      exports: [APP_LOOKUP, OCCUPANCY_SOURCE],
    };
    const { get } = await serve({ imports: [broken] });
    const { status, body } = await get('/stats');
    expect(status).toBe(500);
    expect(JSON.parse(body)).toEqual({ error: 'Internal server error', code: 'internal_error', status: 500 });
  });
});
