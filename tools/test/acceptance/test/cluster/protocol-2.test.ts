import { expect, it, onTestFinished } from 'vitest';
import { Inbox } from '../clients/inbox.js';
import { ClientV2, positionOf } from '../harness/client-v2.js';
import { onCluster } from '../harness/cluster.js';
import { OnePort } from '../harness/one-port.js';
import { FORMATS } from '../harness/wire-v2.js';
import { FORMATS as OWN_FORMATS, People } from '../own-client/people.js';
import { protocol2 } from '../protocol-2/everything.js';
import { kept, Place, placed, SETTINGS, TENANTS } from '../protocol-2/place.js';

const setting = {
  tenants: () => TENANTS,
  more: ['history-writer'],
  env: { ...SETTINGS, VERSIONED_MESSAGES_DRIVER: 'postgres' },
  database: true,
} as const;

// One broker: which of them carries what is asked by the tests of recovery and of processes as one service.
onCluster('protocol 2 at two gateways', ['nats'], setting, (cluster) => {
  protocol2(cluster);

  it('who was at a gateway that died goes on at another, in each format, and so does the own client', async () => {
    const place = new Place(cluster, kept, 'json');
    const first = await place.connect(0);
    const begun = await first.subscribe('lost');
    expect(begun).toMatchObject({ serial: 0, data: '{"attach_serial":0}' });
    const front = new OnePort([cluster.gateway(0).port, cluster.gateway(1).port]);
    const people = new People(cluster.gateway(0), kept);
    onTestFinished(() => {
      people.leave();
      front.close();
    });
    const url = `ws://127.0.0.1:${await front.listen()}`;
    const inboxes: Inbox<unknown>[] = [];
    for (const format of OWN_FORMATS) {
      // The next of each is at the other gateway.
      for (const user of ['ada', 'bo']) {
        const channel = (await people.come(user, { format, url })).subscribe('lost');
        const inbox = new Inbox<unknown>();
        channel.bind('news', (text) => inbox.put(text));
        await channel.whenSubscribed();
        inboxes.push(inbox);
      }
    }
    await place.publish('lost', 'a', 'b', 'c');
    for (const inbox of inboxes) for (const text of ['a', 'b', 'c']) expect(await inbox.take()).toBe(text);
    await cluster.gateway(0).process.kill();
    await place.publish('lost', 'd', 'last');
    for (const inbox of inboxes) for (const text of ['d', 'last']) expect(await inbox.take()).toBe(text);
    for (const format of FORMATS) {
      const client = await ClientV2.connect(cluster.gateway(0), { format });
      client.askResume({ lost: { ...positionOf(begun), serial: 1 } });
      await client.until('service:resume_success');
      await client.subscribe('lost', { rewind: 2 });
      expect(placed(await client.through('service:resume_success'))).toEqual(['b 2', 'c 3', 'd 4', 'last 5']);
      expect(placed(await client.through('service:rewind_complete'))).toEqual(['d 4', 'last 5']);
      const data = { channel: 'lost', limit: 2, until_attach: true };
      client.send({ event: 'service:channel_history', data });
      expect(await client.next()).toMatchObject({
        event: 'service:channel_history',
        data: { items: [{ serial: 5 }, { serial: 4 }], bounds: { attach_serial: 5 } },
      });
    }
    for (const inbox of inboxes) expect(inbox.rest).toEqual([]);
  });
});
