import { expect, it, onTestFinished } from 'vitest';
import type * as Ably from 'ably';
import { Inbox } from '../clients/inbox.js';
import { AblyClients, heard } from '../compat/ably.js';
import { told } from '../harness/answers.js';
import { ClientV2 } from '../harness/client-v2.js';
import { onPostgres } from '../harness/on-postgres.js';
import { openTenant } from '../harness/tenant.js';
import { People } from '../own-client/people.js';

const shop = openTenant('shop');
const setting = {
  tenants: [shop],
  env: { CONNECTION_RECOVERY_ENABLED: 'true' },
  config: { compat: { enabled: true } },
};

onPostgres('a history that has lost a row', setting, ({ node, database }) => {
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

  it('has a gap that everybody is told of once, by the channel, by patterns, or by both', async () => {
    const why = { code: 'continuity_unverifiable', reason: 'live_gap_unrecoverable' };
    const views = [['gaps'], ['ga*'], ['gaps', 'ga*', '*ps']];
    const clients: ClientV2[] = [];
    for (const names of views) {
      const client = await ClientV2.connect(node);
      for (const name of names) await client.subscribe(name);
      clients.push(client);
    }
    const people = new People(node);
    onTestFinished(() => people.leave());
    const fitting = (await people.come('ada')).subscribe('g*');
    const own = new Inbox<unknown>();
    fitting.on('recovery', own.put);
    await fitting.whenSubscribed();
    const ably = new AblyClients(node, shop);
    onTestFinished(() => ably.close());
    const attached = ably.connect().channels.get('gaps');
    const changes = new Inbox<Ably.ChannelStateChange>();
    const heardBy = await heard(attached);
    attached.on('update', changes.put);
    const aside = await ClientV2.connect(node);
    await aside.subscribe('x*');
    await node.api().publish('gaps', 'e', '1');
    // A commit whose row is nowhere.
    await database().query(
      `update service_history_streams set next_delivery_serial = next_delivery_serial + 1,
        fanned_out_serial = fanned_out_serial + 1 where channel = 'gaps'`,
    );
    await node.api().publish('gaps', 'e', '3');
    for (const client of clients) {
      const [first, gap, last] = [await client.next(), await client.next(), await client.next()];
      expect([first.data, last.data, last.serial]).toEqual(['1', '3', 3]);
      expect([gap.event, gap.channel]).toEqual(['service:resume_failed', 'gaps']);
      expect(JSON.parse(String(gap.data))).toMatchObject({
        channel: 'gaps',
        ...why,
        newest_available_serial: 1,
      });
    }
    expect([(await heardBy.take()).data, (await heardBy.take()).data]).toEqual(['1', '3']);
    expect(await changes.take()).toMatchObject({ resumed: false, reason: { code: 90_003 } });
    expect(await own.take()).toEqual({ recovered: false, ...why, channel: 'gaps' });
    for (const client of [...clients, aside]) expect(await client.pending()).toEqual([]);
  });
});
