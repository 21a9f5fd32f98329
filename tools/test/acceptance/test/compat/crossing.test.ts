import type * as Ably from 'ably';
import { afterEach, expect, it } from 'vitest';
import { Backend } from '../clients/backend.js';
import { Inbox } from '../clients/inbox.js';
import { PusherClient } from '../clients/libraries.js';
import { ClientV2 } from '../harness/client-v2.js';
import { eventually } from '../harness/eventually.js';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { AblyClients, heard } from './ably.js';

const shop = openTenant('shop', { history: { enabled: true } });
const env = { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory' };
const config = { compat: { enabled: true } };

interface Member {
  readonly id: string;
  readonly info: unknown;
}

/** What a frame of protocol 2 has in its data. */
const dataOf = (data: unknown): unknown => JSON.parse(String(data)) as unknown;

onServer('three protocols on one channel', { tenants: [shop], config, env }, (node) => {
  const clients = new AblyClients(node, shop);
  afterEach(() => clients.close());

  /** A client of each protocol, who see each other as members. */
  const scene = async (name: string) => {
    const backend = await Backend.start(node);
    clients.alsoClose({ close: () => backend.close() });
    const pusher = new PusherClient(backend.key, backend.clientOptions(node, 'ada', []));
    clients.alsoClose({ close: () => pusher.disconnect() });
    const one = pusher.subscribe(name);
    const ready = new Inbox();
    one.bind('pusher:subscription_succeeded', ready.put);
    await ready.take();
    const two = await ClientV2.connect(node);
    await two.subscribe(name, {}, 'bob');
    const cyd = clients.connect({ clientId: 'cyd' });
    const three = cyd.channels.get(name);
    await three.attach();
    return { pusher, one, two, cyd, three };
  };

  const publish = (data: string, socket_id?: string): Promise<unknown> =>
    node.api().request('POST', '/events', {
      body: JSON.stringify({ name: 'news', channel: 'presence-others', data, socket_id }),
    });

  it('get messages of all three (cases 27 and 28)', async () => {
    const { one, two, three } = await scene('presence-messages');
    const heardByOne = new Inbox();
    for (const event of ['client-one', 'client-two', 'three', 'message']) one.bind(event, heardByOne.put);
    const heardByThree = await heard(three);
    const next = async (): Promise<unknown> => {
      for (;;) {
        const { event, data } = await two.next();
        if (!event.startsWith('service')) return [event, data];
      }
    };

    one.trigger('client-one', { n: 1 });
    expect(await next()).toEqual(['client-one', expect.anything()]);
    expect(await heardByThree.take()).toMatchObject({ name: 'client-one', data: { n: 1 }, clientId: 'ada' });

    two.send({ event: 'client-two', channel: 'presence-messages', data: 'text' });
    expect(await heardByOne.take()).toBe('text');
    const fromTwo = await heardByThree.take();
    expect(fromTwo).toMatchObject({ name: 'client-two', data: 'text', clientId: 'bob' });
    expect(fromTwo.encoding).toBeFalsy();
    expect(await next()).toEqual(['client-two', 'text']);

    await three.publish('three', { n: 3 });
    expect(await heardByOne.take()).toEqual({ n: 3 });
    expect(await next()).toEqual(['three', expect.anything()]);
    expect((await heardByThree.take()).data).toEqual({ n: 3 });
    await three.publish({ data: 'without a name', extras: { headers: { k: 'v' } } });
    expect(await heardByOne.take()).toBe('without a name');
    expect(await next()).toEqual(['message', 'without a name']);
    const nameless = await heardByThree.take();
    expect(nameless.name).toBeUndefined();
    expect(nameless.extras).toEqual({ headers: { k: 'v' } });
  });

  it('leave out one connection of any of them (case 29)', async () => {
    const { cyd, three } = await scene('presence-others');
    const own = await heard(three);
    const others = await heard(clients.connect().channels.get('presence-others'));
    await publish('to others', cyd.connection.id);
    await publish('to all');
    expect([(await others.take()).data, (await others.take()).data]).toEqual(['to others', 'to all']);
    expect((await own.take()).data).toBe('to all');
  });

  it('see members of all three come, change and go, as one connection each (case 44)', async () => {
    const { pusher, one, two, cyd, three } = await scene('presence-members');
    const [added, removed] = [new Inbox<Member>(), new Inbox<Member>()];
    one.bind('pusher:member_added', added.put);
    one.bind('pusher:member_removed', removed.put);
    const news = new Inbox<Ably.PresenceMessage>();
    const seen = await three.presence.get();
    await three.presence.subscribe(['enter', 'update', 'leave'], news.put);
    expect(seen.map(({ clientId, connectionId }) => [clientId, connectionId]).sort()).toEqual([
      ['ada', pusher.connection.socket_id],
      ['bob', two.socketId],
    ]);

    await three.presence.enter({ name: 'Cyd' });
    expect(await added.take()).toEqual({ id: 'cyd', info: { name: 'Cyd' } });
    expect(dataOf((await two.until('service_internal:member_added')).data)).toEqual({
      user_id: 'cyd',
      user_info: { name: 'Cyd' },
    });
    const { id: connectionId } = cyd.connection;
    expect(await news.take()).toMatchObject({ action: 'enter', clientId: 'cyd', connectionId });

    two.send({
      event: 'service:presence_update',
      data: { channel: 'presence-members', user_info: { at: 'desk' } },
    });
    expect(await news.take()).toMatchObject({
      action: 'update',
      clientId: 'bob',
      connectionId: two.socketId,
      data: { at: 'desk' },
    });
    await three.presence.update('away');
    expect(dataOf((await two.until('service_internal:presence_update')).data)).toMatchObject({
      user_id: 'bob',
    });
    expect(dataOf((await two.until('service_internal:presence_update')).data)).toEqual({
      user_id: 'cyd',
      user_info: { data: 'away' },
    });
    expect(await news.take()).toMatchObject({
      action: 'update',
      clientId: 'cyd',
      data: 'away',
      connectionId,
    });

    await three.presence.leave();
    expect(await removed.take()).toMatchObject({ id: 'cyd' });
    expect(dataOf((await two.until('service_internal:member_removed')).data)).toEqual({ user_id: 'cyd' });
    expect(await news.take()).toMatchObject({
      action: 'leave',
      clientId: 'cyd',
      connectionId,
      data: 'away',
    });
    await two.unsubscribe('presence-members');
    expect(await news.take()).toMatchObject({
      action: 'leave',
      clientId: 'bob',
      connectionId: two.socketId,
      data: { at: 'desk' },
    });
    pusher.unsubscribe('presence-members');
    expect(await news.take()).toMatchObject({ action: 'leave', clientId: 'ada' });
    await eventually(async () => expect(await three.presence.get()).toEqual([]));
  });

  it('see one user of two connections once, and as long as one of them is there', async () => {
    const { one, cyd, three } = await scene('presence-twice');
    const [added, removed] = [new Inbox<Member>(), new Inbox<Member>()];
    one.bind('pusher:member_added', added.put);
    one.bind('pusher:member_removed', removed.put);
    await three.presence.enter('first');
    const again = clients.connect({ clientId: 'cyd' }).channels.get('presence-twice');
    await again.presence.enter('second');
    const watching = clients.connect().channels.get('presence-twice');
    const members = await watching.presence.get({ clientId: 'cyd' });
    expect(members.map(({ connectionId, data }) => [connectionId, data as unknown])).toEqual([
      [cyd.connection.id, 'second'],
    ]);
    await three.presence.leave();
    await again.presence.leave();
    expect(await added.take()).toMatchObject({ id: 'cyd' });
    expect(await removed.take()).toMatchObject({ id: 'cyd' });
    expect([added.rest, removed.rest]).toEqual([[], []]);
  });

  it('are counted by what they may do there', async () => {
    const { pusher, two, cyd } = await scene('presence-counted');
    for (const modes of [['PRESENCE_SUBSCRIBE'], ['PUBLISH']] as Ably.ChannelMode[][])
      await clients.connect().channels.get('presence-counted', { modes }).attach();
    const { channels } = clients.rest();
    const status = async (name: string): Promise<Ably.ChannelStatus> =>
      (await channels.get(name).status()).status;
    expect(await status('presence-counted')).toEqual({
      isActive: true,
      occupancy: {
        metrics: {
          connections: 5,
          // The native ones may send client events.
          publishers: 4,
          subscribers: 3,
          presenceConnections: 3,
          presenceSubscribers: 4,
          presenceMembers: 2,
        },
      },
    });
    await cyd.channels.get('presence-counted').detach();
    pusher.unsubscribe('presence-counted');
    await two.unsubscribe('presence-counted');
    await eventually(async () =>
      expect((await status('presence-counted')).occupancy.metrics).toMatchObject({
        connections: 2,
        publishers: 1,
        subscribers: 0,
        presenceConnections: 0,
        presenceSubscribers: 1,
      }),
    );
    expect((await status('never')).isActive).toBe(false);
    await channels.get('kept').publish('n', 'data');
    expect(await status('kept')).toMatchObject({
      isActive: true,
      occupancy: { metrics: { connections: 0 } },
    });
  });
});
