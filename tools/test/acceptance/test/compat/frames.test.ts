import { OPCODE } from '@carillon/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { post } from './ably.js';
import { keyOf, tokenRequest } from './key.js';
import { type AblyFrame, attach, RawAblies, type RawAbly } from './raw-ably.js';

const shop = openTenant('shop', { history: { enabled: true } });
const fleeting = openTenant('fleeting', { history: { enabled: false } });
const tiny = openTenant('tiny', { limits: { max_connections: 1 } });
const KEYS = [
  { app_id: 'shop', key_name: 'shop.orders', secret: '0rders', capability: '{"orders":["subscribe"]}' },
];
const config = { compat: { enabled: true, keys: KEYS } };
const env = {
  HISTORY_ENABLED: 'true',
  HISTORY_BACKEND: 'memory',
  PRESENCE_V2_UNGRACEFUL_TIMEOUT_SECONDS: '600',
};
const FLAG = { hasPresence: 1, hasBacklog: 2, resumed: 4 };
const MODE = { PRESENCE: 65_536, PUBLISH: 131_072, SUBSCRIBE: 262_144, PRESENCE_SUBSCRIBE: 524_288 };
const DEFAULT_MODES = 3_080_192;

/** An attach is refused with this code. */
async function refusedAttach(who: RawAbly, channel: unknown, code: number, more: object = {}) {
  who.send({ action: 10, channel, ...more });
  expect(await who.next()).toMatchObject({ action: 9, channel, error: { code } });
}

