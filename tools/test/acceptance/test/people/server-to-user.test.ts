import { expect, it } from 'vitest';
import type { Client } from '../harness/client.js';
import { onServer } from '../harness/every-app.js';
import { published, succeeded } from '../harness/frames.js';
import { expectError, expectNotSubscribed } from '../harness/refusals.js';
import { openTenant } from '../harness/tenant.js';

const CHANNEL = '#server-to-user-u-17';
const shop = openTenant('shop', { features: { enable_watchlist_events: false } });

onServer('what a server sends to a user', { tenants: [shop] }, (node) => {
  const connectAs = async (user: string): Promise<Client> => {
    const client = await node.connect();
    await client.signin(user);
    return client;
  };

  it('reaches every connection that is signed in as the user, once, subscribed or not', async () => {
    const [first, second] = [await connectAs('u-17'), await connectAs('u-17')];
    const [other, nobody] = [await connectAs('u-20'), await node.connect()];
    second.ask(CHANNEL);
    expect(await second.nextText()).toBe(succeeded(CHANNEL));
    await node.api().publish(CHANNEL, 'note', { n: 1 });
    expect(await first.pending()).toEqual([published(CHANNEL, 'note', '{"n":1}')]);
    expect(await second.pending()).toEqual([published(CHANNEL, 'note', '{"n":1}')]);
    expect(await other.pending()).toEqual([]);
    expect(await nobody.pending()).toEqual([]);
  });

  it('is not to be subscribed to by anybody else', async () => {
    for (const client of [await connectAs('u-20'), await node.connect()]) {
      client.ask(CHANNEL);
      await expectNotSubscribed(client, CHANNEL, 4009, 403);
      client.askSigned(CHANNEL);
      await expectNotSubscribed(client, CHANNEL, 4009, 403);
      await node.api().publish(CHANNEL, 'note', 'x');
      expect(await client.pending()).toEqual([]);
    }
  });

  it('goes on after unsubscribing', async () => {
    const client = await connectAs('u-17');
    await client.subscribe(CHANNEL);
    client.unsubscribe(CHANNEL);
    await node.api().publish(CHANNEL, 'note', 'x');
    expect(await client.pending()).toEqual([published(CHANNEL, 'note', 'x')]);
  });

  it('is no channel for client events, nor one that is listed', async () => {
    const [client, other] = [await connectAs('u-17'), await connectAs('u-17')];
    await client.subscribe(CHANNEL);
    client.send({ event: 'client-typing', channel: CHANNEL, data: {} });
    await expectError(client, 4301, CHANNEL);
    expect(await other.pending()).toEqual([]);
    const { status, body } = await node.api().request('GET', '/channels');
    expect([status, body]).toEqual([200, '{"channels":{}}']);
  });
});
