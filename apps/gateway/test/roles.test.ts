import { fileURLToPath } from 'node:url';
import { rawHttp, spawnNode } from '@carillon/testing';
import { describe, expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url));

const QUICK = {
  ENVIRONMENT: 'test',
  HOST: '127.0.0.1',
  PORT: '0',
  METRICS_ENABLED: 'false',
  SHUTDOWN_GRACE_PERIOD: '0',
  SERVICE_DEFAULT_APP_ID: 'shop',
  SERVICE_DEFAULT_APP_KEY: 'shop-key',
  SERVICE_DEFAULT_APP_SECRET: 'shop-secret',
};

describe('the gateway process', () => {
  it('answers its probes and stops in order', async () => {
    const gateway = spawnNode(MAIN, [], QUICK);
    const [, port] = await gateway.says(/ready listening=http:\/\/127\.0\.0\.1:(\d+)/);
    expect(await rawHttp(Number(port), { path: '/up' })).toMatchObject({ status: 200, body: 'OK' });
    expect(await gateway.kill('SIGTERM')).toBe(0);
  });

  it('does not take the role of an api node', async () => {
    const gateway = spawnNode(MAIN, [], { ...QUICK, SERVICE_SERVER_ROLE: 'api' });
    expect(await new Promise((done) => gateway.child.once('close', done))).toBe(78);
    expect(gateway.output).toContain('server_role');
  });

  it.each([
    ['clustered compatibility and idempotency require cache.driver=redis or redis-cluster', {}],
    ['cache.driver: must be redis or redis-cluster', { IDEMPOTENCY_ENABLED: 'false' }],
  ])('does not join others without a store that they share: %s', async (message, env) => {
    const gateway = spawnNode(MAIN, [], { ...QUICK, ADAPTER_DRIVER: 'nats', ...env });
    expect(await new Promise((done) => gateway.child.once('close', done))).toBe(78);
    expect(gateway.output).toContain(message);
  });
});
