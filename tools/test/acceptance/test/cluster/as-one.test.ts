import { expect, it } from 'vitest';
import { told } from '../harness/answers.js';
import { BROKERS, KINDS, onCluster } from '../harness/cluster.js';
import { eventually } from '../harness/eventually.js';
import {
  memberAdded,
  memberRemoved,
  presence,
  published,
  signinSuccess,
  subscriptionCount,
  succeeded,
  watchlist,
} from '../harness/frames.js';
import { openTenant } from '../harness/tenant.js';

const LEASE_SECONDS = 2;
const shop = openTenant('shop');
const counting = openTenant('counting', { features: { enable_subscription_count_events: true } });
const small = openTenant('small', { limits: { max_connections: 3 } });
const wide = { PRESENCE_UNGRACEFUL_TIMEOUT_SECONDS: String(LEASE_SECONDS) };

let names = 0;
/** A name nobody else has. */
const fresh = (what: string): string => `${what}-${(names += 1)}`;

onCluster(
  'processes as one service',
  // Every broker passes the same conformance suite of the broker; here is one of each kind, and all for the proof.
  process.env['CARILLON_PROOF'] === 'true' ? BROKERS : KINDS,
  { tenants: () => [shop, counting, small], env: wide },
  (cluster) => {
    it('deliver what the api node and clients of either gateway say, in order', async () => {
      const channel = fresh('private-a');
      const [one, two] = await cluster.both();
      for (const client of [one, two]) await client.subscribe(channel);
      for (const data of ['1', '2', '3']) await cluster.api().publish(channel, 'e', data);
      for (const client of [one, two]) {
        for (const data of ['1', '2', '3'])
          expect(await client.nextText()).toBe(published(channel, 'e', data));
      }
      one.send({ event: 'client-x', channel, data: 'hi' });
      expect(await two.nextText()).toBe(published(channel, 'client-x', 'hi'));
      expect(await one.pending()).toEqual([]);
    });

    it('leave out a socket of whatever gateway', async () => {
      const channel = fresh('a');
      const [one, two] = await cluster.both();
      for (const client of [one, two]) await client.subscribe(channel);
      await cluster.api().publish(channel, 'e', 'not two', { socket_id: two.socketId });
      await cluster.api().publish(channel, 'e', 'all');
      expect(await one.nextText()).toBe(published(channel, 'e', 'not two'));
      for (const client of [one, two]) expect(await client.nextText()).toBe(published(channel, 'e', 'all'));
      const bad = JSON.stringify({ name: 'e', channel, data: 'x', socket_id: 'abc' });
      expect((await cluster.api().request('POST', '/events', { body: bad })).status).toBe(400);
    });

    it('publish once what is asked for twice with one key, at the same time in different places', async () => {
      const channel = fresh('a');
      const client = await cluster.connect(0);
      await client.subscribe(channel);
      const body = JSON.stringify({ name: 'e', channel, data: 'once', idempotency_key: fresh('key') });
      const answers = await Promise.all(
        [cluster.gateway(0), cluster.gateway(1), cluster.apiNode].map((node) =>
          node.apiAt(node.port, shop).request('POST', '/events', { body }),
        ),
      );
      expect(answers.map(({ status }) => status)).toContain(200);
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
        expect(answer.body).toContain('backpressure');
      }
      await cluster.api().publish(channel, 'e', 'end');
      expect(await client.nextText()).toBe(published(channel, 'e', 'once'));
      expect(await client.nextText()).toBe(published(channel, 'e', 'end'));
    });

    it('count subscribers together, and list their channels', async () => {
      const channel = fresh('counted');
      const [one, two] = await cluster.both();
      const three = await cluster.connect(1);
      for (const client of [one, two, three]) await client.subscribe(channel);
      for (const live of [0, 1] as const) {
        const api = cluster.api(live);
        expect(await api.channel(channel, 'subscription_count')).toEqual({
          occupied: true,
          subscription_count: 3,
        });
        expect(await api.channel(fresh('never'))).toEqual({ occupied: false });
        const query = { filter_by_prefix: channel, info: 'subscription_count' };
        expect(await told(api.request('GET', '/channels', { query }))).toEqual([
          200,
          { channels: { [channel]: { subscription_count: 3 } } },
        ]);
      }
      three.unsubscribe(channel);
      await three.pending();
      await eventually(async () => expect(await cluster.api().subscriptionCount(channel)).toBe(2));
    });

    it('tell every subscriber how many there are', async () => {
      const channel = fresh('counted');
      const [one, two] = await cluster.both(counting);
      await one.subscribe(channel);
      expect(await one.nextText()).toBe(subscriptionCount(channel, 1));
      two.ask(channel);
      const texts: string[] = [];
      while (texts.at(-1) !== subscriptionCount(channel, 2)) texts.push(await two.nextText());
      expect(texts[0]).toBe(succeeded(channel));
      expect(await one.nextText()).toBe(subscriptionCount(channel, 2));
    });

    it('let in as many connections of an app as there is room for, wherever they come', async () => {
      const attempts = await Promise.all(
        [0, 1, 0, 1, 0, 1, 0, 1].map((index) => cluster.gateway(index as 0 | 1).socket(small)),
      );
      const first = await Promise.all(attempts.map((client) => client.next()));
      expect(first.map(({ event }) => event).sort()).toEqual([
        ...Array<string>(3).fill('pusher:connection_established'),
        ...Array<string>(5).fill('pusher:error'),
      ]);
      const refused = attempts.filter((_, index) => first[index]?.event === 'pusher:error');
      for (const client of refused) expect(await client.ended()).toMatchObject({ texts: [], code: 4004 });
      for (const client of attempts) client.vanish();
      await eventually(async () => (await cluster.connect(1, small)).pending());
    });

    it('show members of all gateways, each once, and tell of the first and the last connection', async () => {
      const channel = fresh('presence-room');
      const [b, a1] = await cluster.both();
      const a2 = await cluster.connect(0);
      await b.join(channel, 'b', { name: 'Bo' });
      expect(await a1.join(channel, 'a', { name: 'Ann' })).toBe(
        succeeded(channel, presence(['b', { name: 'Bo' }], ['a', { name: 'Ann' }])),
      );
      expect(await b.nextText()).toBe(memberAdded(channel, 'a', { name: 'Ann' }));
      await a2.join(channel, 'a', { name: 'Ann' });
      for (const live of [0, 1] as const) expect(await cluster.api(live).users(channel)).toEqual(['a', 'b']);
      await a1.close();
      await eventually(async () => expect(await cluster.api().subscriptionCount(channel)).toBe(2));
      expect(await b.pending()).toEqual([]);
      await a2.close();
      expect(await b.nextText()).toBe(memberRemoved(channel, 'a'));
      expect(await cluster.api(1).users(channel)).toEqual(['b']);
    });

    it('hold the place of a member that is lost, so that it may come back through another gateway', async () => {
      const channel = fresh('presence-room');
      const [watcher, lost] = await cluster.both();
      await watcher.join(channel, 'w');
      await lost.join(channel, 'u');
      expect(await watcher.nextText()).toBe(memberAdded(channel, 'u'));
      lost.vanish();
      await eventually(async () => expect(await cluster.api().subscriptionCount(channel)).toBe(1));
      expect(await cluster.api().users(channel)).toEqual(['u', 'w']);
      const back = await cluster.connect(0);
      await back.join(channel, 'u');
      await new Promise((later) => void setTimeout(later, LEASE_SECONDS * 1000 + 500));
      expect(await watcher.pending()).toEqual([]);
      back.vanish();
      expect(await watcher.nextText()).toBe(memberRemoved(channel, 'u'));
    });

    it('tell of watched users on any gateway, with their first connection and their last', async () => {
      const [watched, watcher] = [fresh('u'), await cluster.connect(0)];
      const nobody = fresh('u');
      await watcher.signin(fresh('u'), { watchlist: [watched] });
      expect(await watcher.nextText()).toBe(watchlist(['offline', [watched]]));
      const [here, there] = await cluster.both();
      await there.signin(watched);
      expect(await watcher.nextText()).toBe(watchlist(['online', [watched]]));
      // Its own list comes once it counts as here.
      await here.signin(watched, { watchlist: [nobody] });
      expect(await here.nextText()).toBe(watchlist(['offline', [nobody]]));
      await there.close();
      const late = await cluster.connect(1);
      await late.signin(fresh('u'), { watchlist: [watched] });
      expect(await late.nextText()).toBe(watchlist(['online', [watched]]));
      expect(await watcher.pending()).toEqual([]);
      await here.close();
      for (const client of [watcher, late]) {
        expect(await client.nextText()).toBe(watchlist(['offline', [watched]]));
      }
    });

    it('send to a user wherever it is, from the moment it is signed in', async () => {
      const user = fresh('u');
      const clients = await cluster.both();
      const channel = `#server-to-user-${user}`;
      for (const client of clients) {
        const userData = JSON.stringify({ id: user });
        client.askSignin(userData);
        expect(await client.nextText()).toBe(signinSuccess(userData));
        await cluster.api().publish(channel, 'e', client.socketId);
        expect(await client.nextText()).toBe(published(channel, 'e', client.socketId));
      }
    });

    it.each([
      ['terminate_connections', 4009],
      ['force_reconnect', 4200],
    ] as const)('end every connection of a user: %s', async (action, code) => {
      const user = fresh('u');
      const clients = await cluster.both();
      const other = await cluster.connect(1);
      for (const client of clients) await client.signin(user);
      await other.signin(fresh('u'));
      for (const client of clients) await client.pending();
      await other.pending();
      expect(await cluster.api().user(user, action)).toEqual({ ok: true });
      for (const client of clients) {
        expect((await client.nextError()).data.code).toBe(code);
        expect((await client.ended()).code).toBe(code);
      }
      expect(await cluster.api().user(fresh('nobody'), action)).toEqual({ ok: true });
      expect(await other.pending()).toEqual([]);
    });
  },
);
