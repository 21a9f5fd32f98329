import { expect, it } from 'vitest';
import { onEveryApp } from '../harness/every-app.js';
import { published } from '../harness/frames.js';
import { tenant } from '../harness/tenant.js';

onEveryApp('a published event', { tenants: [tenant('shop')] }, (node) => {
  it('reaches every subscriber in exactly this form, and nobody else', async () => {
    const [first, second, other] = [await node.connect(), await node.connect(), await node.connect()];
    await first.subscribe('orders');
    await second.subscribe('orders');
    await other.subscribe('orders2');
    await node.api().publish('orders', 'order.paid', { id: 9 });
    const frame = '{"event":"order.paid","channel":"orders","data":"{\\"id\\":9}"}';
    expect(await first.pending()).toEqual([frame]);
    expect(await second.pending()).toEqual([frame]);
    expect(await other.pending()).toEqual([]);
  });

  it.each([
    ['"text"', 'text'],
    ['"{\\"a\\":1}"', '{"a":1}'],
    ['{"b":2,"a":1}', '{"b":2,"a":1}'],
    ['{ "n" : 1.50 , "big" : 12345678901234567890 }', '{"n":1.50,"big":12345678901234567890}'],
    ['[1, true, null]', '[1,true,null]'],
    ['7', '7'],
    ['false', 'false'],
    ['null', 'null'],
    ['"ünïcode ☃ \\u0007 \\ud83d\\ude00"', 'ünïcode ☃ \u0007 😀'],
  ])('with the data %s carries the string %j', async (data, text) => {
    const client = await node.connect();
    await client.subscribe('data');
    await node.api().publishText(`{"name":"tick","channel":"data","data":${data}}`);
    const [frame = '', ...more] = await client.pending();
    expect(JSON.parse(frame)).toEqual({ event: 'tick', channel: 'data', data: text });
    expect(more).toEqual([]);
  });

  it('without data carries the string null', async () => {
    const client = await node.connect();
    await client.subscribe('data');
    await node.api().publishText('{"name":"tick","channel":"data"}');
    expect(await client.pending()).toEqual([published('data', 'tick', 'null')]);
  });

  it('reaches a subscriber of several of its channels once for each', async () => {
    const client = await node.connect();
    await client.subscribe('one');
    await client.subscribe('two');
    await node.api().publish(['one', 'two', 'three', 'one'], 'tick', 'x');
    const frames = await client.pending();
    expect(frames.sort()).toEqual([published('one', 'tick', 'x'), published('two', 'tick', 'x')]);
  });

  it('passes over the connection that caused it', async () => {
    const [cause, other] = [await node.connect(), await node.connect()];
    await cause.subscribe('orders');
    await other.subscribe('orders');
    await node.api().publish('orders', 'tick', 'x', { socket_id: cause.socketId });
    expect(await cause.pending()).toEqual([]);
    expect(await other.pending()).toEqual([published('orders', 'tick', 'x')]);
  });

  it('shows nothing of protocol 2, ephemeral or not', async () => {
    const client = await node.connect();
    await client.subscribe('orders');
    const api = node.api();
    await api.publish('orders', 'tick', 'x', {
      tags: { region: 'eu' },
      extras: { headers: { prio: 'high' } },
    });
    await api.publish('orders', 'tock', 'y', { extras: { ephemeral: true } });
    expect(await client.pending()).toEqual([
      published('orders', 'tick', 'x'),
      published('orders', 'tock', 'y'),
    ]);
  });

  it('that is ephemeral is not kept for those who come later', async () => {
    const client = await node.connect();
    await node.api().publish('cache-cursor', 'tick', 'kept');
    await node.api().publish('cache-cursor', 'tick', 'gone', { extras: { ephemeral: true } });
    await client.subscribe('cache-cursor');
    expect(await client.pending()).toEqual([published('cache-cursor', 'tick', 'kept')]);
  });

  it.each([
    ['pusher:custom', 'pusher:custom'],
    ['service:custom', 'pusher:custom'],
    ['service_internal:custom', 'pusher_internal:custom'],
    ['client-custom', 'client-custom'],
    ['serviceable', 'serviceable'],
  ])('named %s arrives as %s', async (name, arrives) => {
    const client = await node.connect();
    await client.subscribe('orders');
    await node.api().publish('orders', name, 'x');
    expect(await client.pending()).toEqual([published('orders', arrives, 'x')]);
  });

  it('keeps its place: events of a channel arrive in the order of their publishing', async () => {
    const client = await node.connect();
    await client.subscribe('row');
    const numbers = Array.from({ length: 100 }, (_, index) => String(index));
    for (const number of numbers) await node.api().publish('row', 'tick', number);
    expect(await client.pending()).toEqual(numbers.map((number) => published('row', 'tick', number)));
  });

  it('comes in a batch in the order of the batch', async () => {
    const client = await node.connect();
    await client.subscribe('one');
    await client.subscribe('two');
    const batch = ['one', 'two', 'one'].map((channel, index) => ({
      name: 'tick',
      channel,
      data: String(index),
    }));
    const { status } = await node.api().request('POST', '/batch_events', { body: JSON.stringify({ batch }) });
    expect(status).toBe(200);
    expect(await client.pending()).toEqual([
      published('one', 'tick', '0'),
      published('two', 'tick', '1'),
      published('one', 'tick', '2'),
    ]);
  });

  it('answers with the number of its subscribers when asked', async () => {
    const [first, second] = [await node.connect(), await node.connect()];
    await first.subscribe('counted');
    await second.subscribe('counted');
    const body = JSON.stringify({ name: 'tick', channel: 'counted', data: 'x', info: 'subscription_count' });
    const answer = await node.api().request('POST', '/events', { body });
    expect(JSON.parse(answer.body)).toEqual({
      channels: { counted: { acknowledgement_id: expect.any(String) as string, subscription_count: 2 } },
    });
  });
});

onEveryApp('recovery, history and deltas', { tenants: [tenant('shop')] }, (node) => {
  it.each([
    ['resume', { channel_positions: { orders: { serial: 1 } } }, 4301],
    ['channel_history', { channel: 'orders' }, 4000],
  ])('are refused: %s needs protocol 2', async (name, data, code) => {
    const client = await node.connect();
    await client.subscribe('orders');
    client.send({ event: `service:${name}`, data });
    expect((await client.nextError()).data.code).toBe(code);
    expect(await client.pending()).toEqual([]);
  });
});
