import { freePort } from '@carillon/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manage, managementSection, Operator, tokenRow } from '../harness/management.js';
import { Node } from '../harness/node.js';
import { openTenant } from '../harness/tenant.js';

const shop = openTenant('shop');

describe('a process without the setting', () => {
  const node = new Node('server', { tenants: [shop] });
  beforeAll(() => node.start());
  afterAll(async () => {
    await node.stop();
  });

  it('answers every path of the management API with 404', async () => {
    expect((await manage(node.port, 'GET', '/apps')).status).toBe(404);
    expect((await node.request({ path: '/console' })).status).toBe(404);
  });
});

describe('an own listener', () => {
  let [port, mainPort, metricsPort] = [0, 0, 0];
  const node = new Node('server', {
    tenants: [shop],
    get env() {
      return {
        ENVIRONMENT: 'production',
        PORT: String(mainPort),
        METRICS_PORT: String(metricsPort),
      };
    },
    get config() {
      return { management: managementSection([tokenRow('ops', ['read'])], { port }) };
    },
  });
  beforeAll(async () => {
    [port, mainPort, metricsPort] = await Promise.all([freePort(), freePort(), freePort()]);
    await node.start();
  });
  afterAll(async () => {
    await node.stop();
  });

  it('serves the management API and nothing else, and the main listener does not', async () => {
    const ops = new Operator(() => port, 'ops');
    await ops.must(200, 'GET', '/apps');
    expect((await new Operator(() => node.port, 'ops').request('GET', '/apps')).status).toBe(404);
    const body = JSON.stringify({ name: 'e', channel: 'c', data: 'x' });
    expect((await node.apiAt(node.port).request('POST', '/events', { body })).status).toBe(200);
    expect((await node.apiAt(port).request('POST', '/events', { body })).status).toBe(404);
    expect((await node.request({ path: '/live' }, port)).status).toBe(200);
    expect((await node.request({ path: '/' }, port)).status).toBe(404);
  });

  it('prints no one-time login in production', () => {
    expect(node.process.output).not.toContain('console:');
  });
});
