import type { WireFormat } from '@carillon/protocol';
import { describe, expect, it } from 'vitest';
import { ClientV2 } from './client-v2.js';
import { openRoom } from './room.js';

const FORMATS: readonly WireFormat[] = ['json', 'messagepack', 'protobuf'];
const RECOVERY = { CONNECTION_RECOVERY_ENABLED: 'true' };
const SUCCEEDED = 'service_internal:subscription_succeeded';

describe.each(FORMATS)('positions of a channel without a history in %s', (format) => {
  it('are told to who subscribes, and on every message of it', async () => {
    const room = await openRoom({ env: RECOVERY });
    const client = await ClientV2.connect(room.port, format);
    client.subscribe('orders');
    const joined = await client.until(SUCCEEDED);
    expect(client.text(joined)).toBe('{}');
    expect(joined).toMatchObject({ serial: 0, streamId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    const { streamId } = joined;
    for (const text of ['a', 'b']) room.publish('orders', text, { messageId: text });
    expect(await client.until('news')).toMatchObject({ messageId: 'a', streamId, serial: 1 });
    expect(await client.until('news')).toMatchObject({ messageId: 'b', streamId, serial: 2 });
    const later = await ClientV2.connect(room.port, format);
    later.subscribe('orders');
    expect(await later.until(SUCCEEDED)).toMatchObject({ streamId, serial: 2 });
    expect((await later.heard()).filter(({ event }) => event === 'news')).toEqual([]);
  });
});

describe('positions', () => {
  it('are those of one stream for clients and servers', async () => {
    const room = await openRoom({ env: RECOVERY });
    const client = await ClientV2.connect(room.port, 'json');
    client.subscribe('private-a');
    await client.until(SUCCEEDED);
    client.send('client-x', 1, { channel: 'private-a' });
    room.publish('private-a', 'b');
    client.send('client-x', 2, { channel: 'private-a', extras: { ephemeral: true } });
    client.send('client-x', 3, { channel: 'private-a' });
    const serials = (await client.heard()).flatMap(({ event, serial }) =>
      event === SUCCEEDED || event.endsWith('established') ? [] : [[event, serial]],
    );
    expect(serials.toSorted()).toEqual(
      [
        ['news', 1],
        ['client-x', 2],
        ['client-x', null],
        ['client-x', 3],
      ].toSorted(),
    );
  });

  it('are not those of another channel, or of none where nothing is recovered', async () => {
    const room = await openRoom({ policy: { connection_recovery: { enabled: true } } });
    const client = await ClientV2.connect(room.port, 'json');
    client.subscribe('a');
    const a = await client.until(SUCCEEDED);
    client.subscribe('b');
    const b = await client.until(SUCCEEDED);
    expect([a.serial, b.serial]).toEqual([0, 0]);
    expect(a.streamId).not.toBe(b.streamId);
    const plain = await openRoom();
    const other = await ClientV2.connect(plain.port, 'json');
    other.subscribe('a');
    expect(await other.until(SUCCEEDED)).toMatchObject({ streamId: null, serial: null });
    plain.publish('a', 'x');
    expect(await other.until('news')).toMatchObject({ streamId: null, serial: null });
  });

  it('are shown with the last event of a cache channel', async () => {
    const room = await openRoom({ env: RECOVERY });
    for (const text of ['a', 'b']) await room.publish('cache-a', text, { messageId: text });
    const client = await ClientV2.connect(room.port, 'json');
    client.subscribe('cache-a');
    expect(await client.until(SUCCEEDED)).toMatchObject({ serial: 2 });
    expect(await client.until('news')).toMatchObject({ messageId: 'b', serial: 2 });
  });

  it('reach no client of protocol 1', async () => {
    const room = await openRoom({ env: RECOVERY });
    const old = await room.connect();
    old.subscribe('orders');
    expect(Object.keys((await old.until('pusher_internal:subscription_succeeded')) ?? {}).toSorted()).toEqual(
      ['channel', 'data', 'event'],
    );
    room.publish('orders', 'x');
    const news = (await old.heard()).find(({ event }) => event === 'news');
    expect(Object.keys(news ?? {}).toSorted()).toEqual(['channel', 'data', 'event']);
  });

  it('cannot be told while the sequencer is away, which a subscriber hears of', async () => {
    const room = await openRoom({ env: RECOVERY });
    await room.replay.close();
    const client = await ClientV2.connect(room.port, 'json');
    client.subscribe('orders');
    expect(client.value(await client.until('service:error'))).toMatchObject({ code: 4303 });
    expect(client.value(await client.until('service:subscription_error'))).toMatchObject({ status: 503 });
    expect(await room.counts()).toEqual({});
    await expect((async () => room.publish('orders', 'x'))()).rejects.toMatchObject({ status: 503 });
  });
});
