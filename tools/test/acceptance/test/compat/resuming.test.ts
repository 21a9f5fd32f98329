import type * as Ably from 'ably';
import { afterEach, describe, expect, it } from 'vitest';
import { Inbox } from '../clients/inbox.js';
import { eventually } from '../harness/eventually.js';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { AblyClients, cut, frame, heard } from './ably.js';
import { cutUnderLoad } from './crowd.js';

const kept = openTenant('kept', { history: { enabled: true } });
const fleeting = openTenant('fleeting', { history: { enabled: false } });
/** With a lease that outlasts every test: whoever leaves before has left at once, or after a time of its own. */
const env = {
  HISTORY_ENABLED: 'true',
  HISTORY_BACKEND: 'memory',
  PRESENCE_V2_UNGRACEFUL_TIMEOUT_SECONDS: '600',
};
const RESUMED = 4;
const BATCH = 1000;

/** The frame that enters or changes a member of the channel `moving`. */
const presence = (msgSerial: number, member: object): string =>
  JSON.stringify({ action: 14, channel: 'moving', msgSerial, presence: [member] });

onServer(
  'clients of Ably come back',
  { tenants: [kept, fleeting], config: { compat: { enabled: true } }, env },
  (node) => {
    describe.each([
      ['with a history', kept],
      ['without a history', fleeting],
    ])('to channels %s', (_title, tenant) => {
      const clients = new AblyClients(node, tenant);
      afterEach(() => clients.close());

      const attach = async (channelSerial?: string): Promise<Record<string, unknown>> => {
        const socket = await clients.raw();
        await frame(socket);
        socket.sendText(JSON.stringify({ action: 10, channel: 'stream', channelSerial }));
        return frame(socket);
      };
      const publish = async (count: number): Promise<void> => {
        const channel = clients.rest().channels.get('stream');
        for (let from = 0; from < count; from += BATCH)
          await channel.publish(Array.from({ length: Math.min(BATCH, count - from) }, () => ({ data: 'x' })));
      };

      it.each([true, false])(
        'where they were cut, nothing lost or doubled (case 3, binary: %s)',
        async (useBinaryProtocol) => {
          const client = clients.connect({ useBinaryProtocol });
          const channel = client.channels.get(`cut:${useBinaryProtocol}`);
          const inbox = await heard(channel);
          const publisher = clients.rest().channels.get(channel.name);
          await publisher.publish('before', '0');
          await inbox.take();
          const { id } = client.connection;
          const changes = new Inbox<Ably.ChannelStateChange>();
          channel.on(['attached', 'update'], changes.put);
          const isCut = client.connection.once('disconnected');
          cut(client);
          await isCut;
          for (const n of ['1', '2', '3', '4', '5']) await publisher.publish('missed', n);
          const missed: unknown[] = [];
          for (let n = 0; n < 5; n += 1) missed.push((await inbox.take()).data);
          expect(missed).toEqual(['1', '2', '3', '4', '5']);
          expect((await changes.take()).resumed).toBe(true);
          await publisher.publish('after', '6');
          expect((await inbox.take()).data).toBe('6');
          expect(client.connection.id).toBe(id);
          expect(inbox.rest).toEqual([]);
        },
      );

      it('and are told why they cannot go on (case 36)', async () => {
        await publish(1);
        const first = await attach();
        expect(first['error']).toBeUndefined();
        const position = String(first['channelSerial']);
        expect(position).toMatch(/^[^:]+:1$/);
        expect(((await attach(position))['flags'] as number) & RESUMED).toBe(RESUMED);
        const [streamId = ''] = position.split(':');
        for (const strange of ['other:1', `${streamId}:2`, 'nonsense', `${streamId}:x`]) {
          const attached = await attach(strange);
          expect(attached).toMatchObject({
            action: 11,
            channelSerial: position,
            error: { code: 90_005, statusCode: 404 },
          });
          expect((attached['flags'] as number) & RESUMED).toBe(0);
        }
        const answer = await fetch(`http://127.0.0.1:${node.port}/operator/stats/compat-runtime`);
        const told = (await answer.json()) as Record<string, number>;
        for (const [name, least] of Object.entries({
          replay_source: 1,
          continuity_lost: 4,
          reset_required: 4,
        }))
          expect([name, told[name] ?? 0]).toSatisfy(([, value]: [string, number]) => value >= least);
        expect(told).toMatchObject({ queued_messages: 0, queued_bytes: 0, overflow: 0 });
        // Thousands are published where that is quickest.
        if (tenant === kept) return;
        await publish(4096);
        expect(await attach(position)).toMatchObject({ error: { code: 90_003, statusCode: 404 } });
        await publish(1);
        const lost = await attach(position);
        expect(lost).toMatchObject({
          channelSerial: `${streamId}:4098`,
          error: { code: 90_004, statusCode: 404 },
        });
        expect((lost['flags'] as number) & RESUMED).toBe(0);
      });

      it('and what they were publishing is published once, in order (case 40)', async () => {
        const inbox = await heard(clients.connect().channels.get('publishing'));
        const client = clients.connect({ disconnectedRetryTimeout: 100 });
        const channel = client.channels.get('publishing');
        await channel.attach();
        const all = Array.from({ length: 60 }, (_, n) => String(n));
        const sent: Promise<unknown>[] = [];
        for (const n of all) {
          sent.push(channel.publish('n', n));
          if (n !== '20') continue;
          // Some of them are answered by then, others are not.
          await inbox.take();
          const isBack = client.connection
            .once('disconnected')
            .then(() => client.connection.once('connected'));
          cut(client);
          await isBack;
        }
        await Promise.all(sent);
        const numbers = ['0'];
        while (numbers.length < all.length) numbers.push(String((await inbox.take()).data));
        expect(numbers).toEqual(all);
        expect(inbox.rest).toEqual([]);
      });

      it('or change what they want of a channel under load, nothing lost or doubled (16.1)', async () => {
        const channel = clients.connect().channels.get('options');
        const publisher = clients.connect().channels.get('options');
        const inbox = await heard(channel);
        const all = Array.from({ length: 300 }, (_, n) => String(n));
        const sent = all.map((n) => publisher.publish('n', n));
        const numbers: unknown[] = [];
        const changed: Promise<void>[] = [];
        while (numbers.length < all.length) {
          numbers.push((await inbox.take()).data);
          const echo = String(numbers.length % 20 === 0);
          if (numbers.length % 10 === 0) changed.push(channel.setOptions({ params: { echo } }));
        }
        await Promise.all([...sent, ...changed]);
        await publisher.publish('n', 'last');
        expect((await inbox.take()).data).toBe('last');
        expect(numbers).toEqual(all);
        expect(inbox.rest).toEqual([]);
      });

      it('all at once under load, nothing lost or doubled', () =>
        cutUnderLoad(clients, { count: 20, messages: 100, everyMs: 10 }));
    });

    const clients = new AblyClients(node, kept);
    afterEach(() => clients.close());

    const subscriptions = async (channel: string): Promise<unknown> => {
      const query = { info: 'subscription_count' };
      const { body } = await node.api(kept).request('GET', `/channels/${channel}`, { query });
      return (JSON.parse(body) as Record<string, unknown>)['subscription_count'];
    };

    it('with their members in time, or these leave (case 43)', async () => {
      const told = new Inbox<Ably.PresenceMessage>();
      const watching = clients.connect().channels.get('staying');
      await watching.presence.subscribe(told.put);
      await watching.attach();
      const ada = clients.connect({ clientId: 'ada' });
      const staying = ada.channels.get('staying');
      await staying.presence.enter('here');
      const { id: connectionId } = ada.connection;
      expect(await told.take()).toMatchObject({ action: 'enter', clientId: 'ada', connectionId });
      const isBack = new Promise<void>((resolve) => {
        ada.connection.once('disconnected', () => ada.connection.once('connected', () => resolve()));
      });
      cut(ada);
      await isBack;
      await staying.presence.update('back');
      // Had it left meanwhile, that would come first.
      expect(await told.take()).toMatchObject({
        action: 'update',
        clientId: 'ada',
        connectionId,
        data: 'back',
      });

      const gone = await clients.raw('&clientId=bob&remainPresentFor=1000');
      const bob = { clientId: 'bob', connectionId: (await frame(gone))['connectionId'] };
      gone.sendText('{"action":10,"channel":"staying"}');
      await frame(gone);
      gone.sendText('{"action":14,"channel":"staying","msgSerial":0,"presence":[{"action":2,"data":"x"}]}');
      expect(await told.take()).toMatchObject({ action: 'enter', ...bob });
      gone.destroy();
      const left = await told.take();
      expect(left).toMatchObject({ action: 'leave', ...bob, data: 'x' });
      // None of its own: the library names it for its frame.
      expect(left.id).toMatch(/^f\d+:0$/);

      await staying.detach();
      expect(await told.take()).toMatchObject({
        action: 'leave',
        clientId: 'ada',
        connectionId,
        data: 'back',
      });
      await staying.presence.enter();
      expect(await told.take()).toMatchObject({ action: 'enter', clientId: 'ada', connectionId });
      ada.close();
      expect(await told.take()).toMatchObject({ action: 'leave', clientId: 'ada', connectionId });
      expect(told.rest).toEqual([]);
    });

    it('with their members, though their old sockets still look open', async () => {
      const told = new Inbox<Ably.PresenceMessage>();
      const watching = clients.connect().channels.get('moving');
      await watching.presence.subscribe(told.put);
      await watching.attach();
      const attach = '{"action":10,"channel":"moving"}';
      const first = await clients.raw('&clientId=eve');
      const { connectionId, connectionDetails } = await frame(first);
      const { connectionKey } = connectionDetails as { connectionKey: string };
      const eve = { clientId: 'eve', connectionId };
      first.sendText(attach);
      first.sendText(presence(0, { action: 2, data: 'x' }));
      const entered = await told.take();
      expect(entered).toMatchObject({ action: 'enter', ...eve });
      const second = await clients.raw(`&clientId=eve&resume=${connectionKey}`);
      expect(await frame(second)).toMatchObject({ action: 4, connectionId });
      second.sendText(attach);
      // Not answered for all that the client knows: it is told again, and nobody else is.
      second.sendText(presence(0, { action: 2, data: 'x' }));
      // As clients do when they have come back: nobody is told again of what was told before.
      second.sendText(presence(1, { action: 2, id: entered.id, data: 'x' }));
      second.sendText(presence(2, { action: 4, data: 'y' }));
      expect(await told.take()).toMatchObject({ action: 'update', ...eve, data: 'y' });
      second.sendText('{"action":7}');
      expect(await told.take()).toMatchObject({ action: 'leave', ...eve });
      expect(told.rest).toEqual([]);
    });

    it('and leave at once where their client enters by another connection, if they were to remain', async () => {
      const told = new Inbox<Ably.PresenceMessage>();
      const watching = clients.connect().channels.get('moving');
      await watching.presence.subscribe(told.put);
      await watching.attach();
      const enter = async (query: string) => {
        const socket = await clients.raw(`&clientId=kim${query}`);
        const { connectionId } = await frame(socket);
        socket.sendText('{"action":10,"channel":"moving"}');
        socket.sendText(presence(0, { action: 2, data: 'x' }));
        const kim = { clientId: 'kim', connectionId };
        expect(await told.take()).toMatchObject({ action: 'enter', ...kim });
        return { kim, socket };
      };
      const cutOff = async ({ socket }: Awaited<ReturnType<typeof enter>>): Promise<void> => {
        socket.destroy();
        await eventually(async () => expect(await subscriptions('moving')).toBe(2));
      };
      const first = await enter('&remainPresentFor=15000');
      const second = await enter('&remainPresentFor=15000');
      // Both are there: neither takes the place of the other.
      await cutOff(first);
      const third = await enter('');
      const left = await told.take();
      expect(left).toMatchObject({ action: 'leave', ...first.kim, data: 'x' });
      // None of its own: the library names it for its frame.
      expect(left.id).toMatch(/^f\d+:0$/);
      // One that was not to remain so stays as long as any.
      await cutOff(third);
      await enter('');
      second.socket.sendText('{"action":7}');
      expect(await told.take()).toMatchObject({ action: 'leave', ...second.kim });
    });

    it('are answered again what they were answered, and it is published once (case 40)', async () => {
      const inbox = await heard(clients.connect().channels.get('again'));
      const first = await clients.raw();
      const { connectionDetails } = await frame(first);
      const { connectionKey } = connectionDetails as { connectionKey: string };
      const publish = '{"action":15,"channel":"again","msgSerial":0,"messages":[{"data":"a"}]}';
      first.sendText(publish);
      const answer = await frame(first);
      expect(answer).toMatchObject({ action: 1, msgSerial: 0, count: 1 });
      first.destroy();
      const second = await clients.raw(`&resume=${connectionKey}`);
      expect(await frame(second)).toMatchObject({ action: 4 });
      second.sendText(publish);
      expect(await frame(second)).toEqual(answer);
      second.sendText('{"action":15,"channel":"again","msgSerial":1,"messages":[{"data":"b"}]}');
      expect((await inbox.take()).data).toBe('a');
      expect((await inbox.take()).data).toBe('b');
    });
  },
);
