import { engine, whyMissing } from '@carillon/test-backends';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { onServerHttp } from '../harness/every-app.js';
import { published } from '../harness/frames.js';
import { openTenant } from '../harness/tenant.js';
import { type CallOptions, callLibrary, optionsFor } from './driven.js';
import { Inbox } from './inbox.js';
import { PusherClient } from './libraries.js';

const shop = openTenant('shop', { features: { enable_watchlist_events: false } });
/** Every punctuation mark that a channel's name may have: this library sends them all as they are. */
const MARKS = 'presence-a=b@c,d.e;f_g-h';
const ENCRYPTED = {
  encryption_master_key_base64: Buffer.from('carillon acceptance master key!!').toString('base64'),
};

/** How this library tells what the service answered. */
const refused = (status: number, error: string, code: string): string =>
  `Status Code: ${status} - ${JSON.stringify({ error, code, status })}`;

describe.runIf(whyMissing('pusher-go') === null)('with Go', () => {
  onServerHttp('the pusher server library', { tenants: [shop] }, (node) => {
    let url: string;
    const browsers: PusherClient[] = [];
    beforeAll(async () => {
      ({ url } = await engine('pusher-go'));
    });
    afterEach(() => {
      for (const browser of browsers.splice(0)) browser.disconnect();
    });

    /** Calls the library where it would be configured to publish, or as the options say. */
    const call = (method: string, given: unknown[], { port = node.apiPort, ...more }: CallOptions = {}) =>
      callLibrary(url, { ...optionsFor(shop, port), ...more }, method, given);
    /** Calls it where live sockets are known. */
    const ask = (method: string, ...given: unknown[]) => call(method, given, { port: node.port });
    /** What a client is to send, signed by the library for a request as a browser makes it. */
    const sign = async (method: string, form: Record<string, string>, ...more: unknown[]) =>
      (await call(method, [new URLSearchParams(form).toString(), ...more], ENCRYPTED)) as { auth: string };

    it('triggers an event on several channels, past one connection', async () => {
      const [client, cause] = [await node.connect(), await node.connect()];
      for (const channel of ['one', 'two']) await client.subscribe(channel);
      await cause.subscribe('one');
      const event = ['tick', { text: 'é "quoted" <b>' }, { SocketID: cause.socketId }];
      expect(await call('TriggerMultiWithParams', [['one', 'two'], ...event])).toEqual({ channels: null });
      // Go writes the JSON that it sends as a string so that a page could hold it.
      const data = '{"text":"é \\"quoted\\" \\u003cb\\u003e"}';
      expect((await client.pending()).sort()).toEqual(
        [published('one', 'tick', data), published('two', 'tick', data)].sort(),
      );
      expect(await cause.pending()).toEqual([]);
    });

    it('triggers a batch in its order', async () => {
      const client = await node.connect();
      await client.subscribe('one');
      const batch = [
        { Channel: 'one', Name: 'tick', Data: 'text' },
        { Channel: 'one', Name: 'tock', Data: { n: 1.5 } },
      ];
      expect(await call('TriggerBatch', [batch])).toEqual({ batch: null });
      expect(await client.pending()).toEqual([
        published('one', 'tick', 'text'),
        published('one', 'tock', '{"n":1.5}'),
      ]);
    });

    it('is told counts with what it triggers', async () => {
      const [ada, bo] = [await node.connect(), await node.connect(shop, { gateway: 2 })];
      for (const client of [ada, bo]) await client.join('presence-desk', 'ada');
      const info = { Info: 'subscription_count,user_count' };
      const counts = { subscription_count: 2, user_count: 1 };
      expect(await ask('TriggerMultiWithParams', ['presence-desk', 'empty'], 'tick', 'x', info)).toEqual({
        channels: { 'presence-desk': counts, empty: { subscription_count: 0 } },
      });
      const event = { Channel: 'presence-desk', Name: 'tick', Data: 'x' };
      expect(await ask('TriggerBatch', [event, { ...event, ...info }])).toEqual({ batch: [{}, counts] });
    });

    it('reads which channels are occupied, one channel, and its users', async () => {
      const [ada, again, bo] = [await node.connect(), await node.connect(), await node.connect()];
      const elsewhere = await node.connect(shop, { gateway: 2 });
      for (const client of [ada, elsewhere]) await client.subscribe('desk-news');
      await ada.join(MARKS, 'ada');
      await again.join(MARKS, 'ada');
      await bo.join(MARKS, 7);
      expect(await ask('Channels', { FilterByPrefix: MARKS.slice(0, -1), Info: 'user_count' })).toEqual({
        channels: { [MARKS]: { user_count: 2 } },
      });
      expect(await ask('Channels', {})).toEqual({
        channels: { [MARKS]: { user_count: 0 }, 'desk-news': { user_count: 0 } },
      });
      expect(await ask('Channel', MARKS, { Info: 'user_count,subscription_count' })).toEqual({
        Name: MARKS,
        occupied: true,
        user_count: 2,
        subscription_count: 3,
      });
      expect(await ask('Channel', 'desk-news', { Info: 'subscription_count' })).toEqual({
        Name: 'desk-news',
        occupied: true,
        subscription_count: 2,
      });
      expect(await ask('Channel', 'nobody', {})).toEqual({ Name: 'nobody' });
      const { users } = (await ask('GetChannelUsers', MARKS)) as { users: { id: string }[] };
      expect(users.map(({ id }) => id).sort()).toEqual(['7', 'ada']);
    });

    it('signs channels, members and users that the service accepts', async () => {
      const client = await node.connect();
      const socket = { socket_id: client.socketId };
      const form = { channel_name: 'private-x', ...socket };
      client.ask('private-x', await sign('AuthorizePrivateChannel', form));
      expect((await client.next()).event).toBe('pusher_internal:subscription_succeeded');
      const member = { user_id: 'ada', user_info: { name: 'Ada & <Bo>' } };
      const presence = { channel_name: MARKS, ...socket };
      client.ask(MARKS, await sign('AuthorizePresenceChannel', presence, member));
      const { data } = await client.next();
      expect(JSON.parse(String(data))).toEqual({
        presence: { ids: ['ada'], hash: { ada: member.user_info }, count: 1 },
      });
      const user = await sign('AuthenticateUser', socket, { id: 'u-17', user_info: { name: 'Ada' } });
      client.send({ event: 'pusher:signin', data: user });
      expect((await client.next()).event).toBe('pusher:signin_success');
    });

    it('signs for one connection and one channel only', async () => {
      const [client, other] = [await node.connect(), await node.connect()];
      const form = { socket_id: other.socketId, channel_name: 'private-x' };
      client.ask('private-x', await sign('AuthorizePrivateChannel', form));
      expect((await client.next()).event).toBe('pusher:error');
      other.ask('private-y', await sign('AuthorizePrivateChannel', form));
      expect((await other.next()).event).toBe('pusher:error');
    });

    it('sends to a user', async () => {
      const [client, other] = [await node.connect(), await node.connect()];
      await client.signin('u-17');
      await other.signin('u-18');
      expect(await call('SendToUser', ['u-17', 'note', 'x'])).toBeNull();
      expect(await client.pending()).toEqual([published('#server-to-user-u-17', 'note', 'x')]);
      expect(await other.pending()).toEqual([]);
    });

    it('encrypts what only a browser with the channel’s secret can read', async () => {
      const channel = 'private-encrypted-vault';
      const wire = await node.connect();
      await wire.subscribe(channel);
      let signed = { auth: '' };
      const browser = new PusherClient(shop.key, {
        cluster: 'none',
        wsHost: '127.0.0.1',
        wsPort: node.port,
        forceTLS: false,
        enabledTransports: ['ws'],
        channelAuthorization: {
          transport: 'ajax',
          endpoint: '',
          customHandler: (_, done) => done(null, signed),
        },
      });
      browsers.push(browser);
      const [connected, subscribed, secrets] = [
        new Inbox<unknown>(),
        new Inbox<unknown>(),
        new Inbox<unknown>(),
      ];
      browser.connection.bind('connected', connected.put);
      await connected.take();
      const form = { socket_id: browser.connection.socket_id, channel_name: channel };
      signed = await sign('AuthorizePrivateChannel', form);
      browser
        .subscribe(channel)
        .bind('pusher:subscription_succeeded', subscribed.put)
        .bind('gold', secrets.put);
      await subscribed.take();
      await call('Trigger', [channel, 'gold', { text: 'plain-words é' }], ENCRYPTED);
      expect(await secrets.take()).toEqual({ text: 'plain-words é' });
      const [frame = ''] = await wire.pending();
      const { data } = JSON.parse(frame) as { data: string };
      expect(Object.keys(JSON.parse(data) as object).sort()).toEqual(['ciphertext', 'nonce']);
      expect(data).not.toContain('plain-words');
    });

    it('is told what it did wrong, in the words of the service', async () => {
      const unsigned = refused(401, 'auth_signature does not match', 'auth_failed');
      const forged = { secret: `${shop.secret}x` };
      await expect(call('Trigger', ['a', 'tick', 'x'], forged)).rejects.toThrow(unsigned);
      await expect(call('Channels', [{}], { ...forged, port: node.port })).rejects.toThrow(unsigned);
      const nameless = refused(400, 'name must not be empty', 'invalid_input');
      await expect(call('Trigger', ['a', '', 'x'])).rejects.toThrow(nameless);
      const batch = ['tick', ''].map((Name) => ({ Channel: 'a', Name, Data: 'x' }));
      await expect(call('TriggerBatch', [batch])).rejects.toThrow(
        refused(400, 'batch[1]: name must not be empty', 'invalid_input'),
      );
      await expect(ask('GetChannelUsers', 'desk-news')).rejects.toThrow(
        refused(400, 'users are known of presence channels only', 'invalid_input'),
      );
    });
  });
});
