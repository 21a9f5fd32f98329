import { expect, it } from 'vitest';
import { type ClientV2, positionOf } from '../harness/client-v2.js';
import { heard, type Place, texts } from './place.js';

/** What of what is published gets through, by event and text. */
const FILTERS: readonly (readonly [filter: object, heard: readonly string[]])[] = [
  [{ key: 'region', cmp: 'neq', val: 'us' }, ['news none', 'news eu', 'other eu']],
  [
    { tags: { op: 'or', nodes: [{ key: 'region', cmp: 'in', vals: ['eu', 'us'] }] } },
    ['news eu', 'news us', 'other eu', 'news {"total":5}', 'news {"total":125}'],
  ],
  [{ expression: 'data.total >= `100`' }, ['news {"total":125}']],
  [{ events: ['news'], tags: { key: 'region', cmp: 'sw', val: 'e' } }, ['news eu']],
];
/** Gets through all of them. */
const END = '{"total":1000}';
const MALFORMED: readonly object[] = [
  { key: 'region', cmp: 'in' },
  { tags: { op: 'and', nodes: Array.from({ length: 129 }, () => ({ key: 'a', cmp: 'ex' })) } },
  {
    tags: Array.from({ length: 17 }).reduce<object>((node) => ({ op: 'not', nodes: [node] }), {
      key: 'a',
      cmp: 'ex',
    }),
  },
  { expression: 'a'.repeat(4097) },
  { events: [''] },
];

/** The next event of a client, which must be that one. */
async function hears(client: ClientV2, event: string): Promise<unknown> {
  const frame = await client.next();
  expect(frame.event).toBe(event);
  return frame.data;
}

/** What clients said of what a client hears. */
const said = async (client: ClientV2): Promise<unknown[]> =>
  (await heard(client)).filter(({ event }) => event === 'client-x').map(({ data }) => data);

