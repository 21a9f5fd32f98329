import type * as Ably from 'ably';
import { decode } from '@ably/vcdiff-decoder';
import { afterEach, expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { AblyClients, frame, heard } from './ably.js';

const shop = openTenant('shop', { history: { enabled: true } });
const env = { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory' };
const config = { compat: { enabled: true } };
const TICK = 'name == `"tick"`';
const textOf = (filter: string, base: string): string =>
  `[filter=${Buffer.from(filter).toString('base64')}]${base}`;

onServer('derived channels of Ably clients', { tenants: [shop], config, env }, (node) => {
  const clients = new AblyClients(node, shop);
  afterEach(() => clients.close());
  const derived = (
    name: string,
    filter: string,
    options: Ably.ClientOptions = {},
    channel: Ably.ChannelOptions = {},
  ): Ably.RealtimeChannel => clients.connect(options).channels.getDerived(name, { filter }, channel);

  it.each([true, false])(
    'are told what their filter lets through, and nothing else (case 54, binary: %s)',
    async (useBinaryProtocol) => {
      const name = `prices:${useBinaryProtocol}`;
      const publisher = clients.connect({ useBinaryProtocol, clientId: 'ada' }).channels.get(name);
      const ticks = await heard(derived(name, TICK, { useBinaryProtocol }));
      const dear = await heard(
        derived(name, "data.n > `1` && headers.region == 'eu'", { useBinaryProtocol }),
      );
      const same = await heard(derived(name, TICK));
      const all = await heard(publisher);
      const extras = { headers: { region: 'eu' } };
      await publisher.publish('tock', { n: 1 });
      await publisher.publish({ name: 'tick', data: { n: 1 }, extras });
      await publisher.publish({ name: 'tock', data: { n: 2 }, extras });
      await publisher.publish('tick', { n: 2 });
      const seen = async (inbox: typeof all, count: number): Promise<unknown> => {
        const messages = await Promise.all(Array.from({ length: count }, () => inbox.take()));
        return messages.map(({ name: event, data }) => [event, data as unknown]);
      };
      expect(await seen(all, 4)).toHaveLength(4);
      expect(await seen(ticks, 2)).toEqual([
        ['tick', { n: 1 }],
        ['tick', { n: 2 }],
      ]);
      expect(await seen(same, 2)).toEqual([
        ['tick', { n: 1 }],
        ['tick', { n: 2 }],
      ]);
      expect(await seen(dear, 1)).toEqual([['tock', { n: 2 }]]);
      expect([ticks.rest, same.rest, dear.rest]).toEqual([[], [], []]);
    },
  );

  it('can only be subscribed to, and show no members (case 54)', async () => {
    const ada = clients.connect({ clientId: 'ada' });
    await ada.channels.get('view').presence.enter();
    const channel = derived('view', TICK, { clientId: 'bob' });
    await channel.attach();
    expect(channel.modes).toEqual(['subscribe']);
    await expect(channel.publish('tick', 'x')).rejects.toMatchObject({ code: 40_010 });
    await expect(channel.presence.enter()).rejects.toMatchObject({ code: 40_010 });
    const socket = await clients.raw();
    await frame(socket);
    socket.sendText(JSON.stringify({ action: 10, channel: textOf(TICK, 'view'), flags: 0 }));
    expect(await frame(socket)).toMatchObject({ action: 11, channel: textOf(TICK, 'view'), flags: 262_144 });
    socket.sendText(JSON.stringify({ action: 16, channel: textOf(TICK, 'view') }));
    const annotations = [{ messageSerial: 's', type: 'a:total.v1' }];
    const more = { action: 21, channel: textOf(TICK, 'view'), msgSerial: 0, annotations };
    socket.sendText(JSON.stringify(more));
    expect(await frame(socket)).toMatchObject({ action: 2, error: { code: 40_010 } });
  });

  it('are refused with what is no expression or no base64, and nothing else is changed (case 54)', async () => {
    const client = clients.connect();
    const inbox = await heard(client.channels.get('kept'));
    const wrong = client.channels.getDerived('kept', { filter: 'name ==' });
    await expect(wrong.attach()).rejects.toMatchObject({ code: 40_010 });
    await expect(client.channels.get('[filter=!!]kept').attach()).rejects.toMatchObject({ code: 40_010 });
    // A connection has a channel once: as a whole, or what a filter lets through.
    await expect(client.channels.getDerived('kept', { filter: TICK }).attach()).rejects.toMatchObject({
      code: 90_000,
    });
    await client.channels.get('kept').publish('tock', 'still here');
    expect((await inbox.take()).data).toBe('still here');
    await client.channels.get('kept').detach();
    const ticks = await heard(client.channels.getDerived('kept', { filter: "name == 'tick'" }));
    await client.channels.get('kept').publish('tick', 'x');
    expect((await ticks.take()).name).toBe('tick');
  });

  it('begin with the past, go on with differences, and take what protocols of others publish', async () => {
    const publisher = clients.connect().channels.get('past');
    const text = 'all that stays as it was, and a number that does not: ';
    for (const event of ['tick', 'tock']) await publisher.publish(event, `${text}0`);
    const params = { rewind: '2', delta: 'vcdiff' };
    const ticks = await heard(derived('past', TICK, { plugins: { vcdiff: { decode } } }, { params }));
    for (const n of [1, 2]) {
      await publisher.publish('tock', `${text}-`);
      await publisher.publish('tick', `${text}${n}`);
    }
    const body = JSON.stringify({ name: 'tick', channel: 'past', data: `${text}3` });
    await node.api().request('POST', '/events', { body });
    const seen = await Promise.all(Array.from({ length: 4 }, () => ticks.take()));
    expect(seen.map(({ data }) => data as unknown)).toEqual(['0', '1', '2', '3'].map((n) => `${text}${n}`));
    const deltas = seen.map(
      ({ extras }) => (extras as { delta?: { from: string } } | undefined)?.delta?.from,
    );
    expect(deltas).toEqual([undefined, undefined, seen[1]?.id, seen[2]?.id]);
  });

  it('are none of REST', async () => {
    const rest = clients.rest();
    const channel = rest.channels.get(textOf(TICK, 'rest'));
    await expect(channel.publish('tick', 'x')).rejects.toMatchObject({ code: 40_010, statusCode: 400 });
    await expect(channel.history()).rejects.toMatchObject({ code: 40_010 });
    await expect(channel.presence.get()).rejects.toMatchObject({ code: 40_010 });
  });
});
