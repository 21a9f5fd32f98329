import { afterEach, describe, expect, it } from 'vitest';
import { Inbox } from '../clients/inbox.js';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { Network } from './network.js';
import { FORMATS, People } from './people.js';

const config = {
  history: { enabled: true, backend: 'memory' },
  connection_recovery: { enabled: true, max_buffer_size: 5 },
};

onServer('the past, by the own client', { tenants: [openTenant('shop')], config }, (node) => {
  const people = new People(node);
  afterEach(() => people.leave());
  const publish = async (channel: string, from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n += 1) await node.api().publish(channel, 'tick', n);
  };

  describe.each(FORMATS)('by $name', (format) => {
    it('is where a subscription begins, if it is wanted', async () => {
      const ada = await people.come('ada', { format });
      await publish(`rewound-${format.name}`, 0, 5);
      const inbox = new Inbox<unknown>();
      const channel = ada.subscribe(`rewound-${format.name}`, { rewind: 3 });
      channel.bind('tick', inbox.put);
      channel.on('rewound', ({ historicalCount: count, complete }) => inbox.put([count, complete]));
      for (const expected of [2, 3, 4, [3, true]]) expect(await inbox.take()).toEqual(expected);
      await publish(channel.name, 5, 6);
      expect(await inbox.take()).toBe(5);
    });

    it('is read page by page, and joins what comes live', async () => {
      const ada = await people.come('ada', { format });
      const name = `paged-${format.name}`;
      await publish(name, 0, 7);
      const channel = ada.subscribe(name);
      const inbox = new Inbox<unknown>();
      channel.bind('tick', inbox.put);
      await channel.whenSubscribed();
      await publish(name, 7, 8);
      const read: unknown[] = [];
      let page = await channel.history({ limit: 3, untilAttach: true, direction: 'forwards' });
      for (;;) {
        read.push(...page.items.map(({ serial, message }) => [serial, message.event, message.data]));
        const next = await page.next();
        if (next === null) break;
        page = next;
      }
      expect(read).toEqual(Array.from({ length: 7 }, (_, n) => [n + 1, 'tick', n]));
      expect(await inbox.take()).toBe(7);
      const newest = await channel.history({ limit: 1 });
      expect(newest).toMatchObject({ hasMore: true, isComplete: true, items: [{ serial: 8 }] });
    });
  });

  it('comes back by a rewind where it cannot be recovered, without repetitions', async () => {
    const network = new Network();
    const ada = await people.come('ada', { WebSocket: network.WebSocket });
    const inbox = new Inbox<unknown>();
    const channel = ada.subscribe('long-away', { rewind: 10 });
    channel.bind('tick', inbox.put);
    channel.on('recovery', ({ recovered }) => inbox.put(recovered));
    await channel.whenSubscribed();
    await publish('long-away', 0, 4);
    for (let n = 0; n < 4; n += 1) expect(await inbox.take()).toBe(n);
    network.cut();
    await publish('long-away', 4, 12);
    network.mend();
    ada.connect();
    for (const expected of [false, 4, 5, 6, 7, 8, 9, 10, 11]) expect(await inbox.take()).toBe(expected);
    await publish('long-away', 12, 13);
    expect(await inbox.take()).toBe(12);
    expect(inbox.rest).toEqual([]);
  });

  it('is refused where there is none', async () => {
    const ada = await people.come('ada');
    await expect(ada.channel('not-subscribed').history()).rejects.toMatchObject({
      channel: 'not-subscribed',
    });
  });
});
