import { foldVersions } from '@carillon/history-messages';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS, LivingChannel, NOW_MS } from './living.js';
import { openEmbedded, openMemory, openMysql, openRecords, openPostgres, type Opened } from './stores.js';

const STORES = [
  { name: 'memory', open: openMemory },
  { name: 'records', open: openRecords },
  { name: 'postgres', open: openPostgres },
  { name: 'mariadb', open: openMysql },
  { name: 'embedded postgres', open: openEmbedded },
] as const;

const AI = {
  max_accumulated_message_bytes: 1000,
  max_appends_per_message: 100,
  max_open_streaming_messages: 2,
} as const;
const status = (value: string) => ({ ai: { transport: { status: value } } });

describe.each(STORES)('messages that live on in $name', ({ open }) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());
  const channelOf = (name: string) => new LivingChannel(opened.store, name);

  it('keep their place in the history while their versions take places in the order of delivery', async () => {
    const channel = channelOf('places');
    const serial = await channel.made('hello', { extras: { ref: 1 }, actor: { client_id: 'u1' } });
    const changed = await channel.one(channel.update(serial, { data: '{"n":1.50}' }));
    expect(changed).toMatchObject({
      status: 'applied',
      message_serial: serial,
      history_serial: 1,
      delivery_serial: 2,
    });
    expect(await channel.message(serial)).toMatchObject({
      action: 'update',
      name: 'note',
      extras: '{"ref":1}',
      data: { text: '{"n":1.50}' },
      creatorId: 'u1',
      historySerial: 1,
      deliverySerial: 2,
    });
    expect(await channel.stream()).toMatchObject({
      nextHistorySerial: 2,
      nextDeliverySerial: 3,
      retainedMessages: 1,
    });
    expect((await channel.versions(serial)).map(({ action }) => action)).toEqual(['create', 'update']);
  });

  it('grow by every fragment once, whoever sends them, and are stored anew now and then', async () => {
    const channel = channelOf('grow');
    const serial = await channel.made('>');
    const writers = Array.from({ length: 4 }, (_, writer) =>
      Array.from({ length: 50 }, () => String(writer)),
    );
    await Promise.all(
      writers.map(async (fragments) => {
        for (const fragment of fragments) await channel.one(channel.append(serial, fragment));
      }),
    );
    const message = await channel.message(serial);
    const text = JSON.parse(message?.data?.text ?? '""') as string;
    expect(text.split('').sort().join('')).toBe(
      `${'0'.repeat(50)}${'1'.repeat(50)}${'2'.repeat(50)}${'3'.repeat(50)}>`,
    );
    expect(message).toMatchObject({ appends: 200, dataBytes: 201, action: 'append' });
    const versions = await channel.versions(serial);
    expect(versions.map(({ deliverySerial }) => deliverySerial)).toEqual(
      Array.from({ length: 201 }, (_, index) => index + 1),
    );
    expect(foldVersions(versions)?.data).toBe(message?.data?.text);
    await channel.write(channel.append(serial, 'é'), channel.append(serial, '!'));
    expect(JSON.parse((await channel.message(serial))?.data?.text ?? '""')).toBe(`${text}é!`);
  });

  it('have the whole of a text whose first fragments are over before its last', async () => {
    const channel = channelOf('outlived');
    channel.policy = { ...channel.policy, versions_ms: 24 * HOUR_MS };
    const serial = await channel.made('a');
    await channel.one(channel.append(serial, 'b'));
    channel.nowMs += 20 * HOUR_MS;
    await channel.write(channel.append(serial, 'c'), channel.append(serial, 'd'));
    channel.nowMs += 20 * HOUR_MS;
    expect(await channel.message(serial)).toMatchObject({ data: { text: '"abcd"' } });
    await channel.one(channel.append(serial, 'e'));
    expect(await channel.message(serial)).toMatchObject({ data: { text: '"abcde"' } });
  });

  it('are changed once by a repeated operation', async () => {
    const channel = channelOf('operations');
    const serial = await channel.made();
    const first = await channel.one(channel.append(serial, 'x', { op_id: 'o' }));
    const again = await channel.one(channel.append(serial, 'x', { op_id: 'o' }));
    expect(again).toMatchObject({
      status: 'duplicate',
      version_serial: first.version_serial,
      delivery_serial: first.delivery_serial,
      history_serial: 1,
    });
    expect(await channel.one(channel.append(serial, 'y', { op_id: 'o' }))).toMatchObject({
      status: 'rejected',
      code: 'conflict',
      http_status: 409,
    });
    expect(await channel.one(channel.update(serial, { data: '"x"', op_id: 'o' }))).toMatchObject({
      status: 'applied',
    });
    const [one, two] = await channel.write(
      channel.append(serial, 'z', { op_id: 'p' }),
      channel.append(serial, 'z', { op_id: 'p' }),
    );
    expect([one?.status, two?.status]).toEqual(['applied', 'duplicate']);
    expect(await channel.versions(serial)).toHaveLength(4);
  });

  it('are answered the same when a record comes again', async () => {
    const channel = channelOf('again');
    const serial = await channel.made();
    const record = channel.append(serial, 'x');
    const first = await channel.one(record);
    expect(await channel.one(record)).toMatchObject({
      status: 'applied',
      history_serial: 1,
      message_serial: serial,
      version_serial: first.version_serial,
      delivery_serial: 2,
    });
    const annotation = channel.annotate(serial, 'x:total.v1');
    const { annotation_serial } = await channel.one(annotation);
    expect(await channel.one(annotation)).toMatchObject({ status: 'applied', annotation_serial });
    expect(await channel.summaries()).toEqual({ 'x:total.v1': { total: 1 } });
  });

  it('leave a tombstone that can be read and grow again', async () => {
    const channel = channelOf('tombstone');
    const serial = await channel.made();
    await channel.one(
      channel.remove(serial, { clear_fields: ['data'], description: 'gone', metadata: '{"by":1}' }),
    );
    expect(await channel.message(serial)).toMatchObject({
      action: 'delete',
      data: { text: null },
      dataKind: 'none',
      description: 'gone',
      metadata: '{"by":1}',
    });
    await channel.one(channel.append(serial, 'x'));
    expect(await channel.message(serial)).toMatchObject({ action: 'append', data: { text: '"x"' } });
  });

  it('are not changed by who may not, nor when they are not there', async () => {
    const channel = channelOf('denied');
    const serial = await channel.made('x', { actor: { client_id: 'u1' } });
    const own = { grant: 'own', client_id: 'u2' } as const;
    const denied = await channel.one(channel.update(serial, { data: '1', actor: own }));
    expect(denied).toMatchObject({ code: 'mutable_not_permitted', http_status: 403, ai_code: 93_002 });
    expect(await channel.one(channel.append('none', 'x'))).toMatchObject({
      code: 'not_found',
      http_status: 404,
    });
    expect(await channel.one(channel.append(serial, 'x'.repeat(1_048_576)))).toMatchObject({
      http_status: 413,
    });
    expect(await channel.stream()).toMatchObject({ nextDeliverySerial: 2 });
  });

  it('go with a purge and with a reset, whatever was annotated to them', async () => {
    const channel = channelOf('gone');
    const [first, second] = [await channel.made('a'), await channel.made('b')];
    await channel.one(channel.annotate(first, 'x:total.v1'));
    const base = { pub_id: crypto.randomUUID(), app_id: 'shop', channel: 'gone', reason: 'a test' };
    await channel.one({ ...base, op: 'purge', mode: 'before_serial', before_serial: 2 });
    expect(await channel.message(first)).toBeUndefined();
    expect(await channel.one(channel.append(first, 'x'))).toMatchObject({ code: 'not_found' });
    expect(await channel.summaries()).toEqual({});
    expect(await channel.message(second)).toMatchObject({ data: { text: '"b"' } });
    await channel.one({ ...base, pub_id: crypto.randomUUID(), op: 'reset', stream: 'messages' });
    expect(await channel.message(second)).toBeUndefined();
    const third = await channel.made('c');
    expect(await channel.one(channel.annotate(third, 'x:total.v1'))).toMatchObject({ status: 'applied' });
    expect(await channel.summaries()).toEqual({ 'x:total.v1': { total: 1 } });
  });

  it('outlive their place in the history, and end with their newest version', async () => {
    const channel = channelOf('outlive');
    channel.policy = { ...channel.policy, history_ms: 1000, versions_ms: 10_000 };
    const serial = await channel.made('a');
    channel.nowMs = NOW_MS + 9000;
    await channel.one(channel.append(serial, 'b'));
    channel.nowMs = NOW_MS + 18_000;
    expect(await channel.message(serial)).toMatchObject({ data: { text: '"ab"' } });
    channel.nowMs = NOW_MS + 19_000;
    expect(await channel.message(serial)).toBeUndefined();
    expect(await channel.one(channel.append(serial, 'c'))).toMatchObject({ code: 'not_found' });
  });

  it('are counted while they are open streams, and found when nobody goes on with them', async () => {
    const channel = channelOf('streams');
    channel.policy = { ...channel.policy, ai: AI };
    const open = { extras: status('streaming') };
    const first = await channel.made('', open);
    channel.nowMs += 1000;
    const second = await channel.made('', open);
    expect(await channel.one(channel.create('', open))).toMatchObject({ http_status: 413, ai_code: 40_009 });
    const idle = { lane: 0, lanes: 1, limit: 10 };
    const found = await opened.store.idleStreams({ ...idle, idleSinceMs: NOW_MS });
    expect(found.map(({ address, message }) => [address.channel, message.messageSerial])).toEqual([
      ['streams', first],
    ]);
    const extras = JSON.stringify(status('complete'));
    await channel.one(channel.append(first, '', { extras }));
    expect(await channel.one(channel.append(first, 'x'))).toMatchObject({ code: 'invalid_input' });
    expect(await channel.stream()).toMatchObject({ openStreams: 1 });
    await channel.one({
      pub_id: crypto.randomUUID(),
      app_id: 'shop',
      channel: 'streams',
      reason: 'a test',
      op: 'purge',
      mode: 'all',
    });
    expect(await channel.stream()).toMatchObject({ openStreams: 0 });
    expect(await opened.store.idleStreams({ ...idle, idleSinceMs: NOW_MS + 5000 })).toEqual([]);
    expect(second > first).toBe(true);
  });

  it('are annotated, which is added up, listed and taken back once', async () => {
    const channel = channelOf('annotated');
    const serial = await channel.made();
    const type = 'reactions:distinct.v1';
    const like = (client_id: string) =>
      channel.annotate(serial, type, { name: 'like', client_id, data: '{"t":1.0}' });
    const [first] = await channel.write(like('u1'), like('u2'));
    const annotation = first?.annotation_serial ?? '';
    expect(annotation.endsWith('00000000000000000001')).toBe(true);
    expect(await channel.summaries()).toEqual({
      [type]: { like: { total: 2, clientIds: ['u1', 'u2'], clipped: false } },
    });
    expect(await channel.summaries([serial, 'other'])).toHaveProperty([type]);
    for (const others of [[], ['other']]) expect(await channel.summaries(others)).toEqual({});
    const taken = await channel.one(channel.unannotate(serial, annotation));
    const again = await channel.one(channel.unannotate(serial, annotation));
    expect(again).toMatchObject({
      status: 'duplicate',
      annotation_serial: taken.annotation_serial,
      extra: { deleted_annotation_serial: annotation },
    });
    expect(await channel.summaries()).toMatchObject({ [type]: { like: { total: 1, clientIds: ['u2'] } } });
    const { streamKey, nextDeliverySerial } = await channel.stream();
    expect(nextDeliverySerial).toBe(2);
    const query = { streamKey, messageSerial: serial, type, sinceMs: null, afterNo: 1, limit: 10 };
    const listed = await opened.store.annotations(query);
    expect(listed).toMatchObject([
      { annotationNo: 2, action: 'create', clientId: 'u2', data: '{"t":1.0}' },
      { annotationNo: 3, action: 'delete', clientId: 'u1', targetNo: 1, data: null },
    ]);
    const everywhere = { ...query, messageSerial: null, type: null, afterNo: 0 };
    expect(await opened.store.annotations(everywhere)).toMatchObject([
      { annotationNo: 1, messageSerial: serial },
      ...listed,
    ]);
    const wrong = [
      channel.annotate(serial, 'x:sum.v1'),
      channel.annotate(serial, 'x:flag.v1'),
      channel.annotate(serial, type, { client_id: 'u' }),
      channel.unannotate(serial, taken.annotation_serial ?? ''),
    ];
    for (const record of wrong) expect(await channel.one(record)).toMatchObject({ code: 'invalid_input' });
    expect(await channel.one(channel.annotate('none', type))).toMatchObject({ code: 'not_found' });
    expect(await channel.one(channel.unannotate(serial, 'x:1'))).toMatchObject({ code: 'not_found' });
    const own = { actor: { grant: 'own', client_id: 'u1' } } as const;
    const second = listed[0]?.annotationSerial ?? '';
    expect(await channel.one(channel.unannotate(serial, second, own))).toMatchObject({ code: 'forbidden' });
  });

  it('are refused with payload_too_large when a type has its most names or a message its most types', async () => {
    const channel = channelOf('limited');
    const serial = await channel.made();
    const add = (type: string, name: string) =>
      channel.annotate(serial, type, { client_id: 'u', name, max_names: 2, max_types: 2 });
    const records = ['one', 'two', 'three'].map((name) => add('a:distinct.v1', name));
    const [, , names, known] = await channel.write(...records, add('b:distinct.v1', 'one'));
    expect(names).toMatchObject({ code: 'payload_too_large' });
    expect(known).toMatchObject({ status: 'applied' });
    // The types of the next batch are counted in the store, those before it in the batch.
    for (let time = 0; time < 2; time += 1)
      expect(await channel.one(add('c:distinct.v1', 'one'))).toMatchObject({ code: 'payload_too_large' });
    expect(await channel.one(add('b:distinct.v1', 'two'))).toMatchObject({ status: 'applied' });
    expect(Object.keys(await channel.summaries([serial]))).toHaveLength(2);
  });

  it('are summed up exactly however many annotate, with as many names as a frame may have', async () => {
    const channel = channelOf('crowd');
    const serial = await channel.made();
    const flag = (n: number) =>
      channel.annotate(serial, 'read:flag.v1', {
        client_id: `a client with a long name ${n}`,
        max_frame_bytes: 10_240,
      });
    await channel.write(...Array.from({ length: 400 }, (_, n) => flag(n)));
    const { 'read:flag.v1': summary } = (await channel.summaries()) as {
      'read:flag.v1': { total: number; clientIds: string[] };
    };
    expect([summary.total, summary.clientIds.length]).toEqual([400, 400]);
    const last = JSON.parse((await channel.told(flag(0))).summary ?? '{}') as object;
    expect(last).toMatchObject({
      data: { annotations: { summary: { 'read:flag.v1': { total: 400, clipped: true } } } },
    });
    expect(Buffer.byteLength(JSON.stringify(last))).toBeLessThanOrEqual(10_240);
  });
});
