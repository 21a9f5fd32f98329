import type * as Ably from 'ably';
import { afterEach, describe, expect, it } from 'vitest';
import { Inbox } from '../clients/inbox.js';
import { onCluster } from '../harness/cluster.js';
import { openTenant } from '../harness/tenant.js';
import { AblyClients, heard } from './ably.js';
import { keyOf } from './key.js';
import { RefusingProxy } from './refusing-proxy.js';

const shop = openTenant('shop', { history: { enabled: true } });
const setting = {
  tenants: () => [shop],
  config: { compat: { enabled: true } },
  env: { HISTORY_ENABLED: 'true', VERSIONED_MESSAGES_ENABLED: 'true', VERSIONED_MESSAGES_DRIVER: 'postgres' },
  more: ['history-writer'],
  database: true,
} as const;

onCluster('comet connections at two gateways', ['nats'], setting, (cluster) => {
  const clients = new AblyClients(
    {
      get port() {
        return cluster.gateway(0).port;
      },
    },
    shop,
  );
  const closing: { close(): void }[] = [];
  afterEach(() => {
    clients.close();
    for (const one of closing.splice(0)) one.close();
  });
  const inFront = async (): Promise<{ readonly proxy: RefusingProxy; readonly port: number }> => {
    const proxy = new RefusingProxy(() => cluster.gateways.map(({ port }) => port));
    closing.push(proxy);
    return { proxy, port: await proxy.listen() };
  };

  describe.each([
    ['streaming', {}],
    ['polling', { transportParams: { stream: false as unknown as string } }],
  ])('%s', (title, more: Ably.ClientOptions) => {
    const options: Ably.ClientOptions = { transports: ['comet'], disconnectedRetryTimeout: 100, ...more };

    it('work when each request reaches the other gateway in turn', async () => {
      const { port } = await inFront();
      const name = `turns-${title}`;
      const members = new Inbox<Ably.PresenceMessage>();
      const watching = clients.connect().channels.get(name);
      await watching.presence.subscribe(members.put);
      const client = clients.connect({ ...options, port, clientId: 'ada' });
      const channel = client.channels.get(name);
      const inbox = await heard(channel);
      const { id } = client.connection;
      for (let n = 0; n < 20; n += 1) await channel.publish('n', String(n));
      for (let n = 0; n < 20; n += 1) expect((await inbox.take()).data).toBe(String(n));
      const large = 'x'.repeat(60_000);
      await Promise.all(Array.from({ length: 20 }, () => channel.publish('n', large)));
      for (let n = 0; n < 20; n += 1) expect((await inbox.take()).data).toBe(large);
      await channel.presence.enter('here');
      expect(await members.take()).toMatchObject({ action: 'enter', clientId: 'ada' });
      await client.auth.authorize();
      await watching.publish('n', 'last');
      expect((await inbox.take()).data).toBe('last');
      expect(client.connection.id).toBe(id);
      client.close();
      await client.connection.whenState('closed');
      expect(await members.take()).toMatchObject({ action: 'leave', clientId: 'ada' });
      expect(inbox.rest).toEqual([]);
    });

    it('resume after a cut of every request', async () => {
      const { port, proxy } = await inFront();
      const client = clients.connect({ ...options, port });
      const channel = client.channels.get(`cut-${title}`);
      const inbox = await heard(channel);
      const publisher = clients.connect().channels.get(channel.name);
      await publisher.publish('n', '0');
      expect((await inbox.take()).data).toBe('0');
      const isCut = client.connection.once('disconnected');
      proxy.cut();
      await isCut;
      for (const n of ['1', '2', '3']) await publisher.publish('n', n);
      for (const n of ['1', '2', '3']) expect((await inbox.take()).data).toBe(n);
      await channel.publish('n', '4');
      expect((await inbox.take()).data).toBe('4');
      expect(inbox.rest).toEqual([]);
    });
  });

  it('are not found by a key of no gateway', async () => {
    const path = `/comet/c1:${'0'.repeat(32)}/recv?key=${keyOf(shop)}`;
    for (const { port } of cluster.gateways) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('x-ably-errorcode')).toBe('80008');
    }
  });

  it('are absent from a process without connections', async () => {
    for (const path of ['comet/connect', 'sse?channels=a', 'event-stream?channels=a']) {
      const answer = await fetch(`http://127.0.0.1:${cluster.apiNode.port}/${path}`);
      expect([path, answer.status, answer.headers.get('x-ably-errorcode')]).toEqual([path, 404, '40400']);
    }
  });
});
