import { describe, expect, it } from 'vitest';
import { onServer, onServerAtOnce } from '../harness/every-app.js';
import { published, signinSuccess } from '../harness/frames.js';
import { expectClosed, expectError, expectNotSubscribed } from '../harness/refusals.js';
import { userAuth } from '../harness/signatures.js';
import { openTenant, tenant } from '../harness/tenant.js';

const USER = '{"id":"u-17","watchlist":["u-20","u-21"]}';
const shop = openTenant('shop', { features: { enable_watchlist_events: false } });
const closed = tenant('closed');

describe('the signature of a sign-in', () => {
  it('is that of the specification', () => {
    const credentials = { key: 'app-key-7f3c', secret: 's3cr3t-for-docs-only' };
    expect(userAuth(credentials, '218734.4410928', USER)).toBe(
      'app-key-7f3c:8f37f1efd66f5c6a49615ab3dee5bbdb486b9e9c450d4002eaa0cd833c54bd6d',
    );
  });
});

onServer('a sign-in', { tenants: [shop, closed] }, (node) => {
  it.each([USER, `  {"id" : "u-17",\n"user_info":{"näme":"Ada"},"other":[1]} `])(
    'is answered with its user data unchanged: %j',
    async (userData) => {
      const client = await node.connect();
      client.askSignin(userData);
      expect(await client.nextText()).toBe(signinSuccess(userData));
      expect(await client.pending()).toEqual([]);
    },
  );

  it('may bring the bare signature, or its data as the JSON of an object in a string', async () => {
    const client = await node.connect();
    const auth = userAuth(shop, client.socketId, USER);
    client.askSignin(USER, auth.slice(auth.indexOf(':') + 1));
    expect(await client.nextText()).toBe(signinSuccess(USER));
    client.send({ event: 'pusher:signin', data: JSON.stringify({ auth, user_data: USER }) });
    expect(await client.nextText()).toBe(signinSuccess(USER));
  });

  it.each([
    'not json',
    '[]',
    '"u-17"',
    'null',
    '{}',
    '{"id":""}',
    '{"id":17}',
    '{"id":null}',
    '{"watchlist":["u-20"]}',
    '{"id":"u-17","capabilities":{"fly":["*"]}}',
    '{"id":"u-17","capabilities":"subscribe"}',
  ])('as %j is refused with 4009', async (userData) => {
    const client = await node.connect();
    client.askSignin(userData);
    await expectError(client, 4009);
    expect(await client.pending()).toEqual([]);
  });

  it('signed wrongly is refused with 4009', async () => {
    const client = await node.connect();
    const right = userAuth(shop, client.socketId, USER);
    for (const auth of [
      '',
      'wrong',
      right.slice(0, -1),
      `${right}0`,
      ` ${right}`,
      right.replace(shop.key, closed.key),
      userAuth(shop, '1.1', USER),
      userAuth(closed, client.socketId, USER),
      userAuth(shop, client.socketId, '{"id":"u-18"}'),
    ]) {
      client.askSignin(USER, auth);
      await expectError(client, 4009);
    }
    expect(await client.pending()).toEqual([]);
  });

  it.each([{ auth: 'x' }, { user_data: USER }, { auth: null, user_data: null }, {}])(
    'with only %j is refused with 4009',
    async (data) => {
      const client = await node.connect();
      client.send({ event: 'pusher:signin', data });
      await expectError(client, 4009);
    },
  );

  it('to an app without it is refused with 4009', async () => {
    const client = await node.connect(closed);
    client.askSignin(USER);
    await expectError(client, 4009);
  });

  it('replaces an earlier one when it succeeds, and only then', async () => {
    const client = await node.connect();
    await client.signin('u-17');
    client.askSignin('{"id":"u-20"}', 'wrong');
    await expectError(client, 4009);
    await node.api().publish('#server-to-user-u-17', 'note', 'still');
    expect(await client.pending()).toEqual([published('#server-to-user-u-17', 'note', 'still')]);
    await client.signin('u-20');
    await node.api().publish('#server-to-user-u-17', 'note', 'no more');
    await node.api().publish('#server-to-user-u-20', 'note', 'now');
    expect(await client.pending()).toEqual([published('#server-to-user-u-20', 'note', 'now')]);
  });

  it('is no way to bring or renew a capability token, which needs protocol 2', async () => {
    const client = await node.connect();
    client.send({ event: 'pusher:auth', data: { token: 'eyJ' } });
    await expectError(client, 4009);
    expect(await client.pending()).toEqual([]);
  });
});

onServerAtOnce(
  'a connection to an app that wants users',
  { tenants: [shop, closed], env: { USER_AUTHENTICATION_TIMEOUT: '1' } },
  (node) => {
    it('is closed 4009 in time, unless it has proved something', async () => {
      const [signedIn, subscribed, joined, elsewhere] = [
        await node.connect(),
        await node.connect(),
        await node.connect(),
        await node.connect(closed),
      ];
      await signedIn.signin('u-17');
      await subscribed.subscribe('private-orders');
      await joined.join('presence-lobby', 'u-20');
      const [silent, open, refused] = [await node.connect(), await node.connect(), await node.connect()];
      await open.subscribe('orders');
      refused.ask('private-orders', { auth: 'wrong' });
      await expectNotSubscribed(refused, 'private-orders', 4009, 401);
      refused.askSignin(USER, 'wrong');
      await expectError(refused, 4009);
      for (const client of [silent, open, refused])
        await expectClosed(client, 4009, 'Connection not authorized within timeout.');
      // Those were connected earlier: their time would have been up before.
      for (const client of [signedIn, subscribed, joined, elsewhere])
        expect(await client.pending()).toEqual([]);
    });
  },
);
