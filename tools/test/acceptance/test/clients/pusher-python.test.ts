import { engine, whyMissing } from '@carillon/test-backends';
import { beforeAll, describe, expect, it } from 'vitest';
import { onServerHttp } from '../harness/every-app.js';
import { published } from '../harness/frames.js';
import { openTenant } from '../harness/tenant.js';
import { type CallOptions, callLibrary, optionsFor } from './driven.js';

/** This library knows app ids of digits only. */
const shop = openTenant('1042', { features: { enable_watchlist_events: false } });

describe.runIf(whyMissing('pusher-python') === null)('with Python', () => {
  onServerHttp('the pusher server library', { tenants: [shop] }, (node) => {
    let url: string;
    beforeAll(async () => {
      ({ url } = await engine('pusher-python'));
    });

    /** Calls the library; absent port: where it would be configured to publish. */
    const call = (method: string, given: object, { port = node.apiPort, ...more }: CallOptions = {}) =>
      callLibrary(url, { ...optionsFor(shop, port), ...more }, method, given);

    it('triggers an event on several channels, past one connection, and in a batch', async () => {
      const [client, cause] = [await node.connect(), await node.connect()];
      for (const channel of ['one', 'two']) await client.subscribe(channel);
      await cause.subscribe('one');
      const event = { event_name: 'tick', data: { text: 'é "quoted"' }, socket_id: cause.socketId };
      expect(await call('trigger', { channels: ['one', 'two'], ...event })).toEqual({ ok: true });
      expect(
        await call('trigger_batch', { batch: [{ channel: 'two', name: 'tock', data: 'text' }] }),
      ).toEqual({});
      const frames = (await client.pending()).map((text) => JSON.parse(text) as { data: string });
      // Python spaces the JSON that it sends as a string.
      const data = '{"text": "é \\"quoted\\""}';
      expect(frames.map(({ data: one }) => one).sort()).toEqual([data, data, 'text'].sort());
      expect(await cause.pending()).toEqual([]);
    });

    it('reads channels, with the MD5 of nothing in every GET', async () => {
      const client = await node.connect();
      await client.subscribe('read-by-python');
      const { channels } = (await call('channels_info', {}, { port: node.port })) as { channels: object };
      expect(channels).toHaveProperty('read-by-python');
    });

    it('signs channels and users that the service accepts', async () => {
      const client = await node.connect();
      const socket = { socket_id: client.socketId };
      const auth = (await call('authenticate', { channel: 'private-x', ...socket })) as { auth: string };
      client.ask('private-x', auth);
      expect((await client.next()).event).toBe('pusher_internal:subscription_succeeded');
      const member = { channel: 'presence-x', ...socket, custom_data: { user_id: 'ada', user_info: {} } };
      client.ask('presence-x', (await call('authenticate', member)) as { auth: string });
      expect((await client.next()).event).toBe('pusher_internal:subscription_succeeded');
    });

    it('sends to a user', async () => {
      const client = await node.connect();
      await client.signin('u-17');
      await call('send_to_user', { user_id: 'u-17', event_name: 'note', data: 'x' });
      expect(await client.pending()).toEqual([published('#server-to-user-u-17', 'note', 'x')]);
    });

    it('is told what it did wrong', async () => {
      const given = { channels: ['a'], event_name: 'tick', data: 'x' };
      await expect(call('trigger', given, { secret: 'wrong' })).rejects.toThrow(
        'auth_signature does not match',
      );
      await expect(call('trigger', { ...given, socket_id: '1.2', event_name: '' })).rejects.toThrow(
        'PusherBadRequest',
      );
    });
  });
});
