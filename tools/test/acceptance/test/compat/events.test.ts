import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { AblyClients } from './ably.js';
import { EventReader, type StreamEvent } from './event-reader.js';
import { basicOf, keyOf } from './key.js';

const shop = openTenant('shop', { history: { enabled: true } });
const tiny = openTenant('tiny', { limits: { max_connections: 1 } });
const env = { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory' };
const KEY = { key: 'shop.rev', secret: 'rev0kable' };
const keys = [{ app_id: 'shop', key_name: KEY.key, secret: KEY.secret, revocable_tokens: true }];
const dataOf = ({ data }: StreamEvent): Record<string, unknown> =>
  JSON.parse(data ?? '') as Record<string, unknown>;
const EVENTS = { accept: 'text/event-stream' };

onServer(
  'event streams of Ably clients',
  { tenants: [shop, tiny], config: { compat: { enabled: true, keys } }, env },
  (node) => {
    const clients = new AblyClients(node, shop);
    const readers: EventReader[] = [];
    afterEach(() => {
      clients.close();
      for (const reader of readers.splice(0)) reader.close();
    });

    const url = (query: string, path = 'sse'): string => `http://127.0.0.1:${node.port}/${path}?${query}`;
    const open = async (query: string, headers: Record<string, string> = {}, path = 'sse') => {
      const reader = await EventReader.open(url(`key=${keyOf(shop)}&${query}`, path), headers);
      readers.push(reader);
      return reader;
    };
    /** A stream whose prelude was read. */
    const begun = async (query: string, headers: Record<string, string> = {}) => {
      const reader = await open(query, headers);
      expect(reader.response.status).toBe(200);
      const first = await reader.next();
      return { reader, id: first?.id ?? '' };
    };
    const publish = (name: string, data: unknown): Promise<unknown> =>
      clients.rest().channels.get(name).publish('n', data);

    it('begin with an id and carry messages and presence events (case 38)', async () => {
      const reader = await open('channels=a1,b1&v=1.2', { 'accept-encoding': 'gzip' });
      const { headers } = reader.response;
      expect(headers.get('content-type')).toBe('text/event-stream');
      expect(headers.get('cache-control')).toBe('no-cache, no-transform');
      expect(headers.get('x-accel-buffering')).toBe('no');
      expect(headers.get('content-encoding')).toBeNull();
      const first = await reader.next();
      expect(first).toMatchObject({ type: null, data: null });
      expect(first?.id).toMatch(/^1\.[\w-]{6}\.[\w-]{6}[0-9a-z]+\.[\w-]{6}[0-9a-z]+$/);
      expect(first?.retry).toBeGreaterThanOrEqual(100);
      await publish('b1', { n: 1 });
      const event = await reader.event();
      expect(event.type).toBe('message');
      expect(dataOf(event)).toMatchObject({ channel: 'b1', name: 'n', data: '{"n":1}', encoding: 'json' });
      const moved = (event.id ?? '').split('.');
      expect(moved.slice(0, 3)).toEqual((first?.id ?? '').split('.').slice(0, 3));
      expect(moved[3]).not.toBe((first?.id ?? '').split('.')[3]);
      const member = clients.connect({ clientId: 'ada' }).channels.get('a1');
      await member.presence.enter('here');
      const entered = await reader.event();
      expect([entered.type, entered.id]).toEqual(['presence', event.id]);
      expect(dataOf(entered)).toMatchObject({ action: 2, clientId: 'ada', data: 'here', channel: 'a1' });
    });

    it('take a token, Basic and Bearer, and refuse what the credentials do not allow', async () => {
      const basic = await EventReader.open(url('channels=c1'), { authorization: basicOf(shop) });
      readers.push(basic);
      expect(basic.response.status).toBe(200);
      const granted = await clients.rest().auth.requestToken({ capability: { allowed: ['subscribe'] } });
      const bearer = await EventReader.open(url('channel=allowed'), {
        authorization: `Bearer ${granted.token}`,
      });
      readers.push(bearer);
      expect(bearer.response.status).toBe(200);
      const refused = async (query: string, headers = {}): Promise<unknown> => {
        const answer = await fetch(url(query), { headers });
        const { error } = (await answer.json()) as { error: { code: number } };
        return [answer.status, error.code];
      };
      const token = `access_token=${granted.token}`;
      expect(await refused(`channels=allowed,forbidden&${token}`, EVENTS)).toEqual([401, 40_160]);
      expect(await refused('channels=a', EVENTS)).toEqual([401, 40_140]);
      expect(await refused('channels=a&key=a.b:c')).toEqual([401, 40_101]);
      const key = `key=${keyOf(shop)}`;
      const many = Array.from({ length: 51 }, (_, n) => `c${n}`).join(',');
      for (const query of [
        '',
        `channels=${many}`,
        'channels=a&v=0',
        'channels=a&rewind=0',
        'channels=a&rewind=101',
      ])
        expect([query, await refused(`${query}&${key}`, EVENTS)]).toEqual([query, [400, 40_000]]);
      expect(await refused(`channels=[meta]x&${key}`)).toEqual([400, 40_010]);
      expect((await fetch(url(`channels=a&${key}`), { headers: { accept: 'image/png' } })).status).toBe(406);
      expect((await fetch(url(`channels=a&${key}`), { method: 'POST' })).status).toBe(405);
    });

    it('follow separator, enveloped, heartbeats and qualifiers of names', async () => {
      const { reader } = await begun('channels=x,1;y2&separator=%3B&enveloped=false');
      await publish('x,1', 'one\ntwo');
      expect((await reader.event()).data).toBe('one\ntwo');
      await publish('y2', { deep: [1] });
      expect((await reader.event()).data).toBe('{"deep":[1]}');
      const filter = Buffer.from('name == `"n"`').toString('base64');
      const { reader: derived } = await begun(`channels=${encodeURIComponent(`[filter=${filter}]y2`)}`);
      await clients.rest().channels.get('y2').publish('other', 'hidden');
      await publish('y2', 'shown');
      expect(dataOf(await derived.event())).toMatchObject({ data: 'shown' });
    });

    it('resume by header or query, exactly what was missed', async () => {
      const { reader, id } = await begun('channels=r1,r2');
      await publish('r1', '1');
      const seen = await reader.event();
      reader.close();
      for (const n of ['2', '3']) await publish('r1', n);
      await publish('r2', 'x');
      const again = await begun('channels=r1,r2', { 'last-event-id': seen.id ?? '' });
      const missed = [await again.reader.event(), await again.reader.event(), await again.reader.event()];
      expect(missed.map((event) => dataOf(event)['data']).toSorted()).toEqual(['2', '3', 'x']);
      await publish('r2', 'live');
      expect(dataOf(await again.reader.event())).toMatchObject({ data: 'live' });
      // The header wins over the query.
      const both = await begun(`channels=r1,r2&lastEvent=${id}`, { 'last-event-id': missed[2]?.id ?? '' });
      expect(dataOf(await both.reader.event())).toMatchObject({ data: 'live' });
      expect(both.id).toBe(missed[2]?.id);
      const whole = await begun(`channels=r1,r2&lastEvent=${id}`);
      const all = [];
      for (let n = 0; n < 5; n += 1) all.push(dataOf(await whole.reader.event())['data']);
      expect(all.toSorted()).toEqual(['1', '2', '3', 'live', 'x']);
    });

    it('report a lost position as an error with the channel and go on live', async () => {
      for (const id of ['nonsense', '1.AAAAAA.', `1.${'x'.repeat(5000)}`]) {
        const { reader } = await begun(`channels=lost1&lastEvent=${encodeURIComponent(id)}&rewind=5`);
        const failed = await reader.event();
        expect(failed.type).toBe('error');
        expect(dataOf(failed)).toMatchObject({ code: 90_005, channel: 'lost1' });
        await publish('lost1', id.slice(0, 8));
        expect(dataOf(await reader.event())).toMatchObject({ data: id.slice(0, 8) });
        reader.close();
      }
    });

    it('rewind a fresh start, with ids that repeat the rewind until it is complete', async () => {
      for (const n of ['1', '2', '3']) await publish('rw', n);
      const { reader, id } = await begun('channels=rw&rewind=2');
      expect(id).toMatch(/\.~$/);
      expect(dataOf(await reader.event())).toMatchObject({ data: '2' });
      expect(dataOf(await reader.event())).toMatchObject({ data: '3' });
      await publish('rw', '4');
      const live = await reader.event();
      expect(dataOf(live)).toMatchObject({ data: '4' });
      expect(live.id).not.toContain('~');
      const resumed = await begun('channels=rw&rewind=2', { 'last-event-id': live.id ?? '' });
      await publish('rw', '5');
      expect(dataOf(await resumed.reader.event())).toMatchObject({ data: '5' });
    });

    it('are lines of JSON at /event-stream unless events are accepted', async () => {
      const reader = await open('channels=lines', {}, 'event-stream');
      expect(reader.response.headers.get('content-type')).toBe('application/x-ndjson');
      await publish('lines', 'x');
      let line = '';
      while (line === '') line = (await reader.until('\n')) ?? 'ended';
      const event = JSON.parse(line) as { id: string; event: string; data: string };
      expect(event).toMatchObject({ event: 'message', id: expect.stringMatching(/^1\./) as string });
      expect(JSON.parse(event.data)).toMatchObject({ data: 'x', channel: 'lines' });
      const events = await open('channels=lines', EVENTS, 'event-stream');
      expect(events.response.headers.get('content-type')).toBe('text/event-stream');
    });

    it('end with a stop mark when their token is revoked or has expired, which answers 204', async () => {
      const rest = clients.rest({ key: `${KEY.key}:${KEY.secret}` });
      const { token } = await rest.auth.requestToken({ clientId: 'eve' });
      const revoked = await EventReader.open(url(`channels=t1&access_token=${token}`), EVENTS);
      readers.push(revoked);
      await revoked.next();
      await fetch(`http://127.0.0.1:${node.port}/keys/${KEY.key}/revokeTokens`, {
        method: 'POST',
        body: '{"targets":["clientId:eve"]}',
        headers: { authorization: `Basic ${Buffer.from(`${KEY.key}:${KEY.secret}`).toString('base64')}` },
      });
      const last = await revoked.event();
      expect([last.type, last.id]).toEqual(['error', '!40141']);
      expect(dataOf(last)).toMatchObject({ code: 40_141 });
      expect(await revoked.next()).toBeNull();
      const answer = await fetch(url(`channels=t1&access_token=${token}`), {
        headers: { ...EVENTS, 'last-event-id': '!40141' },
      });
      expect(answer.status).toBe(204);
      const short = await clients.rest().auth.requestToken({ ttl: 1000 });
      const expired = await EventReader.open(url(`channels=t1&access_token=${short.token}`), EVENTS);
      readers.push(expired);
      await expired.next();
      expect((await expired.event()).id).toBe('!40142');
      expect(await expired.next()).toBeNull();
    });

    it('are refused for now by an event for browsers and by a status for others', async () => {
      const address = url(`channels=a&key=${keyOf(tiny)}`);
      const only = await EventReader.open(address);
      readers.push(only);
      await only.next();
      const id = (await begun('channels=a')).id;
      const soft = await EventReader.open(address, { ...EVENTS, 'last-event-id': id });
      expect(soft.response.status).toBe(200);
      expect(soft.response.headers.get('connection')).toBe('close');
      const event = await soft.event();
      expect([event.type, event.id]).toEqual(['error', id]);
      expect(event.retry).toBeGreaterThan(0);
      expect(dataOf(event)).toMatchObject({ code: 50_003, statusCode: 503 });
      expect(await soft.next()).toBeNull();
      const foreign = await EventReader.open(address, { ...EVENTS, 'last-event-id': 'nonsense' });
      expect((await foreign.event()).id).toBeNull();
      for (const [query, headers] of [
        ['', { accept: '*/*' }],
        ['&refusals=status', EVENTS],
        ['', { ...EVENTS, prefer: 'status' }],
      ] as const) {
        const refused = await fetch(`${address}${query}`, { headers });
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
        expect(await refused.json()).toMatchObject({ error: { code: 50_004 } });
      }
    });

    it('count as connections and subscriptions of their app', async () => {
      const { reader } = await begun('channels=counted');
      const address = `http://127.0.0.1:${node.port}/channels/counted`;
      const details = async (): Promise<unknown> => {
        const answer = await fetch(address, {
          headers: { authorization: basicOf(shop) },
        });
        return ((await answer.json()) as { status: { occupancy: { metrics: object } } }).status.occupancy
          .metrics;
      };
      expect(await details()).toMatchObject({ connections: 1, subscribers: 1, publishers: 0 });
      reader.close();
      await expect.poll(details, { timeout: 10_000 }).toMatchObject({ connections: 0 });
    });
  },
);

onServer(
  'event streams and comet connections that are not read',
  {
    tenants: [shop],
    config: { compat: { enabled: true } },
    env: { ...env, WEBSOCKET_MAX_BYTES: '262144', WEBSOCKET_MAX_MESSAGES: '100' },
  },
  (node) => {
    const clients = new AblyClients(node, shop);
    afterEach(() => clients.close());

    it('are closed at the bounds of slow sockets, while others receive everything', async () => {
      const name = 'stalled';
      const key = keyOf(shop);
      const stalled = connect(node.port, '127.0.0.1');
      stalled.write(`GET /sse?channels=${name}&key=${key} HTTP/1.1\r\nHost: a\r\n\r\n`);
      await new Promise((begun) => stalled.once('data', begun));
      stalled.pause();
      const opened = await fetch(`http://127.0.0.1:${node.port}/comet/connect?stream=false&key=${key}`);
      const [connected] = (await opened.json()) as [{ connectionDetails: { connectionKey: string } }];
      const send = `http://127.0.0.1:${node.port}/comet/${connected.connectionDetails.connectionKey}/send?key=${key}`;
      const attach = await fetch(send, { method: 'POST', body: `[{"action":10,"channel":"${name}"}]` });
      expect(attach.status).toBe(204);
      const reader = await EventReader.open(`http://127.0.0.1:${node.port}/sse?channels=${name}&key=${key}`);
      const channel = clients.rest().channels.get(name);
      const connections = async (): Promise<number> =>
        (await channel.status()).status.occupancy.metrics.connections;
      await expect.poll(connections, { timeout: 10_000 }).toBe(3);
      const data = 'x'.repeat(60_000);
      let sent = 0;
      while ((await connections()) > 1) {
        await channel.publish('n', data);
        sent += 1;
        expect(dataOf(await reader.event())).toMatchObject({ data });
        if (sent > 2000) throw new Error('nothing was closed');
      }
      reader.close();
      stalled.destroy();
    });
  },
);
