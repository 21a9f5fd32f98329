import { expect, it } from 'vitest';
import { onServerAtOnce } from '../harness/every-app.js';
import { eventually } from '../harness/eventually.js';
import { memberAdded, memberRemoved, presence, succeeded } from '../harness/frames.js';
import type { Node } from '../harness/node.js';
import { openTenant } from '../harness/tenant.js';

// One app for each test: they run at the same time and count the connections of their app.
const [shop, polite, moved] = [openTenant('shop'), openTenant('polite'), openTenant('moved')];

/** Resolves when the node has noticed that so many connections have gone. */
const noticed = (node: Node, count: number) =>
  eventually(async () =>
    expect((await node.metrics()).value('new_disconnections_total', { app_id: 'shop' })).toBe(count),
  );

onServerAtOnce(
  'a member lost without a close frame',
  { tenants: [shop, polite, moved], env: { PRESENCE_UNGRACEFUL_TIMEOUT_SECONDS: '2' } },
  (node) => {
    it('stays for the lease: back in time nobody hears of it, else it is removed then', async () => {
      const channel = 'presence-lease';
      const [watcher, ada, bo] = [await node.connect(), await node.connect(), await node.connect()];
      await watcher.join(channel, 'w');
      await ada.join(channel, 'ada');
      await bo.join(channel, 'bo');
      await watcher.pending();
      ada.vanish();
      await noticed(node, 1);
      bo.vanish();
      await noticed(node, 2);
      expect(await watcher.pending()).toEqual([]);
      expect(await node.api().users(channel)).toEqual(['ada', 'bo', 'w']);
      const back = await node.connect();
      expect(await back.join(channel, 'ada')).toBe(
        succeeded(channel, presence(['w', {}], ['ada', {}], ['bo', {}])),
      );
      // The lease of the other one began later, so the returned one's would have ended before.
      expect(await watcher.nextText()).toBe(memberRemoved(channel, 'bo'));
      expect(await watcher.pending()).toEqual([]);
      expect(await node.api().users(channel)).toEqual(['ada', 'w']);
    });

    it.each(['unsubscribes', 'says goodbye', 'is told to go for good'])(
      'is no member any more at once when it %s',
      async (how) => {
        const channel = `presence-${how.replaceAll(' ', '-')}`;
        const [watcher, ada, bo] = [
          await node.connect(polite),
          await node.connect(polite),
          await node.connect(polite),
        ];
        await watcher.join(channel, 'w');
        await ada.signin(how);
        await bo.join(channel, 'bo');
        await ada.join(channel, 'ada');
        expect(await watcher.pending()).toEqual([memberAdded(channel, 'bo'), memberAdded(channel, 'ada')]);
        // This one goes first and has its lease: whatever comes before that ends came at once.
        bo.vanish();
        if (how === 'unsubscribes') ada.unsubscribe(channel);
        else if (how === 'says goodbye') await ada.close();
        else await node.api(polite).user(how, 'terminate_connections');
        expect(await watcher.nextText()).toBe(memberRemoved(channel, 'ada'));
        expect(await watcher.nextText()).toBe(memberRemoved(channel, 'bo'));
      },
    );

    it('is kept after a reconnect was asked for', async () => {
      const channel = 'presence-moved';
      const [watcher, ada] = [await node.connect(moved), await node.connect(moved)];
      await watcher.join(channel, 'w');
      await ada.signin('ada');
      await ada.join(channel, 'ada');
      await watcher.pending();
      await node.api(moved).user('ada', 'force_reconnect');
      await ada.ended();
      expect(await watcher.pending()).toEqual([]);
      expect(await node.api(moved).users(channel)).toEqual(['ada', 'w']);
      expect(await watcher.nextText()).toBe(memberRemoved(channel, 'ada'));
    });
  },
);
