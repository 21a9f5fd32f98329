import { describe, expect, it } from 'vitest';
import { expectRefused } from '../harness/answers.js';
import type { Client } from '../harness/client.js';
import { onServer } from '../harness/every-app.js';
import { presence, published, succeeded } from '../harness/frames.js';
import { expectError, expectNotSubscribed } from '../harness/refusals.js';
import { openTenant, tenant } from '../harness/tenant.js';

const plain = tenant('plain');
const spaced = openTenant('spaced', {
  channels: {
    channel_namespaces: [
      {
        name: 'chat',
        channel_name_pattern: '^chat:[a-z0-9-]+$',
        max_channel_name_length: 40,
        allow_user_limited_channels: true,
      },
      { name: 'free' },
      { name: 'mute', allow_publish_for_client: false },
      { name: 'shut', allow_subscribe_for_client: false },
      { name: 'crowd', allow_presence_for_client: false },
    ],
  },
});

onServer('the namespace of a channel', { tenants: [spaced, plain] }, (node) => {
  it('is nothing special in an app that has none', async () => {
    const client = await node.connect(plain);
    for (const channel of ['other:1', 'chat:room', 'a:b:c', 'private-other:1'])
      expect(await client.subscribe(channel)).toBe(succeeded(channel));
    expect(await client.join('presence-other:1', 'u-17')).toBe(
      succeeded('presence-other:1', presence(['u-17', {}])),
    );
  });

  it('is nothing special over HTTP in an app that has none, and must be known in one that has some', async () => {
    const client = await node.connect(plain);
    await client.subscribe('room:1');
    await node.api(plain).publish('room:1', 'e', 'x');
    expect(await client.pending()).toEqual([published('room:1', 'e', 'x')]);
    expect(await node.api(plain).subscriptionCount('room:1')).toBe(1);
    const body = JSON.stringify({ name: 'e', channel: 'room:1' });
    await expectRefused(node.api(spaced).request('POST', '/events', { body }), 400, 'invalid_input');
  });

  it.each([
    'chat:room',
    'chat:room-2',
    'free:A:b',
    'no-namespace',
    'private-chat:room',
    'private-encrypted-free:x',
  ])('lets %s be subscribed to', async (channel) => {
    const client = await node.connect();
    expect(await client.subscribe(channel)).toBe(succeeded(channel));
  });

  it.each([
    'other:1',
    'Chat:room',
    'private-other:1',
    'presence-other:1',
    'cache-other:1',
    'chat:ROOM',
    'chat:room:2',
    'private-chat:ROOM',
    `chat:${'x'.repeat(36)}`,
    'free:r#alice',
    'no-namespace#alice',
    'chat:r#',
    'chat:r#alice#bob',
    'chat:r#alice,,bob',
    'chat:#alice',
    'chat:r#al;ice',
  ])('refuses %s with 4300', async (channel) => {
    const client = await node.connect();
    await client.signin('alice');
    client.askSigned(channel, channel.startsWith('presence-') ? '{"user_id":"alice"}' : undefined);
    await expectNotSubscribed(client, channel, 4300, 400);
    expect(await client.pending()).toEqual([]);
  });

  it('allows names up to its own length', async () => {
    const client = await node.connect();
    const longest = `chat:${'x'.repeat(35)}`;
    expect(await client.subscribe(longest)).toBe(succeeded(longest));
  });

  it('may keep clients from subscribing, before their signature is judged', async () => {
    const client = await node.connect();
    client.ask('shut:x');
    await expectNotSubscribed(client, 'shut:x', 4009, 403);
    client.ask('private-shut:x', { auth: 'wrong' });
    await expectNotSubscribed(client, 'private-shut:x', 4009, 403);
    client.ask('private-shut:x');
    await expectNotSubscribed(client, 'private-shut:x', 4009, 401);
  });

  it('may keep clients from joining as members', async () => {
    const client = await node.connect();
    client.askSigned('presence-crowd:x', '{"user_id":"u-17"}');
    await expectNotSubscribed(client, 'presence-crowd:x', 4009, 403);
    expect(await client.subscribe('crowd:x')).toBe(succeeded('crowd:x'));
  });

  it('may keep clients from sending events', async () => {
    const [sender, receiver] = [await node.connect(), await node.connect()];
    await sender.subscribe('private-mute:x');
    await receiver.subscribe('private-mute:x');
    sender.send({ event: 'client-typing', channel: 'private-mute:x', data: {} });
    await expectError(sender, 4009, 'private-mute:x');
    expect(await receiver.pending()).toEqual([]);
  });
});

onServer('a channel for some users only', { tenants: [spaced] }, (node) => {
  const connectAs = async (user: string): Promise<Client> => {
    const client = await node.connect();
    await client.signin(user);
    return client;
  };

  it('admits who is listed', async () => {
    for (const [user, channel] of [
      ['alice', 'chat:r#alice'],
      ['bob', 'chat:r#alice,bob'],
      ['a.b=c@d_e-1', 'chat:r#a.b=c@d_e-1'],
    ] as const) {
      const client = await connectAs(user);
      expect(await client.subscribe(channel)).toBe(succeeded(channel));
    }
  });

  it('refuses everybody else with 4009', async () => {
    for (const client of [await connectAs('bob'), await connectAs('alic'), await node.connect()]) {
      client.ask('chat:r#alice');
      await expectNotSubscribed(client, 'chat:r#alice', 4009, 403);
    }
  });

  it('knows a user from a presence channel too', async () => {
    const client = await node.connect();
    await client.join('presence-free:x', 'alice');
    expect(await client.subscribe('chat:r#alice')).toBe(succeeded('chat:r#alice'));
  });

  it('prefers the user who signed in to the one who joined', async () => {
    const client = await connectAs('bob');
    await client.join('presence-free:x', 'alice');
    client.ask('chat:r#alice');
    await expectNotSubscribed(client, 'chat:r#alice', 4009, 403);
  });

  describe('that needs a signature', () => {
    it('needs both, and asks for a signature, then the user, then whether the signature is valid', async () => {
      const channel = 'private-chat:r#alice';
      const [alice, bob] = [await connectAs('alice'), await connectAs('bob')];
      bob.ask(channel);
      await expectNotSubscribed(bob, channel, 4009, 401);
      bob.ask(channel, { auth: 'wrong' });
      await expectNotSubscribed(bob, channel, 4009, 403);
      bob.askSigned(channel);
      await expectNotSubscribed(bob, channel, 4009, 403);
      alice.ask(channel, { auth: 'wrong' });
      await expectNotSubscribed(alice, channel, 4009, 401);
      expect(await alice.subscribe(channel)).toBe(succeeded(channel));
    });

    it('keeps a client event from whoever is no longer that user', async () => {
      const channel = 'private-chat:r#alice';
      const [alice, other] = [await connectAs('alice'), await connectAs('alice')];
      await alice.subscribe(channel);
      await other.subscribe(channel);
      await alice.signin('bob');
      alice.send({ event: 'client-typing', channel, data: {} });
      await expectError(alice, 4009, channel);
      expect(await other.pending()).toEqual([]);
    });
  });

  it('is published to as any other', async () => {
    const alice = await connectAs('alice');
    await alice.subscribe('chat:r#alice');
    await node.api().publish('chat:r#alice', 'tick', 'x');
    expect(await alice.pending()).toEqual([published('chat:r#alice', 'tick', 'x')]);
  });
});
