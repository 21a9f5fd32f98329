import { freePort } from '@carillon/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configFile, type RunningServer, startServer } from './running-server.js';

const APPS = `
[[app_manager.array.apps]]
id = "shop"
key = "shop-key"
secret = "shop-secret"
[[app_manager.array.apps]]
id = "closed"
key = "closed-key"
secret = "closed-secret"
enabled = false
`;

/** The apps of the file instead of the one of the environment. */
const NO_DEFAULT_APP = {
  SERVICE_DEFAULT_APP_ID: '',
  SERVICE_DEFAULT_APP_KEY: '',
  SERVICE_DEFAULT_APP_SECRET: '',
};

describe('probes of a running server', () => {
  let server: RunningServer;
  let metricsPort: number;

  beforeAll(async () => {
    metricsPort = await freePort();
    const file = configFile('apps.toml', APPS);
    server = await startServer(
      {
        ...NO_DEFAULT_APP,
        METRICS_ENABLED: 'true',
        METRICS_HOST: '127.0.0.1',
        METRICS_PORT: String(metricsPort),
      },
      ['--config', file],
    );
  });
  afterAll(() => server.process.kill());

  it('answer in plain words that no cache may keep', async () => {
    for (const [path, body] of [
      ['/live', 'OK'],
      ['/up', 'OK'],
      ['/up/shop', 'OK'],
      ['/accept-traffic', 'ACCEPTING'],
    ] as const) {
      const answer = await server.request(path);
      expect([answer.status, answer.body]).toEqual([200, body]);
      expect(answer.headers).toMatchObject({
        'cache-control': 'no-store',
        'content-type': 'text/plain; charset=utf-8',
      });
    }
    expect((await server.request('/up')).headers['x-health-check']).toBe('OK');
    expect((await server.request('/accept-traffic')).headers).toMatchObject({
      'x-memory-pressure-monitor': 'DISABLED',
      'x-memory-limit-source': 'unavailable',
    });
  });

  it('say which apps cannot be served', async () => {
    const unknown = await server.request('/up/none');
    expect([unknown.status, unknown.body, unknown.headers['x-health-check']]).toEqual([
      404,
      'NOT_FOUND',
      'NOT_FOUND',
    ]);
    const disabled = await server.request('/up/closed');
    expect([disabled.status, disabled.body]).toEqual([503, 'ERROR']);
  });

  it('have bodiless HEAD, a trailing slash, and the one error body elsewhere', async () => {
    const head = await server.request('/up', { method: 'HEAD' });
    expect([head.status, head.body, head.headers['x-health-check']]).toEqual([200, '', 'OK']);
    expect((await server.request('/live/')).status).toBe(200);
    const missing = await server.request('/nothing');
    expect(JSON.parse(missing.body)).toEqual({ error: 'no such route', code: 'not_found', status: 404 });
    const wrong = await server.request('/up', { method: 'POST', body: '{}' });
    expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });

  it('show statistics of this node', async () => {
    const usage = JSON.parse((await server.request('/usage')).body) as { memory: { total: number } };
    expect(usage.memory.total).toBeGreaterThan(0);
    for (const path of ['/stats', '/operator/stats']) {
      const stats = JSON.parse((await server.request(path)).body) as Record<string, unknown>;
      expect(stats).toMatchObject({ apps: [], totals: { apps: 0, connections: 0 } });
      expect(stats).not.toHaveProperty('server_role');
    }
    expect((await server.request('/operator/stats/aggregation')).status).toBe(404);
  });

  it('are measured, and scraped from a port of their own', async () => {
    await server.request('/up');
    const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await response.text();
    expect(text).toMatch(
      /service_http_request_duration_seconds_count\{route="\/up",method="GET",status="2xx"\} \d/,
    );
    expect(text).toContain('service_dependency_up{dependency="app manager"} 1');
    expect(text).toMatch(/^process_resident_memory_bytes \d+/m);
    expect((await fetch(`http://127.0.0.1:${metricsPort}/`)).status).toBe(404);
  });
});

describe('statistics that are turned off', () => {
  it('do not exist', async () => {
    const server = await startServer({ HTTP_API_USAGE_ENABLED: 'false' });
    for (const path of ['/usage', '/stats', '/operator/stats']) {
      expect((await server.request(path)).status).toBe(404);
    }
    expect((await server.request('/up')).status).toBe(200);
    await server.process.kill();
  });
});

describe('a server without apps', () => {
  it('lives, but is not up', async () => {
    const server = await startServer(NO_DEFAULT_APP);
    expect((await server.request('/live')).status).toBe(200);
    const up = await server.request('/up');
    expect([up.status, up.body]).toEqual([503, 'ERROR']);
    await server.process.kill();
  });
});

describe('memory pressure', () => {
  it('turns new connections away and leaves everything else alone', async () => {
    const server = await startServer({
      HTTP_API_ACCEPT_TRAFFIC_ENABLED: 'true',
      HTTP_API_ACCEPT_TRAFFIC_MEMORY_LIMIT_BYTES: '1000000',
    });
    const answer = await server.request('/accept-traffic');
    expect([answer.status, answer.body]).toEqual([503, 'MEMORY_PRESSURE']);
    expect(answer.headers).toMatchObject({
      'x-memory-pressure-monitor': 'SHEDDING',
      'x-memory-limit-source': 'configured',
    });
    expect((await server.request('/up')).body).toBe('OK');
    await server.process.kill();
  });
});
