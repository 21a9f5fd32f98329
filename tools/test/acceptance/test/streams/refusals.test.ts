import { expect, it } from 'vitest';
import { ClientV2 } from '../harness/client-v2.js';
import { type Block, frameOf, textsOf } from '../harness/event-reader.js';
import { eventually } from '../harness/eventually.js';
import { onServer } from '../harness/every-app.js';
import { channelAuth, tokenFor } from '../harness/signatures.js';
import { tenant } from '../harness/tenant.js';
import { closed, codeOf, disabled, inSeconds, name, shop, single, STREAMING, Streaming } from './place.js';

onServer('refusals and ends of event streams', STREAMING, (node) => {
  const streams = new Streaming(node);

  it('refuses for good with JSON and CORS headers, whatever is accepted', async () => {
    for (const [of, query, headers, status, code, wsCode] of [
      [tenant('nobody'), 'channels=a', {}, 404, 'app_not_found', 4001],
      [disabled, 'channels=a', {}, 403, 'forbidden', 4003],
      [closed, 'channels=a', { origin: 'https://other.test' }, 403, 'forbidden', 4009],
      [shop, 'channels=a&token=x', {}, 401, 'auth_failed', 4009],
      [shop, 'channels=private-a', {}, 401, 'auth_failed', 4009],
      [shop, `channels=b&token=${tokenFor(shop, 'u', { a: ['subscribe'] })}`, {}, 403, 'forbidden', 4009],
      [shop, 'channels=other:1', {}, 200, undefined, undefined],
    ] as const) {
      const refused = await streams.open(query, { ...headers }, of);
      if (status === 200) continue;
      expect([refused.status, await refused.json()]).toMatchObject([
        status,
        { code, status, ws_code: wsCode },
      ]);
      expect(refused.response.headers['access-control-allow-origin']).toBe('*');
    }
  });

  it('tells a browser to come later, and others the status, when the app has no place left', async () => {
    const held = await streams.open('channels=a', {}, single);
    const { id = '' } = await held.next();
    for (const [given, kept] of [
      [id, id],
      ['nonsense', undefined],
    ] as const) {
      const soft = await streams.open('channels=a', { 'last-event-id': given }, single);
      const blocks = await soft.rest();
      expect([soft.status, soft.response.headers['connection'], blocks.length]).toEqual([200, 'close', 1]);
      expect(blocks[0]).toMatchObject({ event: 'retry_later' });
      expect(blocks[0]?.id).toBe(kept);
      expect(codeOf(blocks[0] as Block)).toBe(4004);
    }
    for (const [query, headers] of [
      ['channels=a', { accept: '*/*' }],
      ['channels=a&refusals=status', {}],
      ['channels=a', { prefer: 'status' }],
    ] as const) {
      const hard = await streams.open(query, headers, single);
      expect([hard.status, await hard.json()]).toMatchObject([503, { ws_code: 4004 }]);
      expect(Number(hard.response.headers['retry-after'])).toBeGreaterThan(0);
    }
    held.leave();
    await eventually(async () =>
      expect((await streams.open('channels=a', { prefer: 'status' }, single)).status).toBe(200),
    );
  });

  it('takes tickets of signatures until they expire, and never one of a socket', async () => {
    const [channel, expires] = [name('private-t'), inSeconds(60)];
    const good = channelAuth(shop, `0.${expires}`, channel);
    expect((await streams.open(`channels=${channel}&auth=${good}&expires=${expires}`)).status).toBe(200);
    const past = inSeconds(-1);
    const late = channelAuth(shop, `0.${past}`, channel);
    expect((await streams.open(`channels=${channel}&auth=${late}&expires=${past}`)).status).toBe(401);
    const socket = await ClientV2.connect(node);
    const other = channelAuth(shop, socket.socketId, channel);
    expect((await streams.open(`channels=${channel}&auth=${other}&expires=${expires}`)).status).toBe(401);
    expect(await socket.refused(channel, { auth: good })).toEqual([4009, 401]);
  });

  it('makes the stream a member by POST or token, excludes it by its socket id, and counts it', async () => {
    const [room, orders] = [name('presence-room'), name('orders')];
    const watcher = await ClientV2.connect(node);
    await watcher.subscribe(room, {}, 'watcher');
    const expires = inSeconds(60);
    const channel_data = '{"user_id":"streamer"}';
    const auth = channelAuth(shop, `0.${expires}`, room, channel_data);
    const stream = await streams.post({ channels: [{ channel: room, auth, channel_data }, orders], expires });
    const { data } = frameOf(await stream.next());
    const { socket_id: socketId } = JSON.parse(String(data)) as { socket_id: string };
    await stream.until('subscription_succeeded');
    await stream.until('subscription_succeeded');
    expect(await watcher.next()).toMatchObject({ event: 'service_internal:member_added' });
    expect(await node.api().users(room)).toEqual(['streamer', 'watcher']);
    await node.api().publish(orders, 'news', 'not here', { socket_id: socketId });
    await streams.publish(orders, 'here');
    expect(textsOf(await stream.messages(1))).toEqual(['here']);
    expect(await node.api().channel(orders)).toMatchObject({ occupied: true });
    const without = await streams.post({
      channels: [{ channel: room, auth: channelAuth(shop, `0.${expires}`, room) }],
      expires,
    });
    expect(without.status).toBe(400);
  });

  it('ends for good when a token is revoked or its user terminated, and answers 204 to the stop mark', async () => {
    const token = tokenFor(shop, 'gone', { '*': ['subscribe'] });
    const stream = await streams.open(`channels=${name('a')}`, { authorization: `Bearer ${token}` });
    await stream.until('subscription_succeeded');
    await eventually(async () => {
      await node.api().user('gone', 'terminate_connections');
    });
    const close = await stream.until('close');
    expect([codeOf(close), close.id]).toEqual([4009, '!4009']);
    expect(await stream.rest()).toEqual([]);
    const stopped = await streams.open('channels=a', { 'last-event-id': '!4009' });
    expect([stopped.status, stopped.response.headers['cache-control']]).toEqual([204, 'no-store']);
  });

  it('is closed with its position by force_reconnect, and comes back complete', async () => {
    const channel = name('forced');
    const token = tokenFor(shop, 'moved', { '*': ['subscribe'] });
    const stream = await streams.open(`channels=${channel}&token=${token}`);
    await stream.until('subscription_succeeded');
    await streams.publish(channel, 'a');
    await node.api().user('moved', 'force_reconnect');
    const blocks = await stream.through('close');
    const close = blocks.at(-1) as Block;
    expect([textsOf(blocks), codeOf(close)]).toEqual([['a'], 4200]);
    expect(Number(close.retry)).toBeGreaterThanOrEqual(100);
    await streams.publish(channel, 'b');
    const back = await streams.open(`channels=${channel}&token=${token}`, {
      'last-event-id': close.id ?? '',
    });
    expect(textsOf(await back.through('resumed'))).toEqual(['b']);
  });

  it('answers preflights with the headers of readers and an age', async () => {
    const answer = await node.request({
      method: 'OPTIONS',
      path: `/app/${shop.key}/events`,
      headers: { origin: 'https://a.test', 'access-control-request-method': 'GET' },
    });
    expect(answer.headers['access-control-max-age']).toBe('600');
    for (const header of ['Last-Event-ID', 'Prefer', 'Authorization'])
      expect(answer.headers['access-control-allow-headers']).toContain(header);
  });

  it('writes a comment in silence', async () => {
    const { stream } = await streams.subscribed(name('silent'));
    expect((await stream.any()).comment).toBe('');
  });

  it('answers other methods with 405 and other types with 406', async () => {
    const put = await node.request({ method: 'PUT', path: `/app/${shop.key}/events` });
    expect([put.status, put.headers['allow']]).toEqual([405, 'GET, HEAD, POST']);
    const xml = await streams.open('channels=a', { accept: 'application/xml' });
    expect([xml.status, await xml.json()]).toMatchObject([406, { code: 'not_acceptable' }]);
  });

  it('shows its metrics', async () => {
    const { stream } = await streams.subscribed(name('counted'));
    const text = await node.metrics();
    expect(text.value('http_streams_open', { form: 'events' })).toBeGreaterThan(0);
    stream.leave();
  });
});
