import { expect, it } from 'vitest';
import { told } from '../harness/answers.js';
import { onPostgres } from '../harness/on-postgres.js';
import { tenant } from '../harness/tenant.js';

onPostgres('a history that has lost a row', { tenants: [tenant('shop')] }, ({ node, database }) => {
  const get = (path: string, query: Record<string, string> = {}) =>
    told(node.api().request('GET', `/channels/orders/history${path}`, { query }));
  const publish = (data: string) => node.api().publish('orders', 'e', data);

  it('is not read until it is reset, and goes on live all the while', async () => {
    const client = await node.connect();
    await client.subscribe('orders');
    for (const data of ['1', '2', '3', '4', '5']) await publish(data);
    expect(await get('')).toMatchObject([200, { continuity: { complete: true, retained_messages: 5 } }]);
    await database().query('delete from service_history_records where history_serial = 3');
    const queries: Record<string, string>[] = [
      { limit: '2', end_serial: '4' },
      {},
      { direction: 'oldest_first' },
    ];
    for (const query of queries)
      expect(await get('', query)).toMatchObject([
        503,
        { code: 'service_unavailable', error: expect.stringContaining('history_serial_gap') },
      ]);
    expect(await get('/state')).toMatchObject([
      200,
      {
        stream: {
          next_serial: 6,
          state: { durable_state: 'reset_required', reset_required: true, reason: 'history_serial_gap' },
        },
      },
    ]);
    await publish('6');
    const got: unknown[] = [];
    while (got.length < 6) got.push((await client.next()).data);
    expect(got).toEqual(['1', '2', '3', '4', '5', '6']);
    const body = JSON.stringify({ confirm_channel: 'orders', confirm_operation: 'reset', reason: 'r' });
    const reset = await told(node.api().request('POST', '/channels/orders/history/reset', { body }));
    expect(reset).toMatchObject([200, { stream: { next_serial: 1, state: { durable_state: 'healthy' } } }]);
    await publish('7');
    expect((await client.next()).data).toBe('7');
    expect(await get('')).toMatchObject([200, { items: [{ serial: 1 }], continuity: { complete: true } }]);
  }, 60_000);
});
