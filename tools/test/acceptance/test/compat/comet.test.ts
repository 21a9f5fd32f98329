import type * as Ably from 'ably';
import { afterEach, describe, expect, it } from 'vitest';
import { Inbox } from '../clients/inbox.js';
import { onServer } from '../harness/every-app.js';
import { OnePort } from '../harness/one-port.js';
import { openTenant } from '../harness/tenant.js';
import { AblyClients, heard } from './ably.js';
import { keyOf, tokenRequest } from './key.js';
import { RefusingProxy } from './refusing-proxy.js';

const shop = openTenant('shop', { history: { enabled: true } });
const other = openTenant('other');
const env = { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory' };
const CONNECTED = 4;

const authCallback: Ably.AuthOptions['authCallback'] = (_params, done) =>
  done(null, tokenRequest(shop, { clientId: 'ada' }) as unknown as Ably.TokenRequest);

const codeOf = async (answer: Response): Promise<unknown> => [
  answer.status,
  ((await answer.json()) as { error: { code: number } }).error.code,
];

onServer(
  'clients of Ably over comet',
  { tenants: [shop, other], config: { compat: { enabled: true } }, env },
  (node) => {
    const clients = new AblyClients(node, shop);
    const closing: { close(): void }[] = [];
    afterEach(() => {
      clients.close();
      for (const one of closing.splice(0)) one.close();
    });

    describe.each([
      ['streaming', {}],
      // The library reads a boolean only.
      ['polling', { transportParams: { stream: false as unknown as string } }],
    ])('%s', (title, more: Ably.ClientOptions) => {
      const options: Ably.ClientOptions = { transports: ['comet'], disconnectedRetryTimeout: 100, ...more };

      it('attach, publish, subscribe, read history and close (case 39)', async () => {
        const client = clients.connect({ ...options, clientId: 'ada' });
        const channel = client.channels.get(`basic-${title}`);
        const inbox = await heard(channel);
        const burst = Array.from({ length: 50 }, (_, n) => channel.publish('n', { n }));
        await Promise.all(burst);
        for (let n = 0; n < 50; n += 1) expect((await inbox.take()).data).toEqual({ n });
        await clients.rest().channels.get(channel.name).publish('n', 'by rest');
        expect((await inbox.take()).data).toBe('by rest');
        expect((await channel.history({ limit: 1 })).items[0]?.data).toBe('by rest');
        await channel.detach();
        client.close();
        await client.connection.whenState('closed');
        expect(inbox.rest).toEqual([]);
      });

      it('enter presence and leave it when they close', async () => {
        const name = `room-${title}`;
        const told = new Inbox<Ably.PresenceMessage>();
        const watching = clients.connect().channels.get(name);
        await watching.presence.subscribe(told.put);
        const client = clients.connect({ ...options, clientId: 'ada' });
        const channel = client.channels.get(name);
        await channel.presence.enter('here');
        expect(await told.take()).toMatchObject({ action: 'enter', clientId: 'ada', data: 'here' });
        expect((await channel.presence.get()).map(({ clientId }) => clientId)).toEqual(['ada']);
        client.close();
        expect(await told.take()).toMatchObject({ action: 'leave', clientId: 'ada' });
      });

      it('resume after a cut, nothing lost or doubled', async () => {
        const front = new OnePort([node.port]);
        closing.push(front);
        const client = clients.connect({ ...options, port: await front.listen() });
        const channel = client.channels.get(`cut-${title}`);
        const inbox = await heard(channel);
        const publisher = clients.rest().channels.get(channel.name);
        await publisher.publish('n', '0');
        expect((await inbox.take()).data).toBe('0');
        const { id } = client.connection;
        const changes = new Inbox<Ably.ChannelStateChange>();
        channel.on(['attached', 'update'], changes.put);
        const isCut = client.connection.once('disconnected');
        front.cut();
        await isCut;
        for (const n of ['1', '2', '3', '4', '5']) await publisher.publish('n', n);
        for (const n of ['1', '2', '3', '4', '5']) expect((await inbox.take()).data).toBe(n);
        expect((await changes.take()).resumed).toBe(true);
        await channel.publish('n', '6');
        expect((await inbox.take()).data).toBe('6');
        expect(client.connection.id).toBe(id);
        expect(inbox.rest).toEqual([]);
      });

      it('keep their connection when they renew their token', async () => {
        const client = clients.connect({ ...options, authCallback });
        const channel = client.channels.get(`token-${title}`);
        const inbox = await heard(channel);
        const { id } = client.connection;
        await client.auth.authorize();
        await channel.publish('n', 'after');
        expect((await inbox.take()).data).toBe('after');
        expect(client.connection.id).toBe(id);
      });

      it('get their own error for a wrong key', async () => {
        const client = clients.connect({ ...options, key: 'shop.none:secret' });
        const { reason } = (await client.connection.whenState('failed')) ?? {};
        expect(reason?.code).toBe(40_101);
      });
    });

    it('fall back to comet behind a proxy that refuses Upgrade', async () => {
      const proxy = new RefusingProxy(() => [node.port]);
      closing.push(proxy);
      const client = clients.connect({
        port: await proxy.listen(),
        transports: ['web_socket', 'comet'],
        disconnectedRetryTimeout: 100,
      });
      const channel = client.channels.get('behind');
      const inbox = await heard(channel);
      await channel.publish('n', 'x');
      expect((await inbox.take()).data).toBe('x');
      expect(proxy.refused).toBeGreaterThan(0);
    });

    const address = (path: string, tenant = shop): string =>
      `http://127.0.0.1:${node.port}/comet/${path}${path.includes('?') ? '&' : '?'}key=${keyOf(tenant)}`;
    const open = async (): Promise<string> => {
      const answer = await fetch(address('connect?stream=false'));
      expect(answer.status).toBe(200);
      const [frame] = (await answer.json()) as [
        { action: number; connectionDetails: { connectionKey: string } },
      ];
      expect(frame.action).toBe(CONNECTED);
      return frame.connectionDetails.connectionKey;
    };

    it('answers requests with an unknown key, foreign credentials and bad bodies with their codes', async () => {
      const key = await open();
      const send = (body: string): Promise<Response> =>
        fetch(address(`${key}/send`), { method: 'POST', body });
      for (const verb of ['recv', 'close']) {
        expect(await codeOf(await fetch(address(`c1:${'0'.repeat(32)}/${verb}`)))).toEqual([404, 80_008]);
        expect(await codeOf(await fetch(address(`${key}/${verb}`, other)))).toEqual([401, 40_101]);
      }
      for (const body of ['', '{}', '[1]', '[{"action":"0"}]'])
        expect([body, await codeOf(await send(body))]).toEqual([body, [400, 40_000]]);
      const large = JSON.stringify([{ action: 0, id: 'x'.repeat(262_144) }]);
      expect(await codeOf(await send(large))).toEqual([413, 40_009]);
      expect((await fetch(address(`${key}/recv`), { method: 'HEAD' })).status).toBe(405);
      expect((await send('[{"action":0,"id":"a"}]')).status).toBe(204);
      expect(await (await fetch(address(`${key}/recv?stream=false`))).json()).toEqual([
        { action: 0, id: 'a' },
      ]);
    });

    it('reports a failed admission as a frame with the status of its error', async () => {
      const answer = await fetch(`http://127.0.0.1:${node.port}/comet/connect?key=a.b:c`);
      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject([{ action: 9, error: { code: 40_101 } }]);
      expect(answer.headers.get('x-ably-errorcode')).toBe('40101');
      expect((await fetch(address('connect?format=msgpack'))).status).toBe(400);
    });

    it('ends a recv when another one begins, and lets CLOSED be read after the close', async () => {
      const key = await open();
      const first = fetch(address(`${key}/recv?stream=false`));
      // The first has begun once the second has ended it, whichever the node read first.
      const second = fetch(address(`${key}/recv?stream=false`));
      expect(await (await Promise.race([first, second])).json()).toEqual([]);
      expect((await fetch(address(`${key}/close`), { method: 'POST' })).status).toBe(204);
      const last = await Promise.all([first, second]);
      const bodies = await Promise.all(
        last.map(async (one): Promise<unknown> => (one.bodyUsed ? [] : one.json())),
      );
      expect(bodies).toContainEqual([{ action: 8 }]);
      expect(await codeOf(await fetch(address(`${key}/recv`)))).toEqual([404, 80_008]);
      const late = await open();
      await fetch(address(`${late}/close`));
      expect(await (await fetch(address(`${late}/recv?stream=false`))).json()).toEqual([{ action: 8 }]);
    });

    it('sends one array per line without empty lines while a stream is open', async () => {
      const answer = await fetch(address('connect'));
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(answer.headers.get('cache-control')).toBe('no-cache, no-transform');
      const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      const line = async (): Promise<{ action: number; connectionDetails: { connectionKey: string } }[]> => {
        while (!text.includes('\n')) text += (await reader?.read())?.value ?? '';
        const end = text.indexOf('\n');
        const one = text.slice(0, end);
        text = text.slice(end + 1);
        return JSON.parse(one) as { action: number; connectionDetails: { connectionKey: string } }[];
      };
      const [connected] = await line();
      const key = connected?.connectionDetails.connectionKey;
      await fetch(address(`${key}/send`), { method: 'POST', body: '[{"action":0,"id":"a"}]' });
      expect(await line()).toEqual([{ action: 0, id: 'a' }]);
      await fetch(address(`${key}/disconnect`), { method: 'POST' });
      expect(await line()).toEqual([{ action: 6 }]);
      expect((await reader?.read())?.done).toBe(true);
    });
  },
);
