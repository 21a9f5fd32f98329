import { expect, it } from 'vitest';
import { onEveryApp } from '../harness/every-app.js';
import { memberAdded, memberRemoved, presence, published, succeeded } from '../harness/frames.js';
import { expectError, expectNotSubscribed } from '../harness/refusals.js';
import { openTenant, tenant } from '../harness/tenant.js';

const LOBBY = 'presence-lobby';
const shop = openTenant('shop');
const pair = tenant('pair', { limits: { max_presence_members_per_channel: 2 } });
const slim = tenant('slim', { limits: { max_presence_member_size_in_kb: 1 } });

onEveryApp('a presence channel', { tenants: [shop, pair, slim] }, (node) => {
  it('shows its users in the order they joined, the joiner among them, and tells the others', async () => {
    const [ada, bo] = [await node.connect(), await node.connect()];
    expect(await ada.join(LOBBY, 'u-17', { name: 'Ada' })).toBe(
      succeeded(LOBBY, presence(['u-17', { name: 'Ada' }])),
    );
    expect(await bo.join(LOBBY, 'u-20')).toBe(
      succeeded(LOBBY, presence(['u-17', { name: 'Ada' }], ['u-20', {}])),
    );
    expect(await ada.pending()).toEqual([memberAdded(LOBBY, 'u-20', {})]);
    expect(await bo.pending()).toEqual([]);
    expect(await node.api().users(LOBBY)).toEqual(['u-17', 'u-20']);
    expect(await node.api().channel(LOBBY, 'user_count,subscription_count')).toEqual({
      occupied: true,
      user_count: 2,
      subscription_count: 2,
    });
  });

  it('counts a user once, whatever number of connections the user has', async () => {
    const channel = 'presence-desk';
    const [bo, first, second] = [await node.connect(), await node.connect(), await node.connect()];
    await bo.join(channel, 'u-20', { name: 'Bo' });
    await first.join(channel, 'u-17', { name: 'Ada' });
    expect(await second.join(channel, 'u-17', { name: 'Ada II' })).toBe(
      succeeded(channel, presence(['u-20', { name: 'Bo' }], ['u-17', { name: 'Ada II' }])),
    );
    expect(await bo.pending()).toEqual([memberAdded(channel, 'u-17', { name: 'Ada' })]);
    expect(await first.pending()).toEqual([]);
    expect(await node.api().channel(channel, 'user_count,subscription_count')).toEqual({
      occupied: true,
      user_count: 2,
      subscription_count: 3,
    });
    first.unsubscribe(channel);
    expect(await first.pending()).toEqual([]);
    expect(await bo.pending()).toEqual([]);
    second.unsubscribe(channel);
    expect(await bo.nextText()).toBe(memberRemoved(channel, 'u-17'));
    expect(await bo.pending()).toEqual([]);
    expect(await node.api().users(channel)).toEqual(['u-20']);
  });

  it.each(['unsubscribes', 'says goodbye', 'is gone without a word'])(
    'loses a user at once who %s',
    async (how) => {
      const channel = 'presence-exit';
      const [bo, ada] = [await node.connect(), await node.connect()];
      await bo.join(channel, 'u-20');
      await ada.join(channel, 'u-17');
      expect(await bo.nextText()).toBe(memberAdded(channel, 'u-17', {}));
      if (how === 'unsubscribes') ada.unsubscribe(channel);
      else if (how === 'says goodbye') await ada.close();
      else ada.vanish();
      expect(await bo.nextText()).toBe(memberRemoved(channel, 'u-17'));
    },
  );

  it('turns a numeric user id into its digits', async () => {
    const channel = 'presence-numbers';
    const [first, second] = [await node.connect(), await node.connect()];
    expect(await first.join(channel, 10)).toBe(succeeded(channel, presence(['10', {}])));
    expect(await second.join(channel, '10')).toBe(succeeded(channel, presence(['10', {}])));
    expect(await first.pending()).toEqual([]);
    expect(await node.api().users(channel)).toEqual(['10']);
  });

  it.each([
    ['no data', undefined],
    ['no JSON', 'not json'],
    ['no object', '"u-17"'],
    ['no user id', '{"user_info":{}}'],
    ['a null user id', '{"user_id":null}'],
    ['an object as user id', '{"user_id":{"id":1}}'],
    ['a switch as user id', '{"user_id":true}'],
  ])('refuses a member with %s by 4000, and the process lives on', async (_what, channelData) => {
    const client = await node.connect();
    client.askSigned('presence-nobody', channelData);
    await expectNotSubscribed(client, 'presence-nobody', 4000, 400);
    expect(await client.pending()).toEqual([]);
    expect(await node.api().users('presence-nobody')).toEqual([]);
  });

  it('takes who signed in for the member when the data says nothing', async () => {
    const channel = 'presence-known';
    const [ada, bo] = [await node.connect(), await node.connect()];
    await ada.signin('u-17', { user_info: { name: 'Ada' } });
    await bo.signin('u-20');
    ada.askSigned(channel);
    expect(await ada.nextText()).toBe(succeeded(channel, presence(['u-17', { name: 'Ada' }])));
    bo.askSigned(channel);
    expect(await bo.nextText()).toBe(succeeded(channel, presence(['u-17', { name: 'Ada' }], ['u-20', {}])));
  });

  it('answers a member who joins again with the members, and keeps what it knows', async () => {
    const channel = 'presence-again';
    const [bo, ada] = [await node.connect(), await node.connect()];
    await bo.join(channel, 'u-20');
    await ada.join(channel, 'u-17', { name: 'Ada' });
    await bo.pending();
    const members = succeeded(channel, presence(['u-20', {}], ['u-17', { name: 'Ada' }]));
    expect(await ada.join(channel, 'u-17', { name: 'Eve' })).toBe(members);
    ada.askSigned(channel, '{"user_id":"u-18"}');
    await expectNotSubscribed(ada, channel, 4009, 403);
    expect(await bo.pending()).toEqual([]);
    expect(await bo.join(channel, 'u-20')).toBe(members);
    expect(await node.api().subscriptionCount(channel)).toBe(2);
  });

  it('may know a connection under another user than the next channel does', async () => {
    const [client, watcher] = [await node.connect(), await node.connect()];
    await watcher.join('presence-one', 'w');
    await watcher.join('presence-two', 'w');
    await client.join('presence-one', 'u-17');
    await client.join('presence-two', 'u-20');
    expect(await watcher.pending()).toEqual([
      memberAdded('presence-one', 'u-17'),
      memberAdded('presence-two', 'u-20'),
    ]);
    await client.close();
    const removed = [await watcher.nextText(), await watcher.nextText()].sort();
    expect(removed).toEqual([memberRemoved('presence-one', 'u-17'), memberRemoved('presence-two', 'u-20')]);
  });

  it('admits no third user at a limit of two, but any connection of those two', async () => {
    const [ada, bo, eve, again] = await Promise.all([1, 2, 3, 4].map(() => node.connect(pair)));
    if (!ada || !bo || !eve || !again) throw new Error('four connections are needed');
    await ada.join(LOBBY, 'u-17');
    await bo.join(LOBBY, 'u-20');
    eve.askSigned(LOBBY, '{"user_id":"u-21"}');
    await expectNotSubscribed(eve, LOBBY, 4100, 503);
    expect(await again.join(LOBBY, 'u-17')).toBe(succeeded(LOBBY, presence(['u-17', {}], ['u-20', {}])));
    await bo.close();
    expect(await ada.nextText()).toBe(memberAdded(LOBBY, 'u-20'));
    expect(await ada.nextText()).toBe(memberRemoved(LOBBY, 'u-20'));
    await eve.join(LOBBY, 'u-21');
  });

  it('refuses what is told about a user beyond the size of the app', async () => {
    const client = await node.connect(slim);
    // With its quotes, exactly 1024 bytes.
    expect(await client.join(LOBBY, 'u-17', 'x'.repeat(1022))).toContain('succeeded');
    client.askSigned('presence-large', JSON.stringify({ user_id: 'u-17', user_info: 'x'.repeat(1023) }));
    await expectNotSubscribed(client, 'presence-large', 4300, 400);
    client.askSigned('presence-large', JSON.stringify({ user_id: 'u-17', user_info: 'é'.repeat(512) }));
    await expectNotSubscribed(client, 'presence-large', 4300, 400);
  });

  it('takes updates only on protocol 2', async () => {
    const [ada, bo] = [await node.connect(), await node.connect()];
    await ada.join('presence-update', 'u-17');
    await bo.join('presence-update', 'u-20');
    await ada.pending();
    const data = { channel: 'presence-update', data: { status: 'away' } };
    ada.send({ event: 'pusher:presence_update', data });
    await expectError(ada, 104_009, 'presence-update');
    expect(await bo.pending()).toEqual([]);
  });

  it('delivers what is published to it', async () => {
    const client = await node.connect();
    await client.join('presence-news', 'u-17');
    await node.api().publish('presence-news', 'tick', 'x');
    expect(await client.pending()).toEqual([published('presence-news', 'tick', 'x')]);
  });
});
