import { engine, whyMissing } from '@carillon/test-backends';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { tellDriver } from './driven.js';

interface Heard {
  readonly event: string;
  readonly channel: string | null;
  readonly data: unknown;
}

const shop = openTenant('shop', { features: { enable_watchlist_events: false } });

describe.runIf(whyMissing('pysher') === null)('with Python', () => {
  onServer('pysher', { tenants: [shop] }, (node) => {
    let url: string;
    const clients: number[] = [];
    beforeAll(async () => {
      ({ url } = await engine('pysher'));
    });
    afterEach(async () => {
      await Promise.all(clients.splice(0).map((client) => tell(client, 'disconnect')));
    });

    const ask = (command: object): Promise<unknown> => tellDriver(url, command);
    const tell = (client: number, what: string, more: object = {}): Promise<unknown> =>
      ask({ do: what, client, ...more });
    const next = async (client: number): Promise<Heard> => (await tell(client, 'next')) as Heard;

    /** A connected client in Python. */
    async function connect(user = 'ada', secret = shop.secret): Promise<number> {
      const { client } = (await ask({
        do: 'connect',
        host: '127.0.0.1',
        port: node.port,
        key: shop.key,
        secret,
        user: { user_id: user, user_info: { name: user } },
      })) as { client: number };
      clients.push(client);
      expect(await next(client)).toMatchObject({ event: 'pusher:connection_established', channel: null });
      return client;
    }

    async function subscribe(client: number, channel: string, bind?: string): Promise<unknown> {
      await tell(client, 'subscribe', { channel, ...(bind === undefined ? {} : { bind }) });
      const { event, channel: answered, data } = await next(client);
      expect([event, answered]).toEqual(['pusher_internal:subscription_succeeded', channel]);
      return JSON.parse(data as string);
    }

    it('receives events of a public channel, also where they are bound', async () => {
      const client = await connect();
      expect(await subscribe(client, 'orders', 'order.paid')).toEqual({});
      await node.api().publish('orders', 'order.paid', { id: 9 });
      const paid = { channel: 'orders', data: '{"id":9}' };
      expect(await next(client)).toEqual({ event: 'bound order.paid', ...paid });
      expect(await next(client)).toEqual({ event: 'order.paid', ...paid });
    });

    it('signs private channels itself and sends events there', async () => {
      const [ada, bo] = [await connect('ada'), await connect('bo')];
      await subscribe(ada, 'private-orders');
      await subscribe(bo, 'private-orders');
      await tell(ada, 'trigger', { channel: 'private-orders', event: 'client-typing', data: { on: true } });
      expect(await next(bo)).toEqual({
        event: 'client-typing',
        channel: 'private-orders',
        data: { on: true },
      });
    });

    it('joins presence channels with data spaced as Python spaces it', async () => {
      const [ada, bo] = [await connect('ada'), await connect('bo')];
      await subscribe(ada, 'presence-lobby');
      expect(await subscribe(bo, 'presence-lobby')).toEqual({
        presence: { ids: ['ada', 'bo'], hash: { ada: { name: 'ada' }, bo: { name: 'bo' } }, count: 2 },
      });
      const added = await next(ada);
      expect(added.event).toBe('pusher_internal:member_added');
      expect(JSON.parse(added.data as string)).toEqual({ user_id: 'bo', user_info: { name: 'bo' } });
      await tell(bo, 'unsubscribe', { channel: 'presence-lobby' });
      expect(await next(ada)).toMatchObject({
        event: 'pusher_internal:member_removed',
        data: '{"user_id":"bo"}',
      });
    });

    it('stays connected when a channel is refused, because the refusal names the channel', async () => {
      const client = await connect('ada', 'another secret');
      await tell(client, 'subscribe', { channel: 'private-orders' });
      expect(await next(client)).toMatchObject({ event: 'pusher:error', channel: 'private-orders' });
      expect(await next(client)).toMatchObject({ event: 'pusher:subscription_error', data: { status: 401 } });
      await subscribe(client, 'orders');
    });
  });
});
