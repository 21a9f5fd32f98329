import { expect, it } from 'vitest';
import { type ClientV2, positionOf } from '../harness/client-v2.js';
import { heard, type Place, texts } from './place.js';

/** The next frames of a client, by event and text. */
const told = async (client: ClientV2, count: number): Promise<string[]> => {
  const lines: string[] = [];
  while (lines.length < count) {
    const { event, data } = await client.next();
    lines.push(`${event} ${String(data)}`);
  }
  return lines;
};

/** What is left of messages that change. */
export function changing(place: Place): void {
  it('tells versions to protocol 2 in pieces or whole, to who comes later whole, and to protocol 1 once', async () => {
    const channel = place.name('talk');
    const old = await place.old(1);
    await old.subscribe(channel);
    const pieces = await place.connect(1);
    const whole = await place.connect(0, { query: '&append_mode=full' });
    const begin = positionOf(await pieces.subscribe(channel));
    await whole.subscribe(channel);
    // By a pattern alone, and by both.
    const fitting = await place.connect(1, { query: '&append_mode=full' });
    await fitting.subscribe(`${channel}*`);
    const both = await place.connect(0);
    for (const name of [`${channel}*`, channel]) await both.subscribe(name);
    const { channels } = await place.post('/events', {
      name: 'note',
      channel,
      data: 'hello',
      message_id: channel,
    });
    const serial = (channels as Record<string, { message_serial: string }>)[channel]?.message_serial ?? '';
    const path = `/channels/${channel}/messages/${serial}`;
    await place.post(`${path}/append`, { data: ' world' });
    for (const client of [pieces, both])
      expect(await told(client, 2)).toEqual(['note hello', 'service:message.append  world']);
    for (const client of [whole, fitting])
      expect(await told(client, 2)).toEqual(['note hello', 'service:message.append hello world']);
    const late = await place.connect(1);
    await late.subscribe(channel, { rewind: 1 });
    const [shown] = await late.through('service:rewind_complete');
    expect(shown).toMatchObject({
      event: 'service:message.update',
      name: 'note',
      data: 'hello world',
      serial: 2,
      extras: { headers: { service_message_serial: serial, service_history_serial: 1 } },
    });
    const { frames } = await late.resume({ [channel]: begin });
    expect(frames).toMatchObject([
      { event: 'note', data: 'hello', serial: 1 },
      { event: 'service:message.append', name: 'note', data: ' world', serial: 2 },
    ]);
    expect(frames[1]?.message_id).toBe(shown?.message_id);
    await place.post(`${path}/update`, { data: 'bye' });
    for (const client of [pieces, whole, fitting, both])
      expect(await client.next()).toMatchObject({ event: 'service:message.update', data: 'bye', serial: 3 });
    await place.publish(channel, 'last');
    for (const client of [pieces, both]) expect(texts(await heard(client))).toEqual([]);
    expect(JSON.parse(await old.nextText())).toMatchObject({ event: 'note', data: 'hello' });
    expect(JSON.parse(await old.nextText())).toMatchObject({ event: 'news', data: 'last' });
  });

  it('keeps bytes bytes when something else of their message changes, now and later', async () => {
    const channel = place.name('private-picture');
    const sender = await place.connect(0, {
      format: place.format === 'protobuf' ? 'messagepack' : 'protobuf',
    });
    const other = await place.connect(1);
    const begin = positionOf(await other.subscribe(channel));
    await sender.subscribe(channel);
    const bytes = Buffer.from([0, 1, 127, 128, 255]);
    const wanted = place.format === 'json' ? [...bytes] : bytes;
    sender.send({ event: 'client-picture', channel, data: bytes });
    const { data, extras } = await other.until('client-picture');
    expect(data).toEqual(wanted);
    const headers = extras?.['headers'] as { service_message_serial: string };
    const path = `/channels/${channel}/messages/${headers.service_message_serial}`;
    await place.post(`${path}/update`, { extras: { headers: { seen: true } } });
    const update = { event: 'service:message.update', name: 'client-picture', data: wanted };
    expect(await other.next()).toMatchObject(update);
    const late = await place.connect(1);
    await late.subscribe(channel, { rewind: 1 });
    expect((await late.through('service:rewind_complete'))[0]).toMatchObject(update);
    const { frames } = await late.resume({ [channel]: begin });
    expect(frames.map((frame) => frame.data)).toEqual([wanted, wanted]);
    const append = await place.api().request('POST', `${path}/append`, { body: '{"data":"x"}' });
    expect(append.status).toBe(400);
    await place.post(`${path}/update`, { data: [1, 2] });
    expect(await other.next()).toMatchObject({ event: 'service:message.update', data: [1, 2] });
  });

  it('sums up what is said of messages, to who comes later too, and tells it one by one to whoever asked', async () => {
    const channel = place.name('room:liked');
    const [plain, each] = await place.both();
    await plain.subscribe(channel);
    const fitting = await place.connect(1);
    await fitting.subscribe(`${channel}*`);
    await each.signin('w', { capabilities: { 'annotation-subscribe': ['*'] } });
    await each.subscribe(channel, { modes: ['ANNOTATION_SUBSCRIBE'] });
    const { channels } = await place.post('/events', {
      name: 'note',
      channel,
      data: 'x',
      message_id: channel,
    });
    const serial = (channels as Record<string, { message_serial: string }>)[channel]?.message_serial ?? '';
    const type = 'reactions:distinct.v1';
    await place.post(`/channels/${channel}/messages/${serial}/annotations`, {
      type,
      name: 'like',
      clientId: 'u1',
    });
    const like = { total: 1, clientIds: ['u1'], clipped: false };
    const summary = {
      event: 'service_internal:message',
      channel,
      data: { action: 'message.summary', serial, annotations: { summary: { [type]: { like } } } },
      extras: { ephemeral: true },
    };
    for (const client of [plain, each, fitting]) {
      await client.until('note');
      expect(await client.next()).toEqual(summary);
    }
    expect(await each.next()).toMatchObject({
      event: 'service_internal:annotation',
      data: { action: 'annotation.create', messageSerial: serial, type, name: 'like', clientId: 'u1' },
    });
    const late = await place.connect(1);
    await late.subscribe(channel);
    expect(await late.next()).toEqual(summary);
    await place.publish(channel, 'last');
    for (const client of [plain, fitting]) expect(await heard(client)).toEqual([]);
  });
}
