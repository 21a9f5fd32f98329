import { afterEach, describe, expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { attach, RawAblies } from './raw-ably.js';

const shop = openTenant('shop', { history: { enabled: true } });
const env = {
  HISTORY_ENABLED: 'true',
  HISTORY_BACKEND: 'memory',
  PRESENCE_V2_UNGRACEFUL_TIMEOUT_SECONDS: '600',
};
const FLAG = { hasPresence: 1, hasBacklog: 2, resumed: 4 };
const MODE = { PRESENCE: 65_536, PUBLISH: 131_072, SUBSCRIBE: 262_144, PRESENCE_SUBSCRIBE: 524_288 };
const DEFAULT_MODES = 3_080_192;

const enter = (channel: string, msgSerial: number, member: object): object => ({
  action: 14,
  channel,
  msgSerial,
  presence: [member],
});

onServer(
  'what Ably clients say on channels',
  { tenants: [shop], config: { compat: { enabled: true } }, env },
  (node) => {
    describe.each(['json', 'msgpack'] as const)('in %s', (format) => {
      const clients = new RawAblies(node, shop, format);
      afterEach(() => clients.close());

      it('an attached channel is attached again with what is asked for then, and detached as often as wanted (16.1, 16.5)', async () => {
        const channel = `twice:${format}`;
        const { client } = await clients.connect('&clientId=ada');
        const watching = (await clients.connect()).client;
        await attach(watching, channel, { flags: MODE.PRESENCE_SUBSCRIBE });
        client.send({ action: 15, channel, msgSerial: 0, messages: [{ data: 'a' }, { data: 'b' }] });
        await client.next();
        const rewind = { params: { rewind: '1' } };
        const first = await attach(client, channel, rewind);
        expect((first['flags'] as number) & FLAG.hasBacklog).toBe(FLAG.hasBacklog);
        expect(await client.next()).toMatchObject({ action: 15, messages: [{ data: 'b' }] });
        client.send(enter(channel, 1, { action: 2, data: 'here' }));
        expect(await watching.next()).toMatchObject({
          action: 14,
          presence: [{ action: 2, clientId: 'ada' }],
        });
        await client.until(1);
        // The same value does not show the past again.
        expect((await attach(client, channel, rewind))['flags']).toBe(DEFAULT_MODES | FLAG.hasPresence);
        expect(await client.next()).toMatchObject({
          action: 16,
          channel,
          presence: [{ action: 1, data: 'here' }],
        });
        // Who may not be a member any more leaves.
        expect(await attach(client, channel, { flags: MODE.SUBSCRIBE })).toMatchObject({
          flags: MODE.SUBSCRIBE,
        });
        expect(await watching.next()).toMatchObject({
          presence: [{ action: 3, clientId: 'ada', data: 'here' }],
        });
        client.send(enter(channel, 2, { action: 2 }));
        expect(await client.next()).toMatchObject({ action: 2, msgSerial: 2, error: { code: 40_160 } });
        for (const again of [channel, channel, 'never']) {
          client.send({ action: 12, channel: again });
          expect(await client.next()).toEqual({ action: 13, channel: again });
        }
        expect(await client.rest()).toEqual([]);
      });

      it('who takes differences is told nothing twice for wanting more, and all again for asking the same (16.1, 20.1)', async () => {
        const channel = `differences:${format}`;
        const [{ client }, { client: other }] = [await clients.connect(), await clients.connect()];
        const params = { delta: 'vcdiff' };
        const { channelSerial } = await attach(client, channel, { params });
        other.send({ action: 15, channel, msgSerial: 0, messages: [{ data: 'a' }] });
        const told = await client.next();
        expect(told).toMatchObject({ action: 15, messages: [{ data: 'a' }] });
        // That one was on its way as these were asked for.
        const more = { params: { ...params, echo: 'true' }, channelSerial };
        const isThere = { action: 11, channelSerial: told['channelSerial'] };
        expect(await attach(client, channel, more)).toMatchObject(isThere);
        expect(await client.rest()).toEqual([]);
        expect(await attach(client, channel, more)).toMatchObject(isThere);
        expect(await client.rest()).toEqual([told]);
      });

      it('publishes are judged whole, and answered with the reason (17)', async () => {
        const channel = `judged:${format}`;
        const { client, id } = await clients.connect('&clientId=ada');
        const watching = (await clients.connect()).client;
        await attach(watching, channel);
        let msgSerial = 0;
        const refused = async (messages: unknown, code: number, more: object = {}) => {
          client.send({ action: 15, channel, msgSerial, messages, ...more });
          expect(await client.next()).toMatchObject({ action: 2, msgSerial, count: 1, error: { code } });
          msgSerial += 1;
        };
        const good = { data: 'good' };
        await refused([good, { data: 'x', connectionId: '1.1' }], 40_000);
        await refused([good], 40_000, { connectionId: '1.1' });
        await refused([good, { data: 'x', clientId: 'bob' }], 40_012);
        await refused([good, { data: { n: 1 }, encoding: 'utf-8' }], 40_013);
        await refused([good, { data: 'x', extras: { unknown: 1 } }], 40_032);
        await refused([good, { data: 'x'.repeat(70_000) }], 40_009);
        await refused([good, { data: 'x', timestamp: 1 }], 40_000);
        await refused(
          [
            { id: 'x:1', data: 'a' },
            { id: 'x:0', data: 'b' },
          ],
          40_031,
        );
        await refused([], 40_000);
        await refused('no list', 40_000);
        await refused([good], 40_010, { channel: '[filter=bmFtZSA9PSBgInRpY2siYA==]x' });
        client.send({ action: 19, channel, msgSerial, state: [] });
        expect(await client.next()).toMatchObject({ action: 2, msgSerial, error: { code: 40_000 } });
        msgSerial += 1;
        client.send({ action: 15, channel, msgSerial, messages: [good, { name: 'n', connectionId: id }] });
        const ids = [0, 1].map((index) => `${id}:${msgSerial}:${index}`);
        expect(await client.next()).toEqual({ action: 1, msgSerial, count: 1, res: [{ serials: ids }] });
        const told = await watching.next();
        expect(told).toMatchObject({
          action: 15,
          channel,
          channelSerial: expect.stringMatching(/^[^:]+:\d+$/) as unknown,
          timestamp: expect.any(Number) as unknown,
          messages: [{ id: ids[0], data: 'good', clientId: 'ada', connectionId: id }],
        });
        expect(await watching.next()).toMatchObject({ messages: [{ id: ids[1], name: 'n' }] });
        // A frame with an id names what in it has none.
        client.send({ action: 15, channel, msgSerial: msgSerial + 1, id: 'own', messages: [good, good] });
        expect(await client.next()).toMatchObject({ action: 1, res: [{ serials: ['own:0', 'own:1'] }] });
        for (const messageId of ['own:0', 'own:1'])
          expect(await watching.next()).toMatchObject({ messages: [{ id: messageId, connectionId: id }] });
        expect(await watching.rest()).toEqual([]);
      });

      it('members are told of with what they said, and to themselves always (18.1)', async () => {
        const channel = `members:${format}`;
        const { client, id } = await clients.connect('&clientId=ada');
        const watching = (await clients.connect()).client;
        await attach(watching, channel);
        await attach(client, channel, { flags: MODE.PRESENCE });
        const extras = { headers: { k: 'v' } };
        const said = [
          [
            { action: 4, data: 'x', extras },
            { action: 2, data: 'x', extras },
          ],
          [
            { action: 1, data: 'y' },
            { action: 4, data: 'y' },
          ],
          [{ action: 0 }, { action: 3, data: 'y' }],
        ] as const;
        for (const [msgSerial, [one, told]] of said.entries()) {
          client.send(enter(channel, msgSerial, one));
          const seen = { clientId: 'ada', connectionId: id, ...told };
          for (const who of [client, watching])
            expect(await who.until(14)).toMatchObject({ channel, presence: [seen] });
          // It leaves as it was at last.
          if (msgSerial === 0) expect(await client.next()).toEqual({ action: 1, msgSerial, count: 1 });
          else await client.until(1);
        }
        client.send(enter(channel, 3, { action: 3 }));
        expect(await client.next()).toEqual({ action: 1, msgSerial: 3, count: 1 });
        for (const [msgSerial, member, code] of [
          [4, { action: 5 }, 40_000],
          [5, { action: 2, clientId: 'bob' }, 40_012],
          [6, { action: 2, data: 'x'.repeat(70_000) }, 40_009],
        ] as const) {
          client.send(enter(channel, msgSerial, member));
          expect(await client.next()).toMatchObject({ action: 2, msgSerial, error: { code } });
        }
        expect(await watching.rest()).toEqual([]);
      });

      it('who asks for all members gets them, or an empty list (18.2)', async () => {
        const channel = `sync:${format}`;
        const { client } = await clients.connect('&clientId=ada');
        const attached = await attach(client, channel);
        expect((attached['flags'] as number) & FLAG.hasPresence).toBe(0);
        expect(await client.rest()).toEqual([]);
        client.send({ action: 16, channel });
        expect(await client.next()).toEqual({ action: 16, channel, presence: [] });
        client.send(enter(channel, 0, { action: 2, data: 'x' }));
        await client.until(1);
        client.send({ action: 16, channel });
        expect(await client.until(16)).toMatchObject({ channel, presence: [{ action: 1, data: 'x' }] });
        client.send({ action: 16, channel: 'never' });
        expect(await client.rest()).toEqual([]);
      });
    });
  },
);
