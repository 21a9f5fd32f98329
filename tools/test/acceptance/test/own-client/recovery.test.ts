import type { Recovery } from '@carillon/client';
import { afterEach, describe, expect, it } from 'vitest';
import { Inbox } from '../clients/inbox.js';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { Network } from './network.js';
import { connected, FORMATS, People } from './people.js';

const shop = openTenant('shop');

describe.each([
  ['with a history', { history: { enabled: true, backend: 'memory' } }],
  ['without a history', {}],
])('%s', (_what, history) => {
  const config = { ...history, connection_recovery: { enabled: true, max_buffer_size: 20 } };

  onServer('what a client missed', { tenants: [shop], config }, (node) => {
    const people = new People(node);
    afterEach(() => people.leave());

    const publish = (channel: string, n: number): Promise<void> => node.api().publish(channel, 'tick', n);

    it.each(FORMATS)('comes once and in order, however often it is cut off ($name)', async (format) => {
      const network = new Network();
      const ada = await people.come('ada', { format, WebSocket: network.WebSocket });
      const channel = ada.subscribe<{ tick: number }>(`cut-${format.name}`);
      const heard: number[] = [];
      const recoveries = new Inbox<Recovery>();
      const last = new Promise<void>((done) => {
        channel.bind('tick', (n) => {
          heard.push(n);
          if (n === 60) done();
        });
      });
      channel.on('recovery', recoveries.put);
      await channel.whenSubscribed();
      for (let n = 0; n < 60; n += 1) {
        if (n % 12 === 5) network.cut();
        await publish(channel.name, n);
        if (n % 12 !== 9) continue;
        network.mend();
        ada.connect();
        // Publishing goes on while the client comes back.
        if (n % 24 === 9) expect(await recoveries.take()).toMatchObject({ recovered: true });
      }
      await connected(ada);
      await publish(channel.name, 60);
      await last;
      expect(heard).toEqual(Array.from({ length: 61 }, (_, n) => n));
      expect(recoveries.rest.every(({ recovered }) => recovered)).toBe(true);
    });

    it('is told to be lost when it is too much', async () => {
      const network = new Network();
      const ada = await people.come('ada', { WebSocket: network.WebSocket });
      const channel = ada.subscribe('too-much');
      const inbox = new Inbox<unknown>();
      channel.bind('tick', inbox.put);
      channel.on('recovery', inbox.put);
      await channel.whenSubscribed();
      network.cut();
      for (let n = 0; n < 21; n += 1) await publish('too-much', n);
      network.mend();
      ada.connect();
      expect(await inbox.take()).toEqual({
        recovered: false,
        code: 'position_expired',
        reason: 'recovery_window_exceeded',
      });
      await publish('too-much', 21);
      expect(await inbox.take()).toBe(21);
    });

    it('comes for each of as many channels as a connection may have', async () => {
      const network = new Network();
      const ada = await people.come('ada', { WebSocket: network.WebSocket });
      const heard = new Map<string, unknown[]>();
      const lasts = new Inbox<string>();
      const channels = Array.from({ length: 1000 }, (_, n) => ada.subscribe(`one-of-many-${n}`));
      for (const channel of channels) {
        const all: unknown[] = [];
        heard.set(channel.name, all);
        channel.bind('tick', (n) => {
          all.push(n);
          if (n === 2) lasts.put(channel.name);
        });
      }
      await Promise.all(channels.map((channel) => channel.whenSubscribed()));
      const names = [...heard.keys()];
      const publishAll = async (n: number): Promise<void> => {
        for (let at = 0; at < names.length; at += 100)
          await node.api().publish(names.slice(at, at + 100), 'tick', n);
      };
      await publishAll(0);
      network.cut();
      await publishAll(1);
      network.mend();
      ada.connect();
      await connected(ada);
      await publishAll(2);
      for (const _ of names) await lasts.take();
      expect([...heard.values()].filter((all) => all.join() !== '0,1,2')).toEqual([]);
    });

    it('of a private channel comes too, once the app lets it in again', async () => {
      const network = new Network();
      const ada = await people.come('ada', { WebSocket: network.WebSocket });
      const channel = ada.subscribe('private-missed');
      const inbox = new Inbox<unknown>();
      channel.bind('tick', inbox.put);
      await channel.whenSubscribed();
      network.cut();
      for (let n = 0; n < 3; n += 1) await publish('private-missed', n);
      network.mend();
      ada.connect();
      for (let n = 0; n < 3; n += 1) expect(await inbox.take()).toBe(n);
    });

    it('of what clients say comes once, although it is sent again', async () => {
      const network = new Network();
      const [ada, bo] = [await people.come('ada', { WebSocket: network.WebSocket }), await people.come('bo')];
      const [from, to] = [ada.subscribe('private-said'), bo.subscribe('private-said')];
      const inbox = new Inbox<unknown>();
      to.bind('client-said', inbox.put);
      await Promise.all([from.whenSubscribed(), to.whenSubscribed()]);
      for (let n = 0; n < 20; n += 1) {
        void from.send('client-said', n);
        if (n === 4 || n === 11) network.cut();
        if (n !== 8 && n !== 15) continue;
        network.mend();
        ada.connect();
        await connected(ada);
      }
      const heard: unknown[] = [];
      while (heard.length < 20) heard.push(await inbox.take());
      expect(heard.sort((one, other) => Number(one) - Number(other))).toEqual(
        Array.from({ length: 20 }, (_, n) => n),
      );
      expect(inbox.rest).toEqual([]);
    });
  });
});
