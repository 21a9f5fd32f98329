import { Databases, type Database } from '@carillon/database';
import { engine } from '@carillon/engines';
import { createParts } from '@carillon/runtime';
import { configuration } from '@carillon/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { told } from '../harness/answers.js';
import { eventually } from '../harness/eventually.js';
import { Node } from '../harness/node.js';
import { tenant } from '../harness/tenant.js';

const WITHIN_MS = 20_000;

describe('a history that turns out to be broken while its row in the database is held', () => {
  let corner: { readonly url: string; end(): Promise<void> };
  let database: Database;
  let node: Node;

  beforeAll(async () => {
    corner = await (await engine('postgres')).isolate();
    const { hostname, port, username, password, pathname } = new URL(corner.url);
    const env = {
      DATABASE_POSTGRES_HOST: hostname,
      DATABASE_POSTGRES_PORT: port,
      DATABASE_POSTGRES_USERNAME: decodeURIComponent(username),
      DATABASE_POSTGRES_PASSWORD: decodeURIComponent(password),
      DATABASE_POSTGRES_DATABASE: pathname.slice(1),
    };
    database = new Databases(createParts(configuration({ RUST_LOG: 'off', ...env }))).use('postgres', []);
    await database.connect();
    node = new Node('server', { tenants: [tenant('shop')], env: { ...env, HISTORY_ENABLED: 'true' } });
    await node.start();
  }, 90_000);
  afterAll(async () => {
    expect(await node.stop()).toBe(0);
    await database.close();
    await corner.end();
  });

  const get = (path: string) => told(node.api().request('GET', `/channels/orders/history${path}`));
  const seen = async () => {
    const [status, body] = await get('/state');
    expect(status).toBe(200);
    const { state } = (body as { stream: { state: Record<string, unknown> } }).stream;
    return [state['durable_state'], state['reason'], state['observed_source']];
  };

  it('says so all the same, in the database as soon as it can, and not any more after a reset', async () => {
    await node.api().publish('orders', 'e', 'x');
    await database.query(`update service_history_records set payload = '{"event":'::bytea`);
    await database.transaction(async (session) => {
      await session.query('select 1 from service_history_streams for update');
      const [status] = await get('');
      expect(status).toBe(503);
      const hinted = ['degraded', 'history_row_unreadable', 'local_memory_hint'];
      await eventually(async () => expect(await seen()).toEqual(hinted), WITHIN_MS);
      expect(await get('')).toMatchObject([
        503,
        { code: 'service_unavailable', error: expect.stringContaining('history_row_unreadable') },
      ]);
    });
    const stored = ['degraded', 'history_row_unreadable', 'durable_store'];
    await eventually(async () => expect(await seen()).toEqual(stored), WITHIN_MS);
    const body = JSON.stringify({ confirm_channel: 'orders', confirm_operation: 'reset', reason: 'r' });
    const reset = await told(node.api().request('POST', '/channels/orders/history/reset', { body }));
    expect(reset).toMatchObject([200, { stream: { state: { durable_state: 'healthy' } } }]);
    expect(await seen()).toEqual(['healthy', null, 'durable_store']);
  }, 90_000);
});
