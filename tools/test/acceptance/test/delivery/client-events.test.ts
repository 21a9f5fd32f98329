import { expect, it } from 'vitest';
import type { Client } from '../harness/client.js';
import { onServer } from '../harness/every-app.js';
import { expectClosed, expectError } from '../harness/refusals.js';
import { openTenant, tenant } from '../harness/tenant.js';

const shop = openTenant('shop');
const mute = tenant('mute');
const small = openTenant('small', {
  limits: { max_event_payload_in_kb: 1, max_event_name_length: 30, max_channel_name_length: 40 },
});
const limited = openTenant('limited', { limits: { max_client_events_per_second: 2, decay_seconds: 3600 } });
const strict = openTenant('strict', {
  limits: { max_client_events_per_second: 2, decay_seconds: 3600, terminate_on_limit: true },
});
const refreshed = openTenant('refreshed', { limits: { max_client_events_per_second: 2, decay_seconds: 1 } });

const EVENT = { event: 'client-typing', data: { on: true } };

onServer('a client event', { tenants: [shop, mute, small, limited, strict, refreshed] }, (node) => {
  /** Two connections that are subscribed to the channel. */
  async function pair(channel: string, app = shop): Promise<[Client, Client]> {
    const [sender, receiver] = [await node.connect(app), await node.connect(app)];
    for (const client of [sender, receiver]) await client.subscribe(channel);
    return [sender, receiver];
  }

  it.each(['private-orders', 'private-x:y'])(
    'on %s reaches the others in exactly this form',
    async (channel) => {
      const [sender, receiver] = await pair(channel);
      sender.send({ ...EVENT, channel });
      expect(await receiver.nextText()).toBe(
        `{"event":"client-typing","channel":"${channel}","data":{"on":true}}`,
      );
      expect(await sender.pending()).toEqual([]);
      expect(await receiver.pending()).toEqual([]);
    },
  );

  it('without a payload reaches the others without one', async () => {
    const [sender, receiver] = await pair('private-orders');
    sender.send({ event: 'client-typing', channel: 'private-orders' });
    expect(await receiver.nextText()).toBe('{"event":"client-typing","channel":"private-orders"}');
  });

  it('on a cache channel reaches the others too, and is not kept there', async () => {
    const [sender, receiver] = [await node.connect(), await node.connect()];
    for (const client of [sender, receiver]) {
      await client.subscribe('private-cache-orders');
      expect((await client.next()).event).toBe('pusher:cache_miss');
    }
    sender.send({ ...EVENT, channel: 'private-cache-orders' });
    expect((await receiver.next()).event).toBe('client-typing');
    const late = await node.connect();
    await late.subscribe('private-cache-orders');
    expect((await late.next()).event).toBe('pusher:cache_miss');
  });

  it.each(['presence-lobby', 'presence-cache-lobby'])('on %s says who sent it', async (channel) => {
    const [sender, receiver] = [await node.connect(), await node.connect()];
    await receiver.join(channel, 'u-20');
    await receiver.pending();
    await sender.join(channel, 'u-17');
    await sender.pending();
    await receiver.pending();
    sender.send({ ...EVENT, channel });
    expect(await receiver.nextText()).toBe(
      `{"event":"client-typing","channel":"${channel}","data":{"on":true},"user_id":"u-17"}`,
    );
    expect(await sender.pending()).toEqual([]);
  });

  it('says who sent it by the member of that channel, whoever signed in', async () => {
    const [sender, receiver] = [await node.connect(), await node.connect()];
    await receiver.join('presence-masks', 'u-20');
    await sender.signin('ada');
    await sender.join('presence-masks', 'mask');
    await receiver.pending();
    sender.send({ ...EVENT, channel: 'presence-masks', user_id: 'forged' });
    expect(await receiver.next()).toMatchObject({ event: 'client-typing', user_id: 'mask' });
  });

  it.each([
    '"text"',
    '{"n":1.50,"big":12345678901234567890,"a":{"b":[null]}}',
    '[1,2]',
    '7',
    'null',
    '"{\\"a\\":1}"',
    '"\\u0041"',
  ])('carries the data %s as it was sent', async (data) => {
    const [sender, receiver] = await pair('private-data');
    sender.send(`{"event":"client-x","channel":"private-data","data":${data}}`);
    expect(await receiver.nextText()).toBe(`{"event":"client-x","channel":"private-data","data":${data}}`);
  });

  it('may have no data', async () => {
    const [sender, receiver] = await pair('private-bare');
    sender.send({ event: 'client-x', channel: 'private-bare' });
    expect(await receiver.next()).toMatchObject({ event: 'client-x', channel: 'private-bare' });
  });

  it('takes nothing else from its sender', async () => {
    const [sender, receiver] = await pair('private-forged');
    const forged = { user_id: 'x', serial: 7, stream_id: 's', tags: { a: 'b' }, message_id: 'm', extras: {} };
    sender.send({ ...EVENT, channel: 'private-forged', ...forged });
    sender.send({ ...EVENT, channel: 'private-forged', ...forged });
    const frame = '{"event":"client-typing","channel":"private-forged","data":{"on":true}}';
    expect([await receiver.nextText(), await receiver.nextText()]).toEqual([frame, frame]);
  });

  it('is refused with 4301 in an app without them', async () => {
    const [sender, receiver] = await pair('private-orders', mute);
    sender.send({ ...EVENT, channel: 'private-orders' });
    await expectError(sender, 4301, 'private-orders');
    expect(await receiver.pending()).toEqual([]);
  });

  it.each(['orders', 'cache-orders', 'private-encrypted-x', 'private-encrypted-cache-x', 'my-private-x'])(
    'is refused with 4301 on %s',
    async (channel) => {
      const [sender, receiver] = await pair(channel);
      for (const client of [sender, receiver]) await client.pending();
      sender.send({ ...EVENT, channel });
      await expectError(sender, 4301, channel);
      expect(await receiver.pending()).toEqual([]);
    },
  );

  it.each(['private-elsewhere', 'presence-elsewhere', 'private-*', 'news.*', '[meta]private-x'])(
    'is refused with 4301 on %s, which is not subscribed',
    async (channel) => {
      const sender = await node.connect();
      sender.send({ ...EVENT, channel });
      await expectError(sender, 4301, channel);
      expect(await sender.pending()).toEqual([]);
    },
  );

  it('is refused with 4301 after unsubscribing, and without a channel', async () => {
    const [sender, receiver] = await pair('private-orders');
    sender.unsubscribe('private-orders');
    sender.send({ ...EVENT, channel: 'private-orders' });
    await expectError(sender, 4301, 'private-orders');
    sender.send(EVENT);
    await expectError(sender, 4301);
    expect(await receiver.pending()).toEqual([]);
  });

  it('has a name of 200 characters at most', async () => {
    const [sender, receiver] = await pair('private-orders');
    const longest = `client-${'x'.repeat(193)}`;
    sender.send({ event: `${longest}x`, channel: 'private-orders', data: {} });
    await expectError(sender, 4000, 'private-orders');
    sender.send({ event: longest, channel: 'private-orders', data: {} });
    expect((await receiver.next()).event).toBe(longest);
  });

  it('obeys the sizes of its app', async () => {
    const [sender, receiver] = await pair('private-orders', small);
    const send = (event: string, length: number): void =>
      sender.send({ event, channel: 'private-orders', data: 'x'.repeat(length) });
    send(`client-${'x'.repeat(24)}`, 1);
    await expectError(sender, 4000, 'private-orders');
    send('client-x', 1100);
    await expectError(sender, 4301, 'private-orders');
    const channel = `private-${'x'.repeat(33)}`;
    sender.send({ event: 'client-x', channel, data: {} });
    await expectError(sender, 4300, channel);
    send(`client-${'x'.repeat(23)}`, 1000);
    expect((await receiver.next()).data).toBe('x'.repeat(1000));
    expect(await receiver.pending()).toEqual([]);
  });

  it('over the rate of its connection is refused with 4301 and not delivered', async () => {
    const [sender, receiver] = await pair('private-orders', limited);
    for (const event of ['client-1', 'client-2', 'client-3'])
      sender.send({ event, channel: 'private-orders', data: {} });
    await expectError(sender, 4301, 'private-orders');
    expect(await sender.pending()).toEqual([]);
    receiver.send({ event: 'client-4', channel: 'private-orders', data: {} });
    expect((await sender.next()).event).toBe('client-4');
    const frames = await receiver.pending();
    expect(frames.map((text) => (JSON.parse(text) as { event: string }).event)).toEqual([
      'client-1',
      'client-2',
    ]);
    const labels = { app_id: 'limited', limiter_type: 'client_events' };
    expect((await node.metrics()).value('rate_limit_triggered_total', labels)).toBe(1);
  });

  it('over the rate ends its connection with 4301 where the app says so', async () => {
    const [sender, receiver] = await pair('private-orders', strict);
    for (const event of ['client-1', 'client-2', 'client-3'])
      sender.send({ event, channel: 'private-orders', data: {} });
    await expectClosed(sender, 4301, 'Connection closed due to rate limit');
    const frames = await receiver.pending();
    expect(frames.map((text) => (JSON.parse(text) as { event: string }).event)).toEqual([
      'client-1',
      'client-2',
    ]);
  });

  it('is welcome again when the window has passed', async () => {
    const [sender, receiver] = await pair('private-orders', refreshed);
    for (let sent = 0; ; sent += 1) {
      sender.send({ event: 'client-x', channel: 'private-orders', data: sent });
      const [answer] = await sender.pending();
      if (answer !== undefined) break;
    }
    const received = await receiver.pending();
    for (;;) {
      sender.send({ event: 'client-again', channel: 'private-orders' });
      if ((await sender.pending()).length === 0) break;
      await new Promise((later) => setTimeout(later, 100));
    }
    expect(received.length).toBeGreaterThanOrEqual(2);
    expect((await receiver.next()).event).toBe('client-again');
  });
});