/** How clients are greeted, and what they hear of what servers and others say. */
export function speaking(place: Place): void {
  it('greets, answers a ping and what cannot be read, all in its format, and goes on', async () => {
    const client = await place.open(1);
    const { event, data, message_id: id } = await client.next();
    expect([event, typeof id]).toEqual(['service:connection_established', 'string']);
    expect(JSON.parse(String(data))).toEqual({
      socket_id: expect.stringMatching(/^\d+\.\d+$/),
      activity_timeout: 120,
      ...(place.isSession ? { session: expect.any(String), secret: expect.any(String) } : {}),
    });
    // A body that is no JSON refuses the request of a session, and nothing comes downstream.
    if (!place.isSession)
      client.sendBytes(place.format === 'json' ? Buffer.from('not json') : Buffer.from([0xc1, 0xff]));
    client.send({ event: '' });
    for (let n = place.isSession ? 1 : 0; n < 2; n += 1)
      expect(await client.next()).toMatchObject({ event: 'service:error', data: { code: 4000 } });
    client.send({ event: 'service:ping' });
    expect(await client.next()).toEqual({ event: 'service:pong' });
  });

  it('gives what a server publishes one id and place everywhere, and protocol 1 its text alone', async () => {
    const channel = place.name('orders');
    const old = await place.old(1);
    await old.subscribe(channel);
    const clients = await place.both();
    for (const client of clients) await client.subscribe(channel);
    const headers = { prio: 'high', weight: 1.5, urgent: true };
    const more = { tags: { region: 'eu', a: 'ü☃' }, extras: { headers: { ...headers, service_x: 'mine' } } };
    await place.api().publish(channel, 'news', { n: 1, text: '☃' }, more);
    const [one, other] = [await clients[0].next(), await clients[1].next()];
    expect(other).toEqual(one);
    expect(one).toMatchObject({
      event: 'news',
      channel,
      data: '{"n":1,"text":"☃"}',
      tags: more.tags,
      serial: 1,
      message_id: expect.any(String),
      stream_id: expect.any(String),
      extras: { headers },
    });
    expect(one.extras?.headers).not.toHaveProperty('service_x');
    await place.api().publishText(`{"name":"news","channel":"${channel}","data":{"n":12345678901234567890}}`);
    for (const client of clients) expect((await client.next()).data).toBe('{"n":12345678901234567890}');
    expect(JSON.parse(await old.nextText())).toEqual({ event: 'news', channel, data: '{"n":1,"text":"☃"}' });
    await place.api().publish(channel, 'news', 'not here', { socket_id: clients[0].socketId });
    await place.publish(channel, 'last');
    expect(texts(await heard(clients[0]))).toEqual([]);
    expect(texts(await heard(clients[1]))).toEqual(['not here']);
  });

  it('shows a sender what it said, unless connection or event say otherwise, and others always', async () => {
    const channel = place.name('private-echo');
    const [other, loud, quiet] = [
      await place.connect(1),
      await place.connect(0),
      await place.connect(0, { query: '&echo_messages=false' }),
    ];
    for (const client of [other, loud, quiet]) await client.subscribe(channel);
    const say = async (sender: ClientV2, data: string, extras?: { echo: boolean }): Promise<void> => {
      sender.send({ event: 'client-x', channel, data, ...(extras && { extras }) });
      expect(await hears(other, 'client-x')).toBe(data);
    };
    await say(loud, 'a');
    await say(loud, 'b', { echo: false });
    await say(quiet, 'c');
    await say(quiet, 'd', { echo: true });
    await place.publish(channel, 'last');
    expect([await said(loud), await said(quiet)]).toEqual([
      ['a', 'c', 'd'],
      ['a', 'b', 'd'],
    ]);
  });

  it('passes bytes on as bytes, and as a list of them to who has only JSON, now and later', async () => {
    const channel = place.name('private-bytes');
    const sender = await place.connect(0, {
      format: place.format === 'protobuf' ? 'messagepack' : 'protobuf',
    });
    const other = await place.connect(1);
    const old = await place.old(1);
    const begin = positionOf(await other.subscribe(channel));
    for (const client of [sender, old]) await client.subscribe(channel);
    const bytes = Buffer.from([0, 1, 127, 128, 255]);
    sender.send({ event: 'client-x', channel, data: bytes });
    expect(await hears(sender, 'client-x')).toEqual(bytes);
    const wanted = place.format === 'json' ? [...bytes] : bytes;
    expect(await hears(other, 'client-x')).toEqual(wanted);
    expect(JSON.parse(await old.nextText())).toEqual({ event: 'client-x', channel, data: [...bytes] });
    const late = await place.connect(1);
    await late.subscribe(channel);
    const { frames } = await late.resume({ [channel]: begin });
    expect(frames.map(({ data }) => data)).toEqual([wanted]);
  });

  it('passes on everything that a client says at one go, in order', async () => {
    const channel = place.name('private-burst');
    const [sender, other] = await place.both();
    for (const client of [sender, other]) await client.subscribe(channel);
    const all = Array.from({ length: 130 }, (_, n) => n);
    // With an id and without one, which are passed on in two ways.
    for (const n of all)
      sender.send({ event: 'client-x', channel, data: n, ...(n % 3 === 0 && { message_id: `n-${n}` }) });
    for (const client of [other, sender])
      for (const n of all) expect(await hears(client, 'client-x')).toBe(n);
  });

  it('tells once what a client says again under its id, and refuses other content under it', async () => {
    const channel = place.name('private-again');
    const [sender, other] = await place.both();
    const old = await place.old(1);
    await old.subscribe(channel);
    for (const client of [sender, other]) await client.subscribe(channel);
    const say = (client: ClientV2, n: number): void =>
      client.send({ event: 'client-x', channel, data: { n }, message_id: 'm-1' });
    say(sender, 1);
    for (const client of [sender, other]) expect(await hears(client, 'client-x')).toEqual({ n: 1 });
    say(sender, 1);
    say(other, 1);
    say(other, 2);
    expect(await other.next()).toMatchObject({ event: 'service:error', channel, data: { code: 4000 } });
    sender.send({ event: 'client-last', channel, data: {} });
    for (const client of [sender, other]) await hears(client, 'client-last');
    expect(JSON.parse(await old.nextText())).toEqual({ event: 'client-x', channel, data: { n: 1 } });
    expect(JSON.parse(await old.nextText())).toMatchObject({ event: 'client-last' });
  });

  it('gives what is not to last to who is here, without a place, and nobody afterwards', async () => {
    const channel = place.name('private-cursor');
    const [sender, other] = await place.both();
    const begin = await sender.subscribe(channel);
    await other.subscribe(channel);
    sender.send({
      event: 'client-x',
      channel,
      data: 1,
      extras: { ephemeral: true, headers: { pen: 'red' } },
    });
    for (const client of [sender, other]) {
      const frame = await client.next();
      expect(frame).toMatchObject({
        event: 'client-x',
        extras: { ephemeral: true, headers: { pen: 'red' } },
      });
      expect(frame).not.toHaveProperty('serial');
    }
    await place.api().publish(channel, 'news', 'brief', { extras: { ephemeral: true } });
    await place.publish(channel, 'last');
    const [brief] = await heard(other);
    expect([brief?.data, brief?.serial, brief?.extras?.ephemeral]).toEqual(['brief', undefined, true]);
    const late = await place.connect(1);
    await late.subscribe(channel);
    const { stream_id = '', serial = 0 } = begin;
    const { frames } = await late.resume({ [channel]: { stream_id, serial } });
    expect(texts(frames)).toEqual(['last']);
  });

  it('keeps back what a filter does not let through, and refuses one that is malformed', async () => {
    const channel = place.name('filtered');
    const clients: ClientV2[] = [];
    for (const [at, [filter]] of FILTERS.entries()) {
      const client = await place.connect(at % 2 === 0 ? 0 : 1);
      await client.subscribe(channel, { filter: { ...filter } });
      clients.push(client);
    }
    const api = place.api();
    await api.publish(channel, 'news', 'none');
    for (const region of ['eu', 'us']) await api.publish(channel, 'news', region, { tags: { region } });
    await api.publish(channel, 'other', 'eu', { tags: { region: 'eu' } });
    for (const total of [5, 125]) await api.publish(channel, 'news', { total }, { tags: { region: 'us' } });
    await api.publish(channel, 'news', END, { tags: { region: 'eu' } });
    for (const [at, [, wanted]] of FILTERS.entries()) {
      const client = clients[at];
      const frames = client === undefined ? [] : await heard(client, END);
      expect(frames.map(({ event, data }) => `${event} ${String(data)}`)).toEqual(wanted);
    }
    const all = await place.connect(1);
    await all.subscribe(channel);
    for (const filter of MALFORMED) expect(await all.refused(channel, { filter })).toEqual([4000, 400]);
    // What it had stays.
    await place.publish(channel, 'end');
    expect((await all.until('news')).data).toBe('end');
  });
}
