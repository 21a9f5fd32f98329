import { expect, it } from 'vitest';
import { told } from '../harness/answers.js';
import { eventually } from '../harness/eventually.js';
import { onPostgres } from '../harness/on-postgres.js';
import { tenant } from '../harness/tenant.js';

onPostgres(
  'a database that has lost its last commits and went on',
  { tenants: [tenant('shop')] },
  ({ node, database }) => {
    it('goes on above everything that was delivered, and is not read until it is reset', async () => {
      const publish = (data: string) => node.api().publish('orders', 'e', data);
      const client = await node.connect();
      await client.subscribe('orders');
      for (const data of ['1', '2', '3', '4', '5']) await publish(data);
      // As after a failover without the tail.
      await database().query('delete from service_history_records where history_serial > 3');
      await database().query(
        `update service_history_streams set next_delivery_serial = 4, next_history_serial = 4,
          fanned_out_serial = 3, retained_messages = 3`,
      );
      await publish('6');
      await publish('7');
      const got: unknown[] = [];
      while (got.length < 7) got.push((await client.next()).data);
      expect(got).toEqual(['1', '2', '3', '4', '5', '6', '7']);
      await eventually(async () => {
        const state = await told(node.api().request('GET', '/channels/orders/history/state'));
        expect(state).toMatchObject([
          200,
          {
            stream: {
              // The last publish came before the claim, or after it.
              next_serial: expect.toSatisfy((serial: number) => serial === 6 || serial === 7),
              state: { durable_state: 'reset_required', reason: 'history_stream_regressed' },
            },
          },
        ]);
      });
      await publish('8');
      expect((await client.next()).data).toBe('8');
      expect(await client.pending()).toEqual([]);
      const page = await told(node.api().request('GET', '/channels/orders/history'));
      expect(page).toMatchObject([503, { error: expect.stringContaining('history_stream_regressed') }]);
    }, 60_000);
  },
);
