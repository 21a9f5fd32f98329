import { expect, it } from 'vitest';
import { ClientV2 } from '../harness/client-v2.js';
import { type Block, frameOf, textsOf } from '../harness/event-reader.js';
import { onServer } from '../harness/every-app.js';
import { channelAuth } from '../harness/signatures.js';
import { failureOf, inSeconds, name, serialOf, shop, successOf, STREAMING, Streaming } from './place.js';

onServer('event streams', STREAMING, (node) => {
  const streams = new Streaming(node);

  it('opens with the head, then connection_established and subscription_succeeded with ids', async () => {
    const stream = await streams.open(`channels=${name('a')}`, { 'accept-encoding': 'gzip' });
    expect([stream.status, stream.response.headers]).toMatchObject([
      200,
      {
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
        'transfer-encoding': 'chunked',
        'access-control-allow-origin': '*',
      },
    ]);
    expect(stream.response.headers['content-encoding']).toBeUndefined();
    const first = await stream.next();
    expect(first).toMatchObject({ event: 'connection_established', retry: expect.stringMatching(/^\d+$/) });
    const second = await stream.next();
    expect(second.event).toBe('subscription_succeeded');
    expect([first.id, second.id]).toEqual([first.id, first.id]);
    expect(first.id).toMatch(/^1\.[\w-]{6}\.[\w-]{6}0$/);
  });

  it('sends the frame of a socket byte for byte, one block per message, and positions per channel', async () => {
    const [a, b] = [name('a'), name('b')];
    const socket = await ClientV2.connect(node);
    await socket.subscribe(a);
    const readers = [
      await streams.open(`channels=${a},${b}`),
      await streams.open(`channels=${a}`),
      await streams.open(`channels=${a}`),
    ];
    for (const reader of readers) await reader.until('subscription_succeeded');
    await readers[0]?.until('subscription_succeeded');
    await streams.publish(a, 'one');
    await streams.publish(b, 'two');
    const frame = await socket.next();
    const [both, one, same] = await Promise.all(readers.map((reader) => reader.next()));
    expect(one).toEqual(same);
    expect(both?.data).toBe(one?.data);
    expect(JSON.parse(one?.data ?? '')).toEqual(frame);
    const next = await readers[0]?.next();
    const [parts, later] = [both?.id?.split('.') ?? [], next?.id?.split('.') ?? []];
    expect([parts.length, later.length, parts[2] === later[2], parts[3] === later[3]]).toEqual([
      4,
      4,
      true,
      false,
    ]);
  });

  it('writes a client event with line breaks in its JSON as one line', async () => {
    const channel = name('private-lines');
    const expires = inSeconds(60);
    const auth = channelAuth(shop, `0.${expires}`, channel);
    const stream = await streams.open(`channels=${channel}&auth=${auth}&expires=${expires}`);
    await stream.until('subscription_succeeded');
    const socket = await ClientV2.connect(node);
    await socket.subscribe(channel);
    socket.sendBytes(Buffer.from(`{"event":"client-x","channel":"${channel}","data":{"a":\n[1,\r\n2]}}`));
    const block = await stream.next();
    expect([block.event, frameOf(block).data]).toEqual(['message', { a: [1, 2] }]);
  });

  it('reads channels by their parameters, and refuses wrong ones naming the parameter', async () => {
    const encoded = await streams.open('channels=a%2Cb');
    expect((await encoded.through('subscription_succeeded')).length).toBe(2);
    expect(frameOf(await encoded.until('subscription_succeeded')).channel).toBe('b');
    for (const [query, text] of [
      ['', 'channels'],
      ['channels=1,2,3,4,5,6', 'channels'],
      ['channels=a&format=xml', 'format'],
      ['channels=a&protocol=7', 'protocol'],
      ['channels=a&rewind=x', 'rewind'],
      ['channels=a&filter=%7B', 'filter'],
      ['channels=a&append_mode=x', 'append_mode'],
      ['channels=a&refusals=x', 'refusals'],
      ['channels=private-a&auth=x', 'expires'],
      ['channels=private-a&expires=5x&auth=x', 'expires'],
      [`channels=private-a&expires=${inSeconds(90_000)}&auth=x`, 'expires'],
      [`channels=private-a&expires=${inSeconds(60)}&auth=x,y`, 'auth'],
    ] as const) {
      const refused = await streams.open(query);
      const { code, error } = await refused.json();
      expect([query, refused.status, code]).toEqual([query, 400, 'invalid_input']);
      expect(String(error)).toContain(text);
    }
  });

  it('resumes after missed messages with their ids, in order, then live', async () => {
    const channel = name('missed');
    const { stream, id: idle } = await streams.subscribed(channel);
    stream.leave();
    const none = await streams.open(`channels=${channel}`, { 'last-event-id': idle });
    expect(successOf(await none.until('resumed')).recovered).toMatchObject([{ channel, replayed: 0 }]);
    none.leave();
    await streams.publish(channel, 'a', 'b', 'c', 'd', 'e');
    const back = await streams.open(`channels=${channel}&last_event_id=nonsense`, { 'last-event-id': idle });
    const blocks = await back.through('resumed');
    expect(textsOf(blocks)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(successOf(blocks.at(-1) as Block).recovered).toMatchObject([{ channel, replayed: 5 }]);
    await streams.publish(channel, 'f');
    expect(textsOf([await back.next()])).toEqual(['f']);
    // Cut at any block, nothing is lost and nothing comes twice.
    for (const [at, { id = '', event }] of blocks.entries()) {
      const again = await streams.open(`channels=${channel}`, { 'last-event-id': id });
      const seen = textsOf(blocks.slice(0, at + 1));
      expect([event, ...seen, ...textsOf(await again.through('resumed'))]).toEqual([
        event,
        'a',
        'b',
        'c',
        'd',
        'e',
        'f',
      ]);
      again.leave();
    }
  });

  it('gives each channel its own outcome in request order, and is not notified again of a gap', async () => {
    const [a, b, c] = [name('a'), name('b'), name('c')];
    const stream = await streams.open(`channels=${a},${b},${c}`);
    for (const _ of [a, b, c]) await stream.until('subscription_succeeded');
    stream.leave();
    const { id = '' } = await streams.open(`channels=${a},${b},${c}`).then((one) => one.next());
    await streams.publish(a, 'a1');
    for (let n = 0; n < 21; n += 1) await streams.publish(b, `b${n}`);
    await streams.publish(c, 'c1', 'c2');
    const back = await streams.open(`channels=${a},${b},${c}`, { 'last-event-id': id });
    const blocks = await back.through('resumed');
    blocks.push(...(await back.through('resumed')));
    expect(textsOf(blocks)).toEqual(['a1', 'c1', 'c2']);
    const outcomes = blocks.filter(({ event }) => event.startsWith('resume'));
    expect(outcomes.map(({ event }) => event)).toEqual(['resumed', 'resume_failed', 'resumed']);
    expect(failureOf(outcomes[1] as Block)).toMatchObject({
      channel: b,
      code: 'position_expired',
      reason: 'recovery_window_exceeded',
    });
    back.leave();
    const again = await streams.open(`channels=${a},${b},${c}`, { 'last-event-id': blocks.at(-1)?.id ?? '' });
    const events = [];
    for (const _ of [a, b, c]) events.push((await again.until('resumed')).event);
    expect(events).toHaveLength(3);
  });

  it.each([
    ['nonsense', 'malformed_position'],
    [`1.${'x'.repeat(5000)}`, 'malformed_position'],
    ['1.aaaaaa.bbbbbb1', 'channel_list_changed'],
  ])('answers 200 and resume_failed for the id %s', async (id, reason) => {
    const stream = await streams.open(`channels=${name('x')}`, { 'last-event-id': id.slice(0, 6000) });
    expect(stream.status).toBe(200);
    const failed = await stream.until('resume_failed');
    expect(failureOf(failed)).toMatchObject({ code: 'continuity_unverifiable', reason });
    expect(failed.id).toMatch(/\.[\w-]{6}0$/);
  });

  it('streams patterns and meta channels live, and answers no_position on a reconnect', async () => {
    const base = name('wild');
    const stream = await streams.open(`channels=${base}*,%5Bmeta%5D${base}x`);
    await stream.until('subscription_succeeded');
    const { id = '' } = await stream.until('subscription_succeeded');
    expect(id).toMatch(/^1\.[\w-]{6}\.\.$/);
    await streams.publish(`${base}x`, 'hello');
    expect(textsOf(await stream.messages(1))).toEqual(['hello']);
    const back = await streams.open(`channels=${base}*,%5Bmeta%5D${base}x`, { 'last-event-id': id });
    for (const channel of [`${base}*`, `[meta]${base}x`])
      expect(failureOf(await back.until('resume_failed'))).toMatchObject({ channel, reason: 'no_position' });
  });

  it('repeats an unfinished rewind, and has none when resumed', async () => {
    const channel = name('rewound');
    await streams.publish(channel, 'a', 'b', 'c', 'd');
    const stream = await streams.open(`channels=${channel}&rewind=3`);
    const blocks = await stream.through('rewind_complete');
    expect(textsOf(blocks)).toEqual(['b', 'c', 'd']);
    const ids = blocks.map(({ id }) => id ?? '');
    expect(ids.slice(0, -1).every((id) => id.endsWith('.~'))).toBe(true);
    expect(ids.at(-1)).toMatch(/\.[\w-]{6}4$/);
    stream.leave();
    const cut = await streams.open(`channels=${channel}&rewind=3`, { 'last-event-id': ids[2] ?? '' });
    expect(textsOf(await cut.through('rewind_complete'))).toEqual(['b', 'c', 'd']);
    cut.leave();
    const resumed = await streams.open(`channels=${channel}&rewind=3`, { 'last-event-id': ids.at(-1) ?? '' });
    expect(textsOf(await resumed.through('resumed'))).toEqual([]);
    await streams.publish(channel, 'e');
    expect(textsOf([await resumed.next()])).toEqual(['e']);
  });

  it('misses nothing and repeats nothing over 20 reconnects while messages are published', async () => {
    const channel = name('cut');
    const seen: string[] = [];
    let id = (await streams.subscribed(channel)).id;
    let published = 0;
    for (let round = 0; round < 20; round += 1) {
      const stream = await streams.open(`channels=${channel}`, { 'last-event-id': id });
      for (let n = 0; n < 3; n += 1) await streams.publish(channel, String((published += 1)));
      for (const block of await stream.messages(round === 0 ? 2 : 3)) {
        seen.push(String(frameOf(block).data));
        id = block.id ?? '';
      }
      stream.leave();
    }
    const last = await streams.open(`channels=${channel}`, { 'last-event-id': id });
    seen.push(...(await last.messages(1)).map((block) => String(frameOf(block).data)));
    expect(seen).toEqual(Array.from({ length: 60 }, (_, n) => String(n + 1)));
  });

  it('moves the position of a filtered stream without messages, so that it stays recoverable', async () => {
    const channel = name('filtered');
    const filter = encodeURIComponent(JSON.stringify({ events: ['wanted'] }));
    const stream = await streams.open(`channels=${channel}&filter=${filter}`);
    await stream.until('subscription_succeeded');
    for (let n = 0; n < 45; n += 1) await streams.publish(channel, `x${n}`);
    // Half of the window is the most that an id lags behind.
    let id = '';
    while (!(serialOf(id) > 45 - 10)) id = (await stream.until('position')).id ?? '';
    await node.api().publish(channel, 'wanted', 'y');
    const back = await streams.open(`channels=${channel}&filter=${filter}`, { 'last-event-id': id });
    expect(textsOf(await back.through('resumed'))).toEqual(['y']);
  });
});
