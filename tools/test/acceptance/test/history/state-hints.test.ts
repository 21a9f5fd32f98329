import { expect, it } from 'vitest';
import { told } from '../harness/answers.js';
import { eventually } from '../harness/eventually.js';
import { onPostgres } from '../harness/on-postgres.js';
import { tenant } from '../harness/tenant.js';

const WITHIN_MS = 20_000;

onPostgres(
  'a history that turns out to be broken while its row in the database is held',
  { tenants: [tenant('shop')] },
  ({ node, database }) => {
    const get = (path: string) => told(node.api().request('GET', `/channels/orders/history${path}`));
    const seen = async () => {
      const [status, body] = await get('/state');
      expect(status).toBe(200);
      const { state } = (body as { stream: { state: Record<string, unknown> } }).stream;
      return [state['durable_state'], state['reason'], state['observed_source']];
    };

    it('says so all the same, in the database as soon as it can, and not any more after a reset', async () => {
      await node.api().publish('orders', 'e', 'x');
      await database().query(`update service_history_records set payload = '{"event":'::bytea`);
      await database().transaction(async (session) => {
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
  },
);
