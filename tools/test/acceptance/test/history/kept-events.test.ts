import { expect, it } from 'vitest';
import { expectRefused, told } from '../harness/answers.js';
import { onServerHttp } from '../harness/every-app.js';
import { onEveryStore } from '../harness/every-store.js';
import { eventually } from '../harness/eventually.js';
import type { Node } from '../harness/node.js';
import { tenant } from '../harness/tenant.js';

const shop = tenant('shop', { features: { enable_client_messages: true } });
const forgetful = tenant('forgetful', { history: { enabled: false } });
const env = { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory' };

interface Item {
  readonly serial: number;
  readonly event_name: string;
  readonly message: { readonly data: unknown };
}

interface Page {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
  readonly continuity: { readonly stream_id: string | null; readonly complete: boolean };
}

async function page(node: Node, channel: string, query: Record<string, string> = {}): Promise<Page> {
  const path = `/channels/${channel}/history`;
  const [status, body] = await told(node.api().request('GET', path, { query }));
  expect(status).toBe(200);
  return body as Page;
}

const oldestFirst = { direction: 'oldest_first' };
const dataOf = ({ items }: Page): unknown[] => items.map(({ message }) => message.data);

/** What is promised wherever it is kept. */
function keptEvents(node: Node): void {
  it('is in the history once it is answered, in the order in which subscribers get it', async () => {
    const client = await node.connect();
    await client.subscribe('orders');
    const sent = Array.from({ length: 40 }, (_, n) => `${n}`);
    await Promise.all(sent.map((data) => node.api().publish('orders', 'e', data)));
    const whole = await page(node, 'orders', oldestFirst);
    expect(whole.items.map(({ serial }) => serial)).toEqual(sent.map((_, at) => at + 1));
    const got: unknown[] = [];
    while (got.length < sent.length) got.push((await client.next()).data);
    expect(got).toEqual(dataOf(whole));
    expect(await client.pending()).toEqual([]);
  });

  it('is in none where the app keeps none, and is delivered all the same', async () => {
    const client = await node.connect(forgetful);
    await client.subscribe('orders');
    await node.api(forgetful).publish('orders', 'e', 'x');
    expect((await client.next()).data).toBe('x');
    const read = node.api(forgetful).request('GET', '/channels/orders/history');
    await expectRefused(read, 422, 'feature_disabled');
  });

  it('does not come back to its own publisher, and has nothing of protocol 2 for subscribers of protocol 1', async () => {
    const [one, other] = [await node.connect(), await node.connect()];
    for (const client of [one, other]) await client.subscribe('excepted');
    const more = { socket_id: one.socketId, tags: { a: 'b' }, extras: { headers: { c: 'd' } } };
    await node.api().publish('excepted', 'e', 'x', more);
    expect(await other.nextText()).toBe('{"event":"e","channel":"excepted","data":"x"}');
    expect(await one.pending()).toEqual([]);
    expect((await page(node, 'excepted')).items[0]?.message).toMatchObject({
      tags: { a: 'b' },
      extras: { headers: { c: 'd' } },
    });
  });

  it('may be a client’s', async () => {
    const [one, other] = [await node.connect(), await node.connect()];
    for (const client of [one, other]) await client.subscribe('private-talk');
    one.send({ event: 'client-said', channel: 'private-talk', data: { hello: 1 } });
    expect(await other.next()).toEqual({ event: 'client-said', channel: 'private-talk', data: { hello: 1 } });
    await eventually(async () =>
      expect((await page(node, 'private-talk')).items).toMatchObject([
        { event_name: 'client-said', message: { data: { hello: 1 } } },
      ]),
    );
  });

  it('is shown to later subscribers of a cache channel', async () => {
    await node.api().publish('cache-prices', 'e', 'one');
    await node.api().publish('cache-prices', 'e', 'two');
    const client = await node.connect();
    await client.subscribe('cache-prices');
    expect(await client.next()).toMatchObject({ event: 'e', data: 'two' });
  });

  it('is published once for its id, and to no channel again that has it', async () => {
    const client = await node.connect();
    await client.subscribe('once');
    const body = JSON.stringify({ name: 'e', channel: 'once', data: 'x', message_id: 'm-1' });
    const [first, again] = [
      await told(node.api().request('POST', '/events', { body })),
      await told(node.api().request('POST', '/events', { body })),
    ];
    expect(first).toEqual([200, { channels: { once: { acknowledgement_id: 'm-1', history_serial: 1 } } }]);
    expect(again).toEqual(first);
    expect((await client.next()).data).toBe('x');
    expect(await client.pending()).toEqual([]);
  });

  it('is walked page by page from either end', async () => {
    for (let n = 1; n <= 5; n += 1) await node.api().publish('walked', 'e', `${n}`);
    for (const [direction, pages] of [
      ['newest_first', [['5', '4'], ['3', '2'], ['1']]],
      ['oldest_first', [['1', '2'], ['3', '4'], ['5']]],
    ] as const) {
      const got: unknown[][] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const query: Record<string, string> = { limit: '2', direction, ...(cursor === '' ? {} : { cursor }) };
        const one: Page = await page(node, 'walked', query);
        got.push(dataOf(one));
        cursor = one.next_cursor;
      }
      expect(got).toEqual(pages);
    }
  });

  it('is gone after a reset or a purge, while subscribers go on', async () => {
    const client = await node.connect();
    await client.subscribe('moved');
    const act = async (operation: string, more: object = {}, channel = 'moved') => {
      const body = JSON.stringify({
        confirm_channel: channel,
        confirm_operation: operation,
        reason: 'r',
        ...more,
      });
      return told(node.api().request('POST', `/channels/${channel}/history/${operation}`, { body }));
    };
    for (let n = 1; n <= 3; n += 1) await node.api().publish('moved', 'e', `${n}`);
    const { continuity } = await page(node, 'moved');
    expect(await act('purge', { mode: 'before_serial', before_serial: 3 })).toMatchObject([
      200,
      { purged_messages: 2, stream: { stream_id: continuity.stream_id, next_serial: 4 } },
    ]);
    expect(await act('reset')).toMatchObject([
      200,
      { previous_stream_id: continuity.stream_id, purged_messages: 1, stream: { next_serial: 1 } },
    ]);
    await node.api().publish('moved', 'e', '4');
    expect((await page(node, 'moved')).items).toMatchObject([{ serial: 1, message: { data: '4' } }]);
    const got: unknown[] = [];
    for (let n = 1; n <= 4; n += 1) got.push((await client.next()).data);
    expect(got).toEqual(['1', '2', '3', '4']);
    // So is a last event that is of what is gone, and no other.
    const last = async (): Promise<unknown> => {
      const late = await node.connect();
      await late.subscribe('cache-moved');
      const { event, data } = await late.next();
      return event === 'e' ? data : event;
    };
    for (let n = 1; n <= 2; n += 1) await node.api().publish('cache-moved', 'e', `${n}`);
    await act('purge', { mode: 'before_serial', before_serial: 2 }, 'cache-moved');
    expect(await last()).toBe('2');
    const shown = async () => (await node.api().channel('cache-moved', 'cache'))['cache'];
    expect(await shown()).toMatchObject({ data: expect.stringContaining('"2"') as string });
    await act('purge', { mode: 'all' }, 'cache-moved');
    expect(await last()).toBe('pusher:cache_miss');
    expect(await shown()).toBeUndefined();
    await node.api().publish('cache-moved', 'e', '3');
    expect(await last()).toBe('3');
    await act('reset', {}, 'cache-moved');
    expect(await last()).toBe('pusher:cache_miss');
  });
}

const title = 'an event of a channel with a history';
const tenants = [shop, forgetful];
onServerHttp(title, { tenants, env }, keptEvents);
onEveryStore(title, { tenants }, keptEvents);
