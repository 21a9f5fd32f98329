import { describe, expect, it } from 'vitest';
import { numbered, settled, subscribed, World } from './harness/world.js';

async function open(options: ConstructorParameters<typeof World>[0] = {}) {
  const world = new World(options);
  await world.connect();
  const channel = world.client.subscribe('private-room');
  await settled();
  world.socket.says(subscribed('private-room'));
  world.socket.taken();
  return { world, channel };
}

async function lose(world: World, ms = 500): Promise<void> {
  world.socket.ends(1006);
  await world.clock.pass(ms);
}

async function comeBack(world: World): Promise<readonly unknown[]> {
  await world.establish();
  world.socket.says(subscribed('private-room'));
  return world.socket
    .taken()
    .filter(({ event }) => event.startsWith('client-'))
    .map(({ message_id }) => message_id);
}

describe('events of a client', () => {
  it('wait for the connection, in order, but not those that nobody wants later', async () => {
    const { world, channel } = await open();
    await lose(world);
    void channel.send('client-a', 1, { id: '1' });
    void channel.send('client-cursor', 2, { id: '2', ephemeral: true });
    void channel.send('client-b', 3, { id: '3' });
    expect(await comeBack(world)).toEqual(['1', '3']);
  });

  it('wait only up to a bound', async () => {
    const { world, channel } = await open({ maxQueued: 2 });
    await lose(world);
    void channel.send('client-a', 1);
    void channel.send('client-a', 2);
    await expect(channel.send('client-a', 3)).rejects.toMatchObject({
      message: '2 events are waiting for the connection already',
      reason: 'disconnected',
    });
  });

  it('that may have been lost are sent again, and those that came back are not', async () => {
    const { world, channel } = await open();
    for (const id of ['1', '2', '3']) void channel.send('client-a', id, { id });
    void channel.send('client-silent', 1, { id: '4', echo: false });
    world.socket.says({ event: 'client-a', channel: 'private-room', data: '1', message_id: '1' });
    await lose(world);
    void channel.send('client-a', 5, { id: '5' });
    expect(await comeBack(world)).toEqual(['2', '3', '5']);
  });

  it('are not sent again when the service may have forgotten them', async () => {
    const { world, channel } = await open();
    void channel.send('client-a', 1, { id: '1' });
    world.socket.ends(1006);
    await world.clock.pass(500);
    await world.clock.pass(60_000);
    world.client.connect();
    await settled();
    expect(await comeBack(world)).toEqual([]);
  });

  it('that cannot be written keep nobody else from being sent', async () => {
    const { world, channel } = await open();
    const errors: string[] = [];
    channel.on('error', ({ message }) => errors.push(message));
    await lose(world);
    void channel.send('client-a', 1, { id: '1' });
    void channel.send('client-a', { n: 1n }, { id: '2' });
    void channel.send('client-b', Uint8Array.of(0, 255), { id: '3' });
    await world.establish();
    world.socket.says(subscribed('private-room'));
    const sent = world.socket.taken().filter(({ event }) => event.startsWith('client-'));
    expect(sent.map(({ data }) => data)).toEqual([1, [0, 255]]);
    expect(errors).toHaveLength(1);
  });

  it('whose connection is lost each time they are sent are sent again twice', async () => {
    const { world, channel } = await open();
    void channel.send('client-a', 1, { id: '1' });
    for (const expected of [1, 1, 0]) {
      await lose(world, 3000);
      expect(await comeBack(world)).toHaveLength(expected);
    }
  });

  it('that the service found too large are not sent again', async () => {
    const { world, channel } = await open();
    void channel.send('client-a', 'x'.repeat(100_000), { id: '1' });
    world.socket.ends(1009);
    await world.clock.pass(500);
    expect(await comeBack(world)).toEqual([]);
  });
});

describe('a pattern', () => {
  it('hears the messages of the channels it matches', async () => {
    const world = new World();
    await world.connect();
    const heard: unknown[] = [];
    world.client.subscribe('news.*').bindAll(({ channel, data }) => heard.push([channel, data]));
    await settled();
    world.socket.says(subscribed('news.*'));
    world.socket.says(numbered('news.eu', 1));
    world.socket.says(numbered('news.us', 1));
    world.socket.says(numbered('weather', 1));
    expect(heard).toEqual([
      ['news.eu', { n: 1 }],
      ['news.us', { n: 1 }],
    ]);
  });
});

describe('a meta channel', () => {
  it('tells of the channel it is about', async () => {
    const world = new World();
    await world.connect();
    const heard: unknown[] = [];
    world.client.subscribe('[meta]orders').on('meta', (event) => heard.push(event));
    await settled();
    world.socket.says({
      event: 'service_internal:subscription_count',
      channel: '[meta]orders',
      data: { channel: 'orders', subscription_count: 2 },
    });
    expect(heard).toEqual([{ event: 'subscription_count', channel: 'orders', subscriptionCount: 2 }]);
  });
});

describe("another vendor's word", () => {
  it('is used in every name', async () => {
    const world = new World({ vendor: 'acme' });
    world.client.connect();
    await settled();
    const data = JSON.stringify({ socket_id: '1.1', activity_timeout: 120 });
    world.socket.says({ event: 'acme:connection_established', data });
    const channel = world.client.subscribe('orders');
    await settled();
    expect(world.socket.taken()).toEqual([{ event: 'acme:subscribe', data: { channel: 'orders' } }]);
    world.socket.says({ event: 'acme_internal:subscription_succeeded', channel: 'orders', data: '{}' });
    expect(channel.state).toBe('subscribed');
    const heard: unknown[] = [];
    channel.on('change', ({ change }) => heard.push(change?.serial));
    const headers = {
      acme_action: 'message.update',
      acme_message_serial: 's1',
      acme_version_serial: 'v2',
    };
    world.socket.says({ event: 'acme:message.update', channel: 'orders', data: 'x', extras: { headers } });
    expect(heard).toEqual(['s1']);
  });
});
