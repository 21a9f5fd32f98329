import type * as Ably from 'ably';
import { afterEach, expect, it } from 'vitest';
import { Backend } from '../clients/backend.js';
import { Inbox } from '../clients/inbox.js';
import { PusherClient } from '../clients/libraries.js';
import { ClientV2 } from '../harness/client-v2.js';
import { BRIEF_LIVES, onCluster } from '../harness/cluster.js';
import { eventually } from '../harness/eventually.js';
import type { Node } from '../harness/node.js';
import { openTenant } from '../harness/tenant.js';
import { AblyClients } from './ably.js';

const shop = openTenant('shop');
const SHARED = 'presence-room';
const OWN = 'room';
const setting = {
  tenants: () => [shop],
  config: { compat: { enabled: true } },
  // Who dies with a gateway is gone when that is noticed, whatever the lease of who was only cut.
  env: {
    ...BRIEF_LIVES,
    PRESENCE_V2_UNGRACEFUL_TIMEOUT_SECONDS: '600',
    VERSIONED_MESSAGES_DRIVER: 'postgres',
  },
  database: true,
} as const;

const byName = (one: string, other: string): number => one.localeCompare(other);

interface Member {
  readonly id: string;
}

onCluster('members at a gateway that is killed', ['nats'], setting, (cluster) => {
  const open: { close(): void }[] = [];
  afterEach(() => {
    for (const one of open.splice(0)) one.close();
  });

  const pusherAt = async (node: Node, user: string) => {
    const backend = await Backend.start(node);
    const client = new PusherClient(backend.key, backend.clientOptions(node, user, []));
    open.push({ close: () => client.disconnect() }, { close: () => backend.close() });
    const room = client.subscribe(SHARED);
    const ready = new Inbox();
    room.bind('pusher:subscription_succeeded', ready.put);
    await ready.take();
    return room;
  };

  it('leave for clients of Ably, of Pusher and of protocol 2 at another one, once each, with what they were', async () => {
    const [here, victim] = [cluster.gateway(0), cluster.gateway(1)];
    const clients = [here, victim].map((node) => new AblyClients(node, shop));
    open.push(...clients);
    const [atHere, atVictim] = clients as [AblyClients, AblyClients];
    const watching = atHere.connect({ clientId: 'watching' });
    const told = { [OWN]: new Inbox<Ably.PresenceMessage>(), [SHARED]: new Inbox<Ably.PresenceMessage>() };
    for (const name of [OWN, SHARED] as const)
      await watching.channels.get(name).presence.subscribe('leave', told[name].put);
    const removed = new Inbox<Member>();
    (await pusherAt(here, 'pia')).bind('pusher:member_removed', removed.put);
    const two = await ClientV2.connect(here);
    await two.subscribe(SHARED, {}, 'two');

    const eve = atVictim.connect({ clientId: 'eve' });
    await eve.channels.get(OWN).presence.enter('x');
    await eve.channels.get(OWN).presence.update({ at: 'desk' });
    await eve.channels.get(SHARED).presence.enter({ mood: 'fine' });
    // One of two connections of a user dies: the user stays.
    for (const one of clients) await one.connect({ clientId: 'both' }).channels.get(SHARED).presence.enter();
    await pusherAt(victim, 'pat');
    const vic = await ClientV2.connect(victim);
    await vic.subscribe(SHARED, {}, 'vic');
    // The last of them may be on the way from the other gateway.
    await eventually(async () => {
      const members = await watching.channels.get(SHARED).presence.get();
      expect(members.map(({ clientId }) => clientId).sort()).toEqual([
        'both',
        'eve',
        'pat',
        'pia',
        'two',
        'vic',
      ]);
    });
    const { id: connectionId } = eve.connection;

    await victim.process.kill();
    const own = await told[OWN].take();
    expect(own).toMatchObject({ action: 'leave', clientId: 'eve', connectionId, data: { at: 'desk' } });
    // Else the library would take it for something older.
    // None of its own: the library names it for its frame.
    expect(own.id).toMatch(/^f\d+:0$/);
    const gone = [await told[SHARED].take(), await told[SHARED].take(), await told[SHARED].take()];
    const infos = gone.map(({ clientId, data }) => `${clientId} ${JSON.stringify(data)}`).sort(byName);
    expect(infos).toEqual([
      'eve {"mood":"fine"}',
      expect.stringMatching(/^pat \{/),
      expect.stringMatching(/^vic /),
    ]);
    const left = ['eve', 'pat', 'vic'];
    const removals = [await removed.take(), await removed.take(), await removed.take()];
    expect(removals.map(({ id }) => id).sort(byName)).toEqual(left);
    const users: string[] = [];
    while (users.length < left.length) {
      const { data } = await two.until('service_internal:member_removed');
      users.push((JSON.parse(String(data)) as { user_id: string }).user_id);
    }
    expect(users.sort(byName)).toEqual(left);

    // Nothing more has come before what comes next.
    for (const name of [OWN, SHARED] as const) {
      const { presence } = watching.channels.get(name);
      await presence.enter('here');
      await presence.leave('bye');
      expect(await told[name].take()).toMatchObject({ clientId: 'watching', data: 'bye' });
      expect(told[name].rest).toEqual([]);
    }
    expect(await removed.take()).toMatchObject({ id: 'watching' });
    const { data } = await two.until('service_internal:member_removed');
    expect(String(data)).toContain('watching');
    const staying = await watching.channels.get(SHARED).presence.get();
    expect(staying.map(({ clientId }) => clientId).sort()).toEqual(['both', 'pia', 'two']);
  });
});
