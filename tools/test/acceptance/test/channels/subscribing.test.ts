import { expect, it } from 'vitest';
import { onEveryApp } from '../harness/every-app.js';
import { published, succeeded } from '../harness/frames.js';
import { expectError, expectNotSubscribed } from '../harness/refusals.js';
import { tenant } from '../harness/tenant.js';

const brief = tenant('brief', { limits: { max_channel_name_length: 20 } });

onEveryApp('a subscription', { tenants: [tenant('shop'), brief] }, (node) => {
  it.each(['orders', 'my-cache-x', 'a=b@c,d;e.f_g-h', 'x'.repeat(200), 'PRIVATE-x', 'Private-y'])(
    'to the public channel %s succeeds',
    async (channel) => {
      const client = await node.connect();
      client.ask(channel);
      expect(await client.nextText()).toBe(succeeded(channel));
      expect(await client.pending()).toEqual([]);
      await node.api().publish(channel, 'tick', 'x');
      expect(await client.pending()).toEqual([published(channel, 'tick', 'x')]);
    },
  );

  it.each(['bad name!', 'x'.repeat(201), 'ünïcode', 'a/b', 'a\nb', 'a"b', 'a\\b', 'private-{x}', 'a?b'])(
    'to %j is refused with 4300',
    async (channel) => {
      const client = await node.connect();
      client.askSigned(channel);
      await expectNotSubscribed(client, channel, 4300, 400);
      expect(await client.pending()).toEqual([]);
    },
  );

  it.each([
    'news.*',
    '*',
    'a.*.*',
    'private-*',
    '[meta]orders',
    '[meta]private-x',
    '[meta][meta]x',
    '[meta]',
  ])('to %s is refused with 4300: patterns and meta channels need protocol 2', async (channel) => {
    const client = await node.connect();
    client.ask(channel);
    await expectNotSubscribed(client, channel, 4300, 400);
    await node.api().publish('news.eu', 'tick', 'x');
    expect(await client.pending()).toEqual([]);
  });

  it.each([2, '2', 0, { seconds: 60 }])('with rewind %j is refused with 4300', async (rewind) => {
    const client = await node.connect();
    client.ask('orders', { rewind });
    await expectNotSubscribed(client, 'orders', 4300, 400);
    // Before the signature is asked for.
    client.ask('private-orders', { rewind });
    await expectNotSubscribed(client, 'private-orders', 4300, 400);
    expect(await client.pending()).toEqual([]);
  });

  it.each([
    { filter: { events: ['other'] } },
    { tags_filter: { key: 'region', cmp: 'eq', val: 'eu' } },
    { filter: 'malformed' },
    { filter: { key: 'region', cmp: 'in' }, delta: 'fossil', modes: ['ANNOTATION_SUBSCRIBE'] },
    { delta: { enabled: 7 }, modes: 'malformed' },
    { channel_data: 'not json' },
  ])('with %j takes no notice of it', async (more) => {
    const client = await node.connect();
    client.ask('orders', more);
    expect(await client.nextText()).toBe(succeeded('orders'));
    await node.api().publish('orders', 'tick', 'x', { tags: { region: 'us' } });
    expect(await client.pending()).toEqual([published('orders', 'tick', 'x')]);
  });

  it('obeys the name limit of its app', async () => {
    const client = await node.connect(brief);
    client.ask('x'.repeat(20));
    expect(await client.nextText()).toBe(succeeded('x'.repeat(20)));
    client.ask('x'.repeat(21));
    await expectNotSubscribed(client, 'x'.repeat(21), 4300, 400);
  });

  it('asked for again is answered again and changes nothing', async () => {
    const client = await node.connect();
    const other = await node.connect();
    await other.subscribe('again');
    for (let count = 0; count < 3; count += 1) {
      client.ask('again');
      expect(await client.nextText()).toBe(succeeded('again'));
    }
    expect(await node.api().subscriptionCount('again')).toBe(2);
    await node.api().publish('again', 'tick', 'x');
    expect(await client.pending()).toEqual([published('again', 'tick', 'x')]);
    expect(await other.pending()).toEqual([published('again', 'tick', 'x')]);
    client.unsubscribe('again');
    expect(await client.pending()).toEqual([]);
    expect(await node.api().subscriptionCount('again')).toBe(1);
  });

  it('is of one app only', async () => {
    const here = await node.connect();
    const there = await node.connect(brief);
    await here.subscribe('shared');
    await there.subscribe('shared');
    await node.api(brief).publish('shared', 'tick', 'x');
    expect(await here.pending()).toEqual([]);
    expect(await there.pending()).toEqual([published('shared', 'tick', 'x')]);
  });
});

onEveryApp('unsubscribing', { tenants: [tenant('shop')] }, (node) => {
  it.each([
    ['an object', { channel: 'orders' }],
    ['the bare name', 'orders'],
    ['the JSON of an object in a string', '{"channel":"orders"}'],
  ])('with %s ends delivery without a reply', async (_form, data) => {
    const client = await node.connect();
    await client.subscribe('orders');
    client.send({ event: 'pusher:unsubscribe', data });
    expect(await client.pending()).toEqual([]);
    await node.api().publish('orders', 'tick', 'x');
    expect(await client.pending()).toEqual([]);
    expect(await node.api().channel('orders')).toEqual({ occupied: false });
    expect(await client.subscribe('orders')).toBe(succeeded('orders'));
  });

  it('from a channel that is not subscribed has no effect', async () => {
    const client = await node.connect();
    await client.subscribe('orders');
    for (const channel of ['other', 'private-x', 'presence-x', 'bad name!', '[meta]orders', 'or*'])
      client.unsubscribe(channel);
    expect(await client.pending()).toEqual([]);
    expect(await node.api().subscriptionCount('orders')).toBe(1);
  });

  it.each([undefined, null, {}, { channel: 7 }, []])(
    'with the data %j is answered with error 4000',
    async (data) => {
      const client = await node.connect();
      client.send({ event: 'pusher:unsubscribe', data });
      await expectError(client, 4000);
      expect(await client.pending()).toEqual([]);
    },
  );
});
