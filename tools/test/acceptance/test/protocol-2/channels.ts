import { expect, it } from 'vitest';
import type { ClientV2, FrameV2 } from '../harness/client-v2.js';
import { heard, type Place, placed, texts } from './place.js';

const TEXT = 'what is the same in all of them, and long enough to be worth a difference; '.repeat(4);

/** The next event of a meta channel: its name and how many have the channel. */
async function nextCount(client: ClientV2): Promise<readonly unknown[]> {
  const { event, data } = await client.next();
  return [event, (data as { subscription_count?: number }).subscription_count];
}

/** What protocol 2 has of channels: patterns, meta channels, members who say something of themselves, last events. */
export function channels(place: Place): void {
  it('brings what fits a pattern from wherever it is published, once, in its place', async () => {
    const prefix = place.name('news');
    const [here, there] = await place.both();
    expect((await here.subscribe(`${prefix}.*`)).channel).toBe(`${prefix}.*`);
    await here.subscribe(`${prefix}.eu`);
    await there.subscribe('*');
    for (const channel of [`${prefix}.eu`, `private-${prefix}.eu`, `presence-${prefix}.eu`])
      await place.publish(channel, channel, 'last');
    expect(placed(await heard(here))).toEqual([`${prefix}.eu 1`]);
    const own = (await heard(there)).filter(({ channel = '' }) => channel.includes(prefix));
    expect(placed(own)).toEqual([`${prefix}.eu 1`]);
    // From the first on, though nobody here has the channel itself.
    await place.publish(`${prefix}.us`, '1', '2', 'last');
    for (const client of [here, there]) {
      const frames = (await heard(client)).filter(({ channel }) => channel === `${prefix}.us`);
      expect(placed(frames)).toEqual(['1 1', '2 2']);
    }
    await there.unsubscribe('*');
    await place.publish(`${prefix}.eu`, 'again', 'last');
    expect(placed(await heard(here))).toEqual(['again 3']);
    expect(await there.pending()).toEqual([]);
    const old = await place.old(1);
    old.ask('news.*');
    expect((await old.nextError()).data.code).toBe(4300);
    for (const pattern of ['a.*.*', 'private-*']) expect(await here.refused(pattern)).toEqual([4300, 400]);
  });

  it('tells on a meta channel of who comes and goes at any gateway, and lists neither', async () => {
    const [channel, pattern] = [place.name('orders'), `${place.name('pattern')}.*`];
    const watcher = await place.connect(0);
    await watcher.subscribe(`[meta]${channel}`);
    await watcher.subscribe(pattern);
    const [here, there] = await place.both();
    await there.subscribe(channel);
    expect(await nextCount(watcher)).toEqual(['service_internal:channel_occupied', 1]);
    expect(await nextCount(watcher)).toEqual(['service_internal:subscription_count', 1]);
    await here.subscribe(channel);
    expect(await nextCount(watcher)).toEqual(['service_internal:subscription_count', 2]);
    const { body } = await place.api().request('GET', '/channels', { query: {} });
    const listed = Object.keys((JSON.parse(body) as { channels: object }).channels);
    expect(listed.filter((name) => /\*|\[meta\]/.test(name))).toEqual([]);
    expect(listed).toContain(channel);
    there.vanish();
    expect(await nextCount(watcher)).toEqual(['service_internal:subscription_count', 1]);
    await here.unsubscribe(channel);
    expect(await nextCount(watcher)).toEqual(['service_internal:channel_vacated', 0]);
    expect(await watcher.refused('[meta]private-x', { auth: '' })).toEqual([4009, 403]);
  });

  it('tells members what one of them says anew, the next one too, and protocol 1 nothing', async () => {
    const channel = place.name('presence-lobby');
    const old = await place.old(1);
    await old.join(channel, 'old');
    const [ada, bo] = await place.both();
    await ada.subscribe(channel, {}, 'ada');
    await bo.subscribe(channel, {}, 'bo');
    await ada.until('service_internal:member_added');
    await old.pending();
    const update = (data: object): void =>
      ada.send({ event: 'service:presence_update', data: { channel, data } });
    update({ status: 'x'.repeat(1024) });
    expect(await ada.next()).toMatchObject({ event: 'service:error', data: { code: 40_009 } });
    update({ status: 'away' });
    for (const client of [ada, bo]) {
      const { event, data } = await client.next();
      expect(event).toBe('service_internal:presence_update');
      expect(JSON.parse(String(data))).toEqual({ user_id: 'ada', user_info: { status: 'away' } });
    }
    const late = await place.connect(1);
    const { data } = await late.subscribe(channel, {}, 'late');
    const { presence } = JSON.parse(String(data)) as { presence: { hash: object } };
    expect(presence.hash).toEqual({ old: {}, ada: { status: 'away' }, bo: {}, late: {} });
    expect(JSON.parse(await old.nextText())).toMatchObject({ event: 'pusher_internal:member_added' });
  });

  it('shows who comes later the last event of a cache channel, or that there is none', async () => {
    const channel = place.name('cache-prices');
    const first = await place.connect(0);
    await first.subscribe(channel);
    expect(await first.next()).toMatchObject({ event: 'service:cache_miss', channel, data: '{}' });
    await place.api().publish(channel, 'news', 'price', { tags: { a: 'b' } });
    const live = await first.next();
    const late = await place.connect(1);
    await late.subscribe(channel);
    expect(await late.next()).toEqual(live);
    expect(live).toMatchObject({ event: 'news', data: 'price', tags: { a: 'b' }, serial: 1 });
  });

  it('sends differences where they are spoken, and whole messages to everybody else', async () => {
    const channel = place.name('mkt');
    const old = await place.old(1);
    await old.subscribe(channel);
    const clients = await place.both();
    for (const client of clients) await client.subscribe(channel, { delta: 'xdelta3' });
    const isSpoken = place.format === 'json';
    for (const client of clients) {
      const { event, data } = await client.next();
      expect([event, data]).toMatchObject([
        'service:delta_compression_enabled',
        isSpoken ? { enabled: true, algorithm: 'xdelta3', channel } : { enabled: false },
      ]);
    }
    const wanted = Array.from({ length: 4 }, (_, n) => `${TEXT}${n}`);
    await place.publish(channel, ...wanted);
    for (const client of clients) {
      if (!isSpoken) {
        for (const text of wanted) expect(texts([await client.next()])).toEqual([text]);
        continue;
      }
      for (let n = 0; n < 2; n += 1)
        expect(await client.next()).toMatchObject({ data: wanted[n], __delta_seq: n });
      for (let n = 2; n < 4; n += 1) {
        const data = { event: 'news', seq: n, base_index: n - 1, algorithm: 'xdelta3' };
        expect(await client.next()).toMatchObject({ event: 'service:delta', serial: n + 1, data });
      }
    }
    for (const data of wanted)
      expect(JSON.parse(await old.nextText())).toEqual({ event: 'news', channel, data });
  });
}

