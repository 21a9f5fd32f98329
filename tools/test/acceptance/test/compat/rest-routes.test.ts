import * as Ably from 'ably';
import { afterEach, expect, it } from 'vitest';
import { Inbox } from '../clients/inbox.js';
import { onServer } from '../harness/every-app.js';
import { eventually } from '../harness/eventually.js';
import { openTenant } from '../harness/tenant.js';
import { keyOf } from './key.js';

const shop = openTenant('shop', { history: { enabled: true } });
const counted = openTenant('counted', { history: { enabled: true } });
const env = { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory', PRESENCE_HISTORY_ENABLED: 'true' };
const config = {
  versioned_messages: { enabled: true },
  compat: {
    enabled: true,
    stats_fixture_ingest_enabled: true,
  },
};
const basicOf = (key: string): string => `Basic ${Buffer.from(key).toString('base64')}`;
const basic = basicOf(keyOf(shop));

const item = (more: object): object => ({ intervalId: '2024-02-03:15:05', ...more });

const seen = (members: readonly Ably.PresenceMessage[]): unknown =>
  Object.fromEntries(
    members.map(({ clientId, data }) => [
      clientId,
      data instanceof Uint8Array ? Buffer.from(data) : (data as unknown),
    ]),
  );

interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly value: unknown;
  /** Of an error. */
  readonly code: number | undefined;
}

