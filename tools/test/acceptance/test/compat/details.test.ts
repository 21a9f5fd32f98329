import type * as Ably from 'ably';
import { afterEach, expect, it } from 'vitest';
import { Inbox } from '../clients/inbox.js';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { AblyClients } from './ably.js';
import { type AblyFrame, RawAblies } from './raw-ably.js';

const shop = openTenant('shop', { history: { enabled: true } });
const env = { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory' };
const config = { compat: { enabled: true } };

interface Told {
  readonly id: string;
  readonly data: string;
  readonly extras?: { readonly delta?: { readonly from: string } };
}

const messagesOf = (frame: AblyFrame): readonly Told[] => frame['messages'] as Told[];

onServer('details of Ably clients', { tenants: [shop], config, env }, (node) => {
  const clients = new AblyClients(node, shop);
  const raw = new RawAblies(node, shop, 'json');
  afterEach(() => [clients, raw].forEach((all) => all.close()));

  it('a member has the same timestamp live and in a later sync', async () => {
    const watching = clients.connect().channels.get('times');
    const live = new Inbox<Ably.PresenceMessage>();
    await watching.presence.subscribe(live.put);
    const member = clients.connect({ clientId: 'ada' }).channels.get('times');
    await member.presence.enter('here');
    const entered = await live.take();
    const late = clients.connect().channels.get('times');
    expect((await late.presence.get()).map(({ timestamp }) => timestamp)).toEqual([entered.timestamp]);
    await member.presence.update('there');
    const updated = await live.take();
    const later = clients.connect().channels.get('times');
    expect((await later.presence.get()).map(({ timestamp }) => timestamp)).toEqual([updated.timestamp]);
    const { items } = await clients.rest().channels.get('times').presence.get();
    expect(items.map(({ timestamp }) => timestamp)).toEqual([updated.timestamp]);
  });

  it('a presence leave shows its own extras when it has no data', async () => {
    const { client: watching } = await raw.connect('&clientId=bob');
    watching.send({ action: 10, channel: 'extras' });
    await watching.until(11);
    const { client: member } = await raw.connect('&clientId=ada');
    member.send({ action: 10, channel: 'extras' });
    await member.until(11);
    const say = (msgSerial: number, presence: object): void =>
      member.send({ action: 14, channel: 'extras', msgSerial, presence: [presence] });
    say(0, { action: 2, data: 'here', extras: { k: 'old' } });
    say(1, { action: 3, extras: { k: 'new' } });
    const [entered, left] = [await watching.until(14), await watching.until(14)];
    expect(entered['presence']).toMatchObject([{ action: 2, data: 'here', extras: { k: 'old' } }]);
    expect(left['presence']).toMatchObject([{ action: 3, data: 'here', extras: { k: 'new' } }]);
  });

  it.each([
    ['its last good position', true, 'deltas'],
    ['no position', false, 'deltas-anew'],
  ])(
    'messages after a failed delta begin with a whole one when the client re-attaches with %s',
    async (_title, isKept, channel) => {
      const { client } = await raw.connect();
      const other = clients.connect().channels.get(channel, { params: { delta: 'vcdiff' } });
      await other.attach();
      const attach = (channelSerial?: unknown): void =>
        client.send({
          action: 10,
          channel,
          params: { delta: 'vcdiff' },
          ...(channelSerial === undefined ? {} : { channelSerial }),
        });
      attach();
      await client.until(11);
      const publisher = clients.rest().channels.get(channel);
      const text = 'all that stays as it was, and a number that does not: ';
      await publisher.publish('n', `${text}1`);
      const first = await client.until(15);
      await publisher.publish('n', `${text}2`);
      expect(messagesOf(await client.until(15))[0]?.extras?.delta).toBeDefined();
      // Re-attaches at the last good position, like the stock client after a failed delta.
      attach(isKept ? first['channelSerial'] : undefined);
      await client.until(11);
      for (const n of [3, 4]) await publisher.publish('n', `${text}${n}`);
      const told: Told[] = [];
      const replayed = isKept ? [`${text}2`] : [];
      while (told.length < replayed.length + 2) told.push(...messagesOf(await client.until(15)));
      const whole = [...replayed, `${text}3`];
      expect(told.slice(0, -1).map(({ data }) => data)).toEqual(whole);
      expect(told.map(({ extras }) => extras?.delta?.from)).toEqual([
        ...whole.map(() => undefined),
        told.at(-2)?.id,
      ]);
    },
  );
});
