import { CarillonError } from '@carillon/client';
import { secretbox } from '@carillon/client/encrypted';
import { afterEach, describe, expect, it } from 'vitest';
import { Backend } from '../clients/backend.js';
import { Inbox } from '../clients/inbox.js';
import { onServer } from '../harness/every-app.js';
import { tokenFor } from '../harness/signatures.js';
import { openTenant } from '../harness/tenant.js';
import { FORMATS, People } from './people.js';

const shop = openTenant('shop');

onServer('the own client', { tenants: [shop], env: { TAG_FILTERING_ENABLED: 'true' } }, (node) => {
  const people = new People(node);
  afterEach(() => people.leave());

  describe.each(FORMATS)('by $name', (format) => {
    const name = (type: string): string => `${type}${format.name}`;

    it('hears what a server publishes, with its tags and headers', async () => {
      const ada = await people.come('ada', { format });
      const channel = ada.subscribe<{ paid: { id: number; text: string } }>(name('orders-'));
      const inbox = new Inbox<unknown>();
      channel.bind('paid', ({ id }, { tags, extras, data, channel }) =>
        inbox.put([id, tags, extras, data.text, channel]),
      );
      await channel.whenSubscribed();
      const extras = { headers: { prio: 'high', weight: 1.5, urgent: true } };
      await node
        .api()
        .publish(channel.name, 'paid', { id: 9, text: 'ü☃' }, { tags: { region: 'eu' }, extras });
      expect(await inbox.take()).toEqual([9, { region: 'eu' }, extras, 'ü☃', channel.name]);
    });

    it('meets others in a presence channel, hears what they say and who goes', async () => {
      const [ada, bo] = [await people.come('ada', { format }), await people.come('bo')];
      const lobby = ada.subscribe<{ 'client-wave': { hand: string } }>(name('presence-lobby-'));
      const inbox = new Inbox<unknown>();
      await lobby.whenSubscribed();
      for (const event of ['enter', 'update', 'leave'] as const) {
        lobby.presence.on(event, (member) => inbox.put([event, member]));
      }
      lobby.bind('client-wave', (data, { userId }) => inbox.put([data, userId]));
      const other = bo.subscribe(lobby.name);
      await other.whenSubscribed();
      expect(await inbox.take()).toEqual(['enter', { id: 'bo', info: { name: 'bo' } }]);
      expect(other.presence.members.map(({ id }) => id)).toEqual(['ada', 'bo']);
      other.presence.update({ name: 'bo', status: 'away' });
      expect(await inbox.take()).toEqual(['update', { id: 'bo', info: { name: 'bo', status: 'away' } }]);
      void other.send('client-wave', { hand: 'left' });
      expect(await inbox.take()).toEqual([{ hand: 'left' }, 'bo']);
      other.unsubscribe();
      expect(await inbox.take()).toMatchObject(['leave', { id: 'bo' }]);
      expect(lobby.presence.members).toEqual([{ id: 'ada', info: { name: 'ada' } }]);
    });

    it('gets its own events back unless it does not want them', async () => {
      const ada = await people.come('ada', { format });
      const room = ada.subscribe(name('private-echo-'));
      const inbox = new Inbox<unknown>();
      room.bindAll(({ event, data, id, extras }) => inbox.put([event, data, id, extras]));
      void room.send('client-early', { sent: 'before it was subscribed' }, { id: 'early' });
      expect(await inbox.take()).toEqual(['client-early', { sent: 'before it was subscribed' }, 'early', {}]);
      expect(await room.send('client-silent', 1, { echo: false, id: 'silent' })).toMatchObject({
        id: 'silent',
        acknowledged: true,
      });
      void room.send('client-cursor', { x: 1 }, { ephemeral: true, headers: { pen: 'red' } });
      const extras = { ephemeral: true, headers: { pen: 'red' } };
      expect(await inbox.take()).toMatchObject(['client-cursor', { x: 1 }, expect.any(String), extras]);
      void room.send('client-pixels', Uint8Array.of(0, 128, 255), { id: 'bytes' });
      const [event, bytes] = (await inbox.take()) as [string, unknown];
      expect([event, bytes instanceof Uint8Array]).toEqual(['client-pixels', format.name !== 'json']);
      expect([...(bytes as Iterable<number>)]).toEqual([0, 128, 255]);
    });

    it('is told why it is refused', async () => {
      const ada = await people.come('ada', { format, authorize: () => ({ auth: `${shop.key}:00` }) });
      const channel = ada.subscribe(name('private-forged-'));
      const refusal = await channel.whenSubscribed().catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(CarillonError);
      expect(refusal).toMatchObject({ code: 4009, status: 401, channel: channel.name });
      expect(channel.state).toBe('failed');
    });

    it('signs in, and hears who of its watch list comes and goes', async () => {
      const watcher = await people.come(`watcher-${format.name}`, { format });
      const inbox = new Inbox<unknown>();
      watcher.user.on('online', (ids) => inbox.put(['online', ...ids]));
      watcher.user.on('offline', (ids) => inbox.put(['offline', ...ids]));
      await watcher.user.signIn();
      expect(watcher.user.data).toMatchObject({ id: `watcher-${format.name}` });
      expect(await inbox.take()).toEqual(['offline', 'ada', 'bo']);
      const bo = await people.come('bo');
      await bo.user.signIn();
      expect(await inbox.take()).toEqual(['online', 'bo']);
      bo.disconnect();
      expect(await inbox.take()).toEqual(['offline', 'bo']);
    });

    it('hears what fits a pattern, and who comes and goes by a meta channel', async () => {
      const ada = await people.come('ada', { format });
      const inbox = new Inbox<unknown>();
      const news = ada.subscribe(`${name('news-')}.*`);
      news.bind('said', (text, { channel }) => inbox.put([channel, text]));
      const eu = `${name('news-')}.eu`;
      const meta = ada.subscribe(`[meta]${eu}`);
      meta.on('meta', ({ event, subscriptionCount }) => inbox.put([event, subscriptionCount]));
      await Promise.all([news.whenSubscribed(), meta.whenSubscribed()]);
      await node.api().publish(eu, 'said', 'before');
      expect(await inbox.take()).toEqual([eu, 'before']);
      const bo = await people.come('bo');
      await bo.subscribe(eu).whenSubscribed();
      expect(await inbox.take()).toEqual(['channel_occupied', 1]);
      expect(await inbox.take()).toEqual(['subscription_count', 1]);
      bo.disconnect();
      expect(await inbox.take()).toEqual(['channel_vacated', 0]);
      const own = ada.subscribe(eu);
      await own.whenSubscribed();
      for (const event of ['channel_occupied', 'subscription_count'])
        expect(await inbox.take()).toEqual([event, 1]);
      own.bind('said', (text) => inbox.put(text));
      await node.api().publish(eu, 'said', 'both');
      expect([await inbox.take(), await inbox.take()]).toEqual(
        expect.arrayContaining(['both', [eu, 'both']]),
      );
      await node.api().publish(eu, 'said', 'last');
      await inbox.take();
      await inbox.take();
      expect(inbox.rest).toEqual([]);
    });

    it('gets of a channel only what its filter lets through', async () => {
      const ada = await people.come('ada', { format });
      const filter = {
        events: ['sold', 'last'],
        tags: {
          op: 'or',
          nodes: [
            { key: 'region', cmp: 'eq', val: 'eu' },
            { key: 'all', cmp: 'ex' },
          ],
        },
      } as const;
      const channel = ada.subscribe(name('filtered-'), { filter });
      const inbox = new Inbox<unknown>();
      channel.bindAll(({ event, data }) => inbox.put([event, data]));
      await channel.whenSubscribed();
      const api = node.api();
      await api.publish(channel.name, 'sold', 1, { tags: { region: 'us' } });
      await api.publish(channel.name, 'other', 2, { tags: { region: 'eu' } });
      await api.publish(channel.name, 'sold', 3, { tags: { region: 'eu' } });
      await api.publish(channel.name, 'last', 4, { tags: { all: '' } });
      expect(await inbox.take()).toEqual(['sold', 3]);
      expect(await inbox.take()).toEqual(['last', 4]);
    });
  });

  it('reads encrypted channels', async () => {
    const backend = await Backend.start(node);
    const ada = await people.come('ada', {
      decryptor: secretbox,
      authorize: ({ socketId, channel }) => backend.pusher.authorizeChannel(socketId, channel),
    });
    const channel = ada.subscribe('private-encrypted-vault');
    const inbox = new Inbox<unknown>();
    channel.bindAll(({ event, data }) => inbox.put([event, data]));
    await channel.whenSubscribed();
    await backend.pusher.trigger(channel.name, 'opened', { gold: 'ünïcode ☃' });
    expect(await inbox.take()).toEqual(['opened', { gold: 'ünïcode ☃' }]);
    backend.close();
  });

  it('speaks by a token, and brings another before it ends', async () => {
    const made = new Inbox<string>();
    let lifeSeconds = 2;
    const token = (): string => {
      const fresh = tokenFor(shop, 'ada', { 'room-*': ['subscribe'] }, { lifeSeconds });
      lifeSeconds = 3600;
      made.put(fresh);
      return fresh;
    };
    const ada = await people.come('ada', { token });
    await ada.subscribe('room-1').whenSubscribed();
    await expect(ada.subscribe('hall').whenSubscribed()).rejects.toMatchObject({ code: 4009, status: 403 });
    expect(await made.take()).not.toBe(await made.take());
    await ada.subscribe('room-2').whenSubscribed();
    expect(ada.state).toBe('connected');
  });

  it('loses what a new token does not permit any more', async () => {
    let made = 0;
    const token = (): string => {
      made += 1;
      return made === 1
        ? tokenFor(shop, 'ada', { '*': ['subscribe'] }, { lifeSeconds: 2 })
        : tokenFor(shop, 'ada', {});
    };
    const ada = await people.come('ada', { token });
    const room = ada.subscribe('room-3');
    await room.whenSubscribed();
    const refused = new Inbox<CarillonError>();
    room.on('error', refused.put);
    expect(await refused.take()).toMatchObject({ status: 403, channel: 'room-3' });
    expect(room.state).toBe('failed');
  });

  it('comes back by itself when it is told to connect anew, with all it had', async () => {
    const ada = await people.come('ada');
    await ada.user.signIn();
    const lobby = ada.subscribe('presence-back');
    const inbox = new Inbox<unknown>();
    lobby.bindAll(({ data }) => inbox.put(data));
    await lobby.whenSubscribed();
    const before = ada.socketId;
    const back = new Promise((subscribed) => lobby.on('subscribed', subscribed));
    await node.api().user('ada', 'force_reconnect');
    await back;
    expect(ada.socketId).not.toBe(before);
    await node.api().publish('presence-back', 'tick', 'again');
    expect(await inbox.take()).toBe('again');
    const failed = new Promise((ended) =>
      ada.on('state', ({ current }) => current === 'failed' && ended(current)),
    );
    await new Promise<void>((known) => {
      if (ada.user.data !== null) known();
      else ada.user.once('signedIn', () => known());
    });
    await node.api().user('ada', 'terminate_connections');
    expect(await failed).toBe('failed');
  });

  it('stays away from a service that does not know its app', async () => {
    const lost = people.make('ada', { key: 'nobody' });
    const failed = new Promise((ended) =>
      lost.on('state', ({ current, reason }) => current === 'failed' && ended(reason?.code)),
    );
    lost.connect();
    expect(await failed).toBe(4001);
  });
});