/** How a message of a group came, and where it stands in that. */
function wayOf({ event, data, ...frame }: FrameV2): string {
  if (event === 'news') return `full ${frame.__delta_seq} ${frame.__conflation_key}`;
  const { seq, base_index: base, conflation_key: group } = data as Readonly<Record<string, unknown>>;
  return `${event} ${String(seq)} of ${String(base)} ${String(group)}`;
}

const ways = async (client: ClientV2, count: number): Promise<string[]> => {
  const got: string[] = [];
  while (got.length < count) got.push(wayOf(await client.next()));
  return got;
};

/** Groups of messages that each have differences of their own: of JSON alone. */
export function grouping(place: Place): void {
  if (place.format !== 'json') return;

  it('tells groups apart, each with a sequence of its own, until a client says that it lost its bases', async () => {
    const channel = place.name('keyed');
    const clients = await place.both();
    const [here, there] = clients;
    for (const client of clients) {
      await client.subscribe(channel, { delta: true });
      await client.until('service:delta_compression_enabled');
    }
    const publish = (asset: string, price: number): Promise<void> =>
      place.api().publish(channel, 'news', { asset, price, text: TEXT });
    for (const price of [1, 2, 3]) for (const asset of ['BTC', 'ETH']) await publish(asset, price);
    for (const client of clients)
      expect(await ways(client, 6)).toEqual([
        'full 0 BTC',
        'full 0 ETH',
        'full 1 BTC',
        'full 1 ETH',
        'service:delta 2 of 1 BTC',
        'service:delta 2 of 1 ETH',
      ]);
    here.send({ event: 'service:delta_sync_error', data: { channel } });
    expect(await here.pending()).toEqual([]);
    await publish('BTC', 4);
    expect(await ways(here, 1)).toEqual(['full 0 BTC']);
    expect(await ways(there, 1)).toEqual(['service:delta 3 of 2 BTC']);
    const late = await place.connect(1);
    await late.subscribe(channel, { delta: true });
    await late.until('service:delta_compression_enabled');
    const { event, data } = await late.next();
    const sync = JSON.parse(String(data)) as {
      conflation_key: string;
      states: Record<string, { seq: number }[]>;
    };
    expect([event, sync.conflation_key]).toEqual(['service:delta_cache_sync', 'asset']);
    expect(Object.entries(sync.states).map(([group, [base]]) => [group, base?.seq])).toEqual(
      expect.arrayContaining([
        ['BTC', 0],
        ['ETH', 0],
      ]),
    );
    await publish('ETH', 5);
    expect(await ways(late, 1)).toEqual(['full 1 ETH']);
    await publish('ETH', 6);
    expect(await ways(late, 1)).toEqual(['service:delta 2 of 1 ETH']);
  });
}
