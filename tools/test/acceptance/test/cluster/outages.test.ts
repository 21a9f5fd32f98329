import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../harness/client.js';
import { onCluster } from '../harness/cluster.js';
import { eventually } from '../harness/eventually.js';
import { openTenant } from '../harness/tenant.js';
import { Receiver } from '../webhooks/receiver.js';

/** Longer than a process may be cut off alone before it sends its clients away. */
const OUTAGE_MS = 11_000;
const sleep = (ms: number) => new Promise<void>((later) => void setTimeout(later, ms));

const receiver = new Receiver();
beforeAll(async () => void (await receiver.open()));
afterAll(() => receiver.close());

const tenants = () => {
  const shop = openTenant('shop', {
    webhooks: [
      {
        url: receiver.url,
        event_types: ['channel_occupied', 'channel_vacated', 'member_added', 'member_removed'],
      },
    ],
  });
  receiver.belongsTo(shop);
  return [shop];
};

const ROOM = 'private-room';
const said = (number: number) => ({ event: 'client-said', channel: ROOM, data: { number } });

/** Reads on until that was said. */
async function hears(client: Client, number: number): Promise<void> {
  const wanted = `"number":${number}`;
  while (!(await client.nextText()).includes(wanted));
}

const setting = { tenants, ownBroker: true, more: ['webhook-worker'] } as const;

onCluster('an installation', ['nats'], setting, (cluster) => {
  it('keeps its clients while the broker is away for all, delivers at home, and is whole again after', async () => {
    const [here, there] = await cluster.both();
    const beside = await cluster.connect(0);
    for (const client of [here, beside, there]) await client.subscribe(ROOM);
    here.send(said(1));
    await hears(there, 1);

    await cluster.ownBroker.kill();
    const back = Date.now() + OUTAGE_MS;
    here.send(said(2));
    await hears(beside, 2);
    await sleep(back - Date.now());
    here.send(said(3));
    await hears(beside, 3);
    const late = await cluster.connect(0);
    await late.pending();
    for (const client of [here, beside, there]) await client.pending();

    await cluster.ownBroker.restart();
    await eventually(async () => {
      here.send(said(4));
      expect((await there.pending()).join('')).toContain('"number":4');
    }, 20_000);
    await late.subscribe(ROOM);
  }, 60_000);

  it('tells its customers once, also after its store came back empty', async () => {
    const [one, two] = await cluster.both();
    const before = ['presence-a', 'presence-b', 'presence-c'];
    for (const channel of before) await one.join(channel, 'one');
    for (const channel of before) await two.join(channel, 'two');
    await receiver.hears('member_added', before);
    await receiver.hears('channel_occupied', before);
    const told = () =>
      receiver.events
        .filter(({ channel }) => before.includes(String(channel)))
        .map(({ name, channel, user_id: user = '' }) => `${name} ${String(channel)} ${String(user)}`);
    await eventually(() => expect(told()).toHaveLength(9));
    const once = told().sort();

    await cluster.store.kill();
    await cluster.store.restart();
    const early = await cluster.connect(1);
    await early.join('presence-meanwhile', 'four');
    await receiver.hears('member_added', ['presence-meanwhile'], 20_000);
    await eventually(
      async () => expect(await cluster.api().users('presence-a')).toEqual(['one', 'two']),
      20_000,
    );
    const late = await cluster.connect(0);
    await late.join('presence-after', 'three');
    await receiver.hears('member_added', ['presence-after'], 20_000);
    expect(told().sort()).toEqual(once);
    expect(receiver.forged).toEqual([]);
  }, 90_000);
});