onServer('frames of Ably clients', { tenants: [shop, fleeting, tiny], config, env }, (node) => {
  const tokenFor = async (clientId: string, capability = '{"*":["*"]}'): Promise<string> => {
    const answer = await post(
      node.port,
      `/keys/${shop.key}/requestToken`,
      tokenRequest(shop, { clientId, capability }),
    );
    return ((await answer.json()) as { token: string }).token;
  };

  describe.each(['json', 'msgpack'] as const)('in %s', (format) => {
    const clients = new RawAblies(node, shop, format);
    afterEach(() => clients.close());

    it('connections are told what they need to know (15.1)', async () => {
      const { connected, id } = await clients.connect('&clientId=ada');
      expect(id).toMatch(/^\d+\.\d+$/);
      expect(connected['connectionDetails']).toEqual({
        clientId: 'ada',
        connectionKey: expect.stringMatching(/^[^:]+:[0-9a-f]{32}$/) as unknown,
        connectionStateTtl: 120_000,
        maxIdleInterval: 15_000,
        maxMessageSize: 65_536,
        maxFrameSize: 262_144,
        serverId: expect.stringMatching(/^[A-Za-z0-9._-]+$/) as unknown,
      });
      const nobody = await clients.connect();
      expect(nobody.connected['connectionDetails']).not.toHaveProperty('clientId');
      const anybody = await clients.socket(`access_token=${await tokenFor('*')}`);
      expect(await anybody.next()).toMatchObject({ action: 4, connectionDetails: { clientId: '*' } });
    });

    it('frames of another kind, or too large, end a connection (14.3, 15.1)', async () => {
      const { client: other } = await clients.connect();
      other.raw.sendFrame(format === 'json' ? OPCODE.binary : OPCODE.text, '{"action":0}');
      expect(await other.ended()).toEqual([
        { action: 9, error: expect.objectContaining({ code: 40_000, statusCode: 400 }) as unknown },
        1000,
      ]);
      const { client: large } = await clients.connect();
      large.send({ action: 15, channel: 'x', msgSerial: 0, messages: [{ data: 'x'.repeat(262_144) }] });
      expect(await large.ended()).toMatchObject([
        { action: 9, error: { code: 40_009, statusCode: 413 } },
        1000,
      ]);
    });

    it('who says goodbye is told so, and who is refused why, with a code for the close (13.2, 15.3)', async () => {
      const { client: done } = await clients.connect();
      done.send({ action: 7 });
      expect(await done.ended()).toEqual([{ action: 8 }, 1000]);
      const { client: away } = await clients.connect();
      away.send({ action: 5 });
      expect(await away.ended()).toEqual([{ action: 6 }, 1000]);
      const { client: first } = await clients.connect('', tiny);
      const second = await clients.socket(`key=${keyOf(tiny)}`);
      expect(await second.ended()).toMatchObject([
        { action: 6, error: { code: 50_004, statusCode: 503 } },
        4100,
      ]);
      expect(await first.rest()).toEqual([]);
    });

    it('a connection is come back to by its own client alone, by either word (15.4)', async () => {
      const { client, id, connectionKey } = await clients.connect('&clientId=ada');
      const bob = await clients.socket(`key=${keyOf(shop)}&clientId=bob&resume=${connectionKey}`);
      const foreign = await bob.next();
      expect(foreign).toMatchObject({ action: 4, error: { code: 80_011, statusCode: 400 } });
      expect(foreign['connectionId']).not.toBe(id);
      client.close();
      const back = await clients.connect(`&clientId=ada&recover=${connectionKey}`);
      expect(back.id).toBe(id);
      expect(back.connected).not.toHaveProperty('error');
      expect(back.connectionKey).not.toBe(connectionKey);
      // By versions of the protocol whose clients attach their channels anew.
      const old = await clients.connect(`&clientId=ada&v=1.2&resume=${back.connectionKey}`);
      expect(old.connected).toMatchObject({ error: { code: 80_008, statusCode: 400 } });
      expect(old.id).not.toBe(id);
      let { connectionKey: key } = back;
      for (const v of ['', '2', '6']) {
        const again = await clients.connect(`&clientId=ada&v=${v}&resume=${key}`);
        expect(again.id).toBe(id);
        key = again.connectionKey;
      }
    });

    it('another token gives another key, and one that is not good ends the connection (15.3)', async () => {
      const { client, id, connectionKey } = await clients.connect('&clientId=ada');
      await attach(client, `auth:${format}`);
      const auth = async (accessToken: unknown): Promise<void> =>
        client.send({ action: 17, auth: { accessToken } });
      await auth(await tokenFor('ada', `{"auth:${format}":["subscribe"]}`));
      const connected = await client.next();
      expect(connected).toMatchObject({ action: 4, connectionId: id });
      expect((connected['connectionDetails'] as AblyFrame)['connectionKey']).not.toBe(connectionKey);
      const reduced = await client.next();
      expect(reduced).toMatchObject({ action: 11, channel: `auth:${format}` });
      expect(reduced['flags']).toBe(MODE.SUBSCRIBE | MODE.PRESENCE_SUBSCRIBE | FLAG.resumed);
      // The key of before is no key any more.
      expect((await clients.connect(`&clientId=ada&resume=${connectionKey}`)).connected).toMatchObject({
        error: { code: 80_008 },
      });
      await auth(await tokenFor('ada', '{"other":["*"]}'));
      await client.next();
      expect(await client.next()).toMatchObject({
        action: 9,
        channel: `auth:${format}`,
        error: { code: 40_160, statusCode: 401 },
      });
      const anybody = await clients.socket(`access_token=${await tokenFor('*')}&clientId=bob`);
      expect(await anybody.next()).toMatchObject({ connectionDetails: { clientId: 'bob' } });
      anybody.send({ action: 17, auth: { accessToken: await tokenFor('*') } });
      expect(await anybody.next()).toMatchObject({ action: 4, connectionDetails: { clientId: 'bob' } });
      await auth(await tokenFor('bob'));
      expect(await client.ended()).toMatchObject([
        { action: 9, error: { code: 40_102, statusCode: 401 } },
        1000,
      ]);
      for (const [token, code] of [
        ['made-up', 40_143],
        [7, 40_000],
      ]) {
        const { client: wrong } = await clients.connect();
        wrong.send({ action: 17, auth: { accessToken: token } });
        expect(await wrong.ended()).toMatchObject([{ action: 9, error: { code } }, 1000]);
      }
    });

    it('a token that grants more shows who is there to who may be told from then on (15.3)', async () => {
      const channel = `more:${format}`;
      const { client: ada } = await clients.connect('&clientId=ada');
      await attach(ada, channel, { flags: MODE.PRESENCE });
      ada.send({ action: 14, channel, msgSerial: 0, presence: [{ action: 2, data: 'x' }] });
      await ada.until(1);
      const few = await tokenFor('bob', `{"${channel}":["publish"]}`);
      const bob = await clients.socket(`access_token=${few}`);
      await bob.next();
      expect((await attach(bob, channel))['flags']).toBe(MODE.PUBLISH);
      bob.send({ action: 17, auth: { accessToken: await tokenFor('bob') } });
      expect(await bob.next()).toMatchObject({ action: 4 });
      const flags = DEFAULT_MODES | FLAG.resumed | FLAG.hasPresence;
      expect(await bob.next()).toMatchObject({ action: 11, channel, flags });
      expect(await bob.next()).toMatchObject({ action: 16, channel, presence: [{ clientId: 'ada' }] });
      expect(await bob.rest()).toEqual([]);
    });

    it('attaching judges the name, then the params, then what is granted (16.1)', async () => {
      const { client } = await clients.connect();
      const few = await clients.socket('key=shop.orders:0rders');
      await few.next();
      for (const channel of ['', '[meta]x', ':x', '[filter=%%%]x', 'x'.repeat(2049)])
        await refusedAttach(client, channel, 40_010);
      const wrong = [
        { rewind: '0' },
        { rewind: '-1' },
        { rewind: '5d' },
        { rewind: { n: 1 } },
        { rewind: [1] },
        { delta: 'fossil' },
        { modes: 'subscribe,fly' },
      ];
      for (const params of wrong) {
        await refusedAttach(client, 'orders', 40_000, { params });
        await refusedAttach(few, 'none', 40_000, { params });
      }
      await refusedAttach(few, 'none', 40_160);
      await refusedAttach(few, 'orders', 40_160, { params: { modes: 'publish' } });
      await refusedAttach(few, 'orders', 40_160, { flags: MODE.PRESENCE });
      // Modes of what is not offered are none.
      await refusedAttach(client, 'orders', 40_160, { flags: 16_777_216 });
      await refusedAttach(client, 'orders', 40_160, { params: { modes: 'object_subscribe' } });
      const some = { modes: 'object_publish,subscribe', rewind: null };
      expect(await attach(client, 'some', { params: some })).toMatchObject({
        action: 11,
        flags: MODE.SUBSCRIBE,
        params: { modes: some.modes },
      });
      for (const channelSerial of ['', 'x', 7])
        expect(await attach(client, 'some', { channelSerial })).toMatchObject({
          action: 11,
          flags: DEFAULT_MODES,
          error: { code: 90_005, statusCode: 404 },
        });
      const attached = await attach(few, 'orders', {
        params: { modes: 'PRESENCE_Subscribe , publish', other: [] },
      });
      expect(attached).toMatchObject({ action: 11, flags: MODE.PRESENCE_SUBSCRIBE });
      expect(attached['params']).toEqual({ modes: 'PRESENCE_Subscribe , publish' });
      expect((await attach(client, 'orders'))['flags']).toBe(DEFAULT_MODES);
      const named = await attach(client, '[?rewind=1]named', { params: { rewind: 2 } });
      expect(named).toMatchObject({ channel: '[?rewind=1]named', params: { rewind: '2' } });
    });

    it('a channel without a history is not rewound (16.4)', async () => {
      const { client } = await clients.connect('', fleeting);
      client.send({ action: 10, channel: 'orders', params: { rewind: '1' } });
      expect(await client.next()).toMatchObject({ action: 9, channel: 'orders', error: { code: 40_000 } });
    });

    it('no more than 200 channels are attached (23)', async () => {
      const { client } = await clients.connect();
      for (let n = 0; n < 201; n += 1) client.send({ action: 10, channel: `many:${n}`, flags: MODE.PUBLISH });
      for (let n = 0; n < 200; n += 1) expect(await client.next()).toMatchObject({ action: 11 });
      expect(await client.next()).toMatchObject({ action: 9, channel: 'many:200', error: { code: 90_010 } });
    });
  });

  it('in a format that is not known are refused before the upgrade (13.1)', async () => {
    const { answer } = await node.upgrade(`/?key=${keyOf(shop)}&format=xml`);
    expect([answer.status, answer.headers['x-ably-errorcode']]).toEqual([400, '40000']);
  });
});