onServer('routes of REST for Ably clients', { tenants: [shop, counted], config, env }, (node) => {
  const open: Ably.Realtime[] = [];
  afterEach(() => {
    for (const one of open.splice(0)) one.close();
  });
  const where = (): Ably.ClientOptions => ({ endpoint: '127.0.0.1', port: node.port, tls: false });
  const rest = (options: Ably.ClientOptions = {}): Ably.Rest =>
    new Ably.Rest({ key: keyOf(shop), ...where(), ...options });
  const connect = (options: Ably.ClientOptions = {}): Ably.Realtime => {
    const client = new Ably.Realtime({ key: keyOf(shop), ...where(), ...options });
    open.push(client);
    return client;
  };
  const ask = async (path: string, method = 'GET', body?: object, authorization = basic): Promise<Told> => {
    const answer = await fetch(`http://127.0.0.1:${node.port}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const value: unknown = text === '' ? undefined : JSON.parse(text);
    const { error } = (value ?? {}) as { error?: { code: number } };
    return { status: answer.status, headers: answer.headers, value, code: error?.code };
  };

  it('tells in its words of paths and methods that there are not', async () => {
    for (const path of ['/nowhere', '/comet/nowhere', '/channels/a/b/c/d', '/push/apnsBroadcastChannels']) {
      const told = await ask(path);
      expect([path, told.status, told.code]).toEqual([path, 404, 40_400]);
      expect(told.headers.get('content-type')).toBe('application/json');
      expect(told.headers.get('x-ably-errorcode')).toBe('40400');
    }
    const wrong = await ask('/keys/a/requestToken');
    expect([wrong.status, wrong.code, wrong.headers.get('allow')]).toEqual([405, 40_500, 'POST']);
    expect((await ask('/apps/shop/nowhere')).value).toMatchObject({ code: 'not_found' });
    const preflight = await fetch(`http://127.0.0.1:${node.port}/channels/a/messages`, { method: 'OPTIONS' });
    expect(preflight.headers.get('access-control-allow-headers')).toContain('X-Ably-ClientId');
  });

  it('adds statistics up, and pages through them', async () => {
    const fixtures = [5, 6, 7].map((minute) => ({
      intervalId: `2024-02-03:15:0${minute}`,
      inbound: { realtime: { messages: { count: 50 + minute, data: 7000 } } },
      connections: { all: { peak: 20 - minute, opened: 10 } },
    }));
    expect((await ask('/stats', 'POST', fixtures)).status).toBe(201);
    // The library declares times only, and takes ids too.
    const span = { start: '2024-02-03:15:05', end: '2024-02-03:15:07' } as object;
    const hour = await rest().stats({ ...span, by: 'hour' } as object);
    expect(hour.items).toHaveLength(1);
    expect(hour.items[0]).toMatchObject({
      intervalId: '2024-02-03:15',
      unit: 'hour',
      entries: {
        'messages.inbound.realtime.messages.count': 168,
        'messages.inbound.all.messages.count': 168,
        'connections.all.peak': 15,
        'connections.all.opened': 30,
      },
    });
    expect((await ask(`/stats?unit=hour&start=2024-02-03:15:05&end=2024-02-03:15:07`)).value).toMatchObject([
      { inbound: { all: { messages: { count: 168 } } } },
    ]);
    const first = await rest().stats({ ...span, limit: 2 });
    const second = await first.next();
    expect([...first.items, ...(second?.items ?? [])].map(({ intervalId }) => intervalId.slice(-2))).toEqual([
      '07',
      '06',
      '05',
    ]);
    expect(second?.hasNext()).toBe(false);
    const forwards = await rest().stats({ ...span, limit: 1, direction: 'forwards' });
    expect(forwards.items[0]?.intervalId).toBe('2024-02-03:15:05');
    expect((await forwards.next())?.items[0]?.intervalId).toBe('2024-02-03:15:06');
    const link = (await ask('/stats?limit=1&start=2024-02-03&end=2024-02-03')).headers.get('link') ?? '';
    const cursor = /cursor=([\w-]+)/.exec(link)?.[1] ?? '';
    expect((await ask(`/stats?unit=hour&start=2024-02-03&end=2024-02-03&cursor=${cursor}`)).code).toBe(
      40_000,
    );
  });

  it('refuses statistics that are none', async () => {
    expect((await ask('/stats', 'POST', item({ inbound: { rest: -1 } }))).code).toBe(40_000);
    expect((await ask('/stats', 'POST', { intervalId: '2024-02-03:15' })).code).toBe(40_000);
    const many = Array.from({ length: 10_001 }, () => item({}));
    expect((await ask('/stats', 'POST', many)).code).toBe(40_009);
    expect((await ask('/stats?start=2&end=1')).code).toBe(40_000);
    expect((await ask('/stats?limit=1001')).code).toBe(40_003);
    const native = await ask('/stats', 'GET', undefined, '');
    expect([native.status, native.code]).toEqual([200, undefined]);
    expect(native.value).not.toBeInstanceOf(Array);
  });

  it('counts what it does, and tells operators how that goes', async () => {
    await rest().channels.get('counted').publish('n', 'data');
    const [now] = (await rest().stats({ unit: 'month' } as object)).items;
    expect(now?.entries['messages.inbound.rest.messages.count']).toBeGreaterThanOrEqual(1);
    expect((await ask('/operator/stats/aggregation', 'GET', undefined, '')).value).toMatchObject({
      queueCapacity: 4096,
      dropped: 0,
      flushFailures: 0,
    });
    const runtime = (await ask('/operator/stats/compat-runtime', 'GET', undefined, '')).value;
    expect(runtime).toHaveProperty('duplicate_suppression');
  });

  it('counts what clients say to each other, who they are and how many channels they have', async () => {
    const own = { key: keyOf(counted) };
    const entries = async (): Promise<Record<string, number>> => {
      const [month] = (await rest(own).stats({ unit: 'month' } as object)).items;
      return (month?.entries ?? {}) as Record<string, number>;
    };
    const [one, other] = [
      connect({ ...own, clientId: 'ada' }),
      connect({ ...own, useBinaryProtocol: false }),
    ];
    const inbox = new Inbox<Ably.InboundMessage>();
    for (const client of [one, other]) await client.channels.get('talk').subscribe(inbox.put);
    await one.channels.get('talk').publish('greeting', 'hello');
    for (let taken = 0; taken < 2; taken += 1) await inbox.take();
    // What was acknowledged is counted.
    const name = 'messages.inbound.realtime.messages';
    const bytes = Buffer.byteLength('greetinghelloada');
    expect(await entries()).toMatchObject({ [`${name}.count`]: 1, [`${name}.data`]: bytes });
    await one.channels.get('talk').presence.enter('here');
    await eventually(async () =>
      expect(await entries()).toMatchObject({
        'messages.outbound.realtime.messages.count': 2,
        'messages.outbound.all.messages.data': 2 * bytes,
        'messages.inbound.realtime.presence.count': 1,
        'messages.inbound.realtime.presence.data': Buffer.byteLength('adahere'),
        'messages.outbound.realtime.presence.count': 2,
        'persisted.presence.count': 1,
        'connections.all.opened': 2,
        'connections.plain.peak': 2,
        'channels.opened': 1,
        'channels.peak': 1,
      }),
    );
    await one.channels.get('talk').detach();
    for (const client of [one, other]) client.close();
    await eventually(async () =>
      expect(await entries()).toMatchObject({ 'connections.all.closed': 2, 'channels.closed': 1 }),
    );
    const told = await entries();
    expect(told['apiRequests.succeeded']).toBeGreaterThan(2);
    expect(told['apiRequests.responseBytes']).toBeGreaterThan(1000);
    const runtime = (await ask('/operator/stats/compat-runtime', 'GET', undefined, '')).value as Record<
      string,
      number
    >;
    expect(runtime['fanout']).toBeGreaterThanOrEqual(4);
    expect(runtime['data_encoded']).toBeGreaterThanOrEqual(2);
    expect(runtime['encoded']).toBeGreaterThan(runtime['data_encoded'] ?? 0);
  });

  it('tells who came and went', async () => {
    const client = connect({ clientId: 'ada' });
    const { presence } = client.channels.get('presence-room');
    await presence.enter({ n: 1 });
    await presence.update({ n: 2 });
    await presence.leave();
    const channel = rest().channels.get('presence-room');
    const items = await eventually(async () => {
      const page = await channel.presence.history({ direction: 'forwards' });
      if (page.items.length < 3) throw new Error(`${page.items.length} events`);
      return page.items;
    });
    expect(items.map(({ action, clientId }) => [action, clientId])).toEqual([
      ['enter', 'ada'],
      ['update', 'ada'],
      ['leave', 'ada'],
    ]);
    expect(items.slice(0, 2).map(({ data }) => data as unknown)).toEqual([{ n: 1 }, { n: 2 }]);
    const { id: connectionId } = client.connection;
    expect(items.map((item) => item.connectionId)).toEqual([connectionId, connectionId, connectionId]);
    const others = await channel.presence.history({ clientId: 'nobody' } as object);
    expect(others.items).toEqual([]);
    const byConnection = { direction: 'forwards', connectionId } as object;
    expect((await channel.presence.history(byConnection)).items).toHaveLength(3);
    const elsewhere = await channel.presence.history({ connectionId: '1.1' } as object);
    expect(elsewhere.items).toEqual([]);
    const first = await channel.presence.history({ limit: 2 });
    expect((await first.next())?.items.map(({ action }) => action)).toEqual(['enter']);
  });

  it('publishes for a connection, as its client, and not back to it where it does not want that', async () => {
    const [quiet, other] = [connect({ clientId: 'ada', echoMessages: false }), connect()];
    const [mine, theirs] = [new Inbox<Ably.InboundMessage>(), new Inbox<Ably.InboundMessage>()];
    await quiet.channels.get('behalf').subscribe(mine.put);
    await other.channels.get('behalf').subscribe(theirs.put);
    const connectionKey = quiet.connection.key;
    expect((await ask('/channels/behalf/messages', 'POST', { data: 'x', connectionKey })).status).toBe(201);
    await rest().channels.get('behalf').publish('after', 'y');
    expect(await theirs.take()).toMatchObject({ data: 'x', clientId: 'ada' });
    expect(await mine.take()).toMatchObject({ data: 'y' });
    const body = { data: 'x', clientId: 'bob', connectionKey };
    expect((await ask('/channels/behalf/messages', 'POST', body)).code).toBe(40_012);
    const foreign = { data: 'x', connectionKey: 'c1:00000000000000000000000000000000' };
    expect((await ask('/channels/behalf/messages', 'POST', foreign)).code).toBe(40_006);
  });

  it('reads what was published before a client came, and not what is no place of the channel', async () => {
    const before = rest().channels.get('until');
    for (const name of ['one', 'two']) await before.publish(name, 'x');
    const channel = connect().channels.get('until');
    await channel.attach();
    await before.publish('three', 'x');
    const page = await channel.history({ untilAttach: true, limit: 1 });
    expect(page.items.map(({ name }) => name)).toEqual(['two']);
    expect((await page.next())?.items.map(({ name }) => name)).toEqual(['one']);
    expect((await before.history()).items).toHaveLength(3);
    const from = (text: string): Promise<Told> => ask(`/channels/until/messages?from_serial=${text}`);
    expect((await from('elsewhere:1')).code).toBe(90_005);
    expect((await from('x')).code).toBe(90_005);
    expect((await ask('/channels/until/messages?untilAttach=true')).code).toBe(40_000);
    const { serials } = (await ask('/channels/until/messages', 'POST', { name: 'four' })).value as {
      serials: string[];
    };
    await before.publish('five', 'x');
    const told = (await from(serials[0] ?? '')).value as { name: string }[];
    expect(told.map(({ name }) => name)).toEqual(['four', 'three', 'two', 'one']);
  });

  it.each(['room', 'presence-room-of-all'])('shows the data of members as it came (on %s)', async (name) => {
    const said: Readonly<Record<string, unknown>> = {
      binary: Buffer.from([0, 255]),
      list: [1, 'two'],
      nothing: undefined,
      object: { n: 1 },
      text: 'away',
    };
    const { presence } = connect().channels.get(name);
    for (const [clientId, data] of Object.entries(said)) await presence.enterClient(clientId, data);
    for (const useBinaryProtocol of [true, false]) {
      const reader = rest({ useBinaryProtocol });
      expect(seen((await reader.channels.get(name).presence.get({ limit: 10 })).items)).toEqual(said);
      const watching = connect({ useBinaryProtocol }).channels.get(name);
      expect(seen(await watching.presence.get())).toEqual(said);
      const many = await reader.batchPresence([name]);
      expect(many).toMatchObject({ successCount: 1, failureCount: 0 });
    }
    const first = await rest({ useBinaryProtocol: true }).channels.get(name).presence.get({ limit: 2 });
    expect((await first.next())?.items.map(({ clientId }) => clientId)).toEqual(['nothing', 'object']);
    const told = (await ask(`/channels/${name}/presence?clientId=binary`)).value;
    expect(told).toMatchObject([{ clientId: 'binary', data: 'AP8=', encoding: 'base64' }]);
  });
});
