import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { Backend } from './backend.js';
import { Inbox } from './inbox.js';
import { Echo, PusherClient } from './libraries.js';

type PusherEcho = InstanceType<typeof Echo<'pusher'>>;
interface Person {
  readonly name: string;
}

/** Resolves when the channel is subscribed to. */
const subscribed = (channel: { subscribed(done: () => void): unknown }): Promise<void> =>
  new Promise((done) => channel.subscribed(done));

onServer('laravel-echo', { tenants: [openTenant('shop')] }, (node) => {
  let backend: Backend;
  const echoes: PusherEcho[] = [];
  beforeAll(async () => {
    backend = await Backend.start(node);
  });
  afterEach(() => {
    for (const echo of echoes.splice(0)) echo.disconnect();
  });
  afterAll(() => backend.close());

  function connect(user: string): PusherEcho {
    const options = backend.clientOptions(node, user);
    const client = new PusherClient(backend.key, options);
    const echo = new Echo({ broadcaster: 'pusher', key: backend.key, cluster: 'none', client });
    echoes.push(echo);
    return echo;
  }

  it('listens on a channel to events of its namespace and to others by a dot', async () => {
    const channel = connect('ada').channel('orders');
    const [namespaced, plain, all] = [new Inbox(), new Inbox(), new Inbox<string>()];
    channel.listen('OrderPaid', namespaced.put).listen('.order.sent', plain.put);
    channel.listenToAll((event: string) => all.put(event));
    await subscribed(channel);
    await backend.pusher.trigger('orders', 'App\\Events\\OrderPaid', { id: 9 });
    await backend.pusher.trigger('orders', 'order.sent', { id: 8 });
    expect(await namespaced.take()).toEqual({ id: 9 });
    expect(await plain.take()).toEqual({ id: 8 });
    expect([await all.take(), await all.take()]).toEqual(['OrderPaid', '.order.sent']);
  });

  it('whispers to the others on a private channel', async () => {
    const [ada, bo] = [connect('ada').private('orders'), connect('bo').private('orders')];
    const [atAda, atBo] = [new Inbox(), new Inbox()];
    ada.listenForWhisper('typing', atAda.put);
    bo.listenForWhisper('typing', atBo.put);
    await Promise.all([subscribed(ada), subscribed(bo)]);
    ada.whisper('typing', { on: true });
    expect(await atBo.take()).toEqual({ on: true });
    expect(atAda.rest).toEqual([]);
  });

  it('reads an encrypted channel', async () => {
    const channel = connect('ada').encryptedPrivate('vault');
    const secrets = new Inbox();
    channel.listen('.secret', secrets.put);
    await subscribed(channel);
    await backend.pusher.trigger('private-encrypted-vault', 'secret', { gold: 1 });
    expect(await secrets.take()).toEqual({ gold: 1 });
  });

  it('joins a presence channel: who is here, joining, leaving', async () => {
    const [here, joining, leaving] = [new Inbox<Person[]>(), new Inbox<Person>(), new Inbox<Person>()];
    const ada = connect('ada').join('lobby').here(here.put).joining(joining.put).leaving(leaving.put);
    expect(await here.take()).toEqual([{ name: 'ada' }]);
    const echo = connect('bo');
    const bo = echo.join('lobby');
    const both = new Inbox<Person[]>();
    bo.here(both.put);
    expect(await both.take()).toEqual([{ name: 'ada' }, { name: 'bo' }]);
    expect(await joining.take()).toEqual({ name: 'bo' });
    const whispers = new Inbox();
    ada.listenForWhisper('typing', whispers.put);
    bo.whisper('typing', { on: true });
    expect(await whispers.take()).toEqual({ on: true });
    echo.leave('lobby');
    expect(await leaving.take()).toEqual({ name: 'bo' });
  });

  it('hears why a private channel is refused', async () => {
    const errors = new Inbox<{ status: number }>();
    connect('ada').private('forged').error(errors.put);
    expect(await errors.take()).toMatchObject({ type: 'AuthError', status: 401 });
  });

  it('leaves a channel and hears nothing more of it', async () => {
    const echo = connect('ada');
    const [orders, marker] = [echo.channel('orders'), echo.channel('marker')];
    const [atOrders, atMarker] = [new Inbox(), new Inbox()];
    orders.listen('.tick', atOrders.put);
    marker.listen('.tick', atMarker.put);
    await Promise.all([subscribed(orders), subscribed(marker)]);
    echo.leave('orders');
    await subscribed(echo.channel('after'));
    await backend.pusher.trigger(['orders', 'marker'], 'tick', {});
    await atMarker.take();
    expect(atOrders.rest).toEqual([]);
  });
});
