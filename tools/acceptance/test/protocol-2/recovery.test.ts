import { describe, expect, it } from 'vitest';
import { ClientV2, type FrameV2, positionOf } from '../harness/client-v2.js';
import { onServer } from '../harness/every-app.js';
import type { Node } from '../harness/node.js';
import { tenant } from '../harness/tenant.js';
import { FORMATS } from '../harness/wire-v2.js';

const shop = tenant('shop');
const RECOVERY = { CONNECTION_RECOVERY_ENABLED: 'true', CONNECTION_RECOVERY_MAX_BUFFER_SIZE: '20' };
const HISTORY = { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory', HISTORY_MAX_PAGE_SIZE: '10' };
const LIVING = { VERSIONED_MESSAGES_ENABLED: 'true' };

const publish = async (node: Node, channel: string, ...texts: string[]): Promise<void> => {
  for (const text of texts) await node.api().publish(channel, 'news', text);
};

const told = (frames: readonly FrameV2[]): string[] =>
  frames.filter(({ event }) => event === 'news').map(({ data, serial }) => `${String(data)} ${serial}`);

const ai = (status: string): object => ({ extras: { ai: { transport: { status } } } });

/** A text after the frames that add to it; one that covers what is there already is the whole. */
function grown(text: string, serial: number, frames: readonly FrameV2[]): string {
  let [now, reached] = [text, serial];
  for (const frame of frames) {
    const from = Number(frame.extras?.headers?.['service_rollup_from_serial'] ?? Infinity);
    now = from <= reached ? String(frame.data) : `${now}${String(frame.data)}`;
    reached = frame.serial ?? reached;
  }
  return now;
}

/** What holds with a history and without one. */
function recovers(node: Node): void {
  describe.each(FORMATS)('in %s', (format) => {
    it('replays exactly what was missed, in order, and then goes on live', async () => {
      const channel = `orders-${format}`;
      const watcher = await ClientV2.connect(node, { format });
      const begin = await watcher.subscribe(channel);
      expect(begin.serial).toBe(0);
      await publish(node, channel, 'a', 'b', 'c', 'd');
      const ids = (await watcher.pending()).map(({ message_id }) => message_id);
      const client = await ClientV2.connect(node, { format });
      await client.subscribe(channel);
      const { frames, answer } = await client.resume({ [channel]: { ...positionOf(begin), serial: 1 } });
      expect(told(frames)).toEqual(['b 2', 'c 3', 'd 4']);
      expect(frames.map(({ message_id }) => message_id)).toEqual(ids.slice(1));
      expect(answer).toMatchObject({
        recovered: [{ channel, source: 'hot', replayed: 3, position: { ...positionOf(begin), serial: 4 } }],
        failed: [],
      });
      await publish(node, channel, 'e');
      expect(told(await client.pending())).toEqual(['e 5']);
    });
  });

  it('says of each channel what cannot be recovered, before its first message', async () => {
    const client = await ClientV2.connect(node);
    const begin = positionOf(await client.subscribe('many'));
    await publish(node, 'many', ...Array.from({ length: 21 }, (_, n) => `${n}`));
    await client.pending();
    for (const [position, code, reason] of [
      [begin, 'position_expired', 'recovery_window_exceeded'],
      [{ ...begin, stream_id: 'another' }, 'stream_reset', 'stream_id_mismatch'],
      [{ ...begin, serial: 22 }, 'continuity_unverifiable', 'position_ahead_of_durable_stream'],
    ] as const) {
      const { frames, answer } = await client.resume({ many: position });
      expect(frames.map(({ event }) => event)).toEqual(['service:resume_failed']);
      expect(answer.recovered).toEqual([]);
      expect(answer.failed).toMatchObject([{ channel: 'many', code, reason }]);
      expect(JSON.parse(String(frames[0]?.data))).toEqual(answer.failed[0]);
    }
  });

  it('keeps a position for a subscription that comes later, and gives nobody else what it holds', async () => {
    const member = await ClientV2.connect(node);
    const begin = positionOf(await member.subscribe('private-x'));
    await publish(node, 'private-x', 'a', 'b');
    const client = await ClientV2.connect(node);
    const { frames } = await client.resume({ 'private-x': begin });
    expect(frames).toEqual([]);
    await client.subscribe('private-x');
    const later = await client.through('service:resume_success');
    expect(told(later)).toEqual(['a 1', 'b 2']);
  });

  it('has nothing of it for protocol 1', async () => {
    const old = await node.connect();
    expect(await old.subscribe('plain')).toBe(
      '{"event":"pusher_internal:subscription_succeeded","channel":"plain","data":"{}"}',
    );
    await publish(node, 'plain', 'x');
    expect(await old.nextText()).toBe('{"event":"news","channel":"plain","data":"x"}');
    old.send({ event: 'pusher:resume', data: { channel_serials: { plain: 0 } } });
    expect((await old.nextError()).data.code).toBe(4301);
  });
}

onServer('recovery without a history', { tenants: [shop], env: RECOVERY }, (node) => {
  recovers(node);
});

onServer('recovery with a history', { tenants: [shop], env: { ...RECOVERY, ...HISTORY } }, (node) => {
  recovers(node);

  it('reads what is not in memory any more, and says so', async () => {
    const first = await ClientV2.connect(node);
    const begin = positionOf(await first.subscribe('cold'));
    await publish(node, 'cold', 'a', 'b');
    first.send({ event: 'service:unsubscribe', data: { channel: 'cold' } });
    await first.pending();
    await first.subscribe('cold');
    const { frames, answer } = await first.resume({ cold: begin });
    expect(told(frames)).toEqual(['a 1', 'b 2']);
    expect(answer.recovered).toMatchObject([{ source: 'cold', replayed: 2 }]);
  });

  it('begins with the past, then what came meanwhile, then says how that went', async () => {
    for (const format of FORMATS) {
      const channel = `past-${format}`;
      await publish(node, channel, '1', '2', '3', '4', '5');
      const client = await ClientV2.connect(node, { format });
      expect(JSON.parse(String((await client.subscribe(channel, { rewind: 2 })).data))).toEqual({
        attach_serial: 5,
      });
      const frames = await client.through('service:rewind_complete');
      expect(told(frames)).toEqual(['4 4', '5 5']);
      expect(frames.at(-1)).toMatchObject({
        channel,
        data: {
          historical_count: 2,
          live_count: 0,
          complete: true,
          truncated_by_retention: false,
          truncated_by_limit: false,
        },
      });
    }
    const timed = await ClientV2.connect(node);
    await timed.subscribe('past-json', { rewind: { seconds: 30 } });
    expect(told(await timed.through('service:rewind_complete'))).toEqual(['1 1', '2 2', '3 3', '4 4', '5 5']);
  });

  it('shows nothing twice and nothing not at all while others publish', async () => {
    const client = await ClientV2.connect(node);
    const publishing = Array.from({ length: 30 }, (_, n) => node.api().publish('busy', 'news', `${n}`));
    await publishing[3];
    await client.subscribe('busy', { rewind: 10 });
    await Promise.all(publishing);
    const serials = (await client.pending()).flatMap(({ event, serial }) =>
      event === 'news' ? [serial] : [],
    );
    expect(serials).toEqual(Array.from(serials, (_, at) => (serials[0] ?? 0) + at));
    expect(serials.at(-1)).toBe(30);
  });

  it('refuses a rewind that is none, and on protocol 1', async () => {
    const client = await ClientV2.connect(node);
    for (const rewind of [0, 'abc', {}, -1]) {
      client.send({ event: 'service:subscribe', data: { channel: 'orders', rewind } });
      expect(await client.next()).toMatchObject({ event: 'service:error', data: { code: 4000 } });
      await client.next();
    }
    const old = await node.connect();
    old.ask('orders', { rewind: 1 });
    expect((await old.nextError()).data.code).toBe(4300);
  });

  it('gives pages of the history, up to where the subscription began', async () => {
    const client = await ClientV2.connect(node);
    await publish(node, 'pages', '1', '2', '3', '4', '5');
    await client.subscribe('pages');
    await publish(node, 'pages', '6');
    expect(told(await client.pending())).toEqual(['6 6']);
    const ask = async (data: object) => {
      client.send({ event: 'service:channel_history', data: { channel: 'pages', ...data } });
      const frame = await client.next();
      expect(frame).toMatchObject({ event: 'service:channel_history', channel: 'pages' });
      return frame.data as {
        items: { serial: number }[];
        next_cursor: string | null;
        bounds: Record<string, unknown>;
        limit: number;
      };
    };
    const first = await ask({ limit: 2, until_attach: true });
    expect(first.items.map(({ serial }) => serial)).toEqual([5, 4]);
    expect(first.bounds).toMatchObject({ end_serial: 5, until_attach: true, attach_serial: 5 });
    const second = await ask({ params: { limit: 9, until_attach: true, cursor: first.next_cursor } });
    expect(second.items.map(({ serial }) => serial)).toEqual([3, 2, 1]);
    const all = await ask({ direction: 'forwards', limit: 5000 });
    expect([all.limit, all.items.length]).toEqual([10, 6]);
    for (const [data, code] of [
      [{ channel: 'other' }, 4301],
      [{ channel: 'pages', cursor: 'wrong' }, 4000],
      [{ channel: 'pages', limit: 0 }, 4000],
      [{ channel: 'pages', direction: 'sideways' }, 4000],
      [{ channel: 'pages', start_serial: 5, end_serial: 4 }, 4000],
    ] as const) {
      client.send({ event: 'channel_history', data: data });
      expect(await client.next()).toMatchObject({ event: 'service:error', data: { code } });
    }
  });
});

onServer(
  'messages that live on',
  {
    tenants: [shop],
    env: { ...RECOVERY, ...HISTORY, ...LIVING },
    config: { ai_transport: { enabled: true, channels: [{ prefix: 'ai-' }] } },
  },
  (node) => {
    it('are whole after a connection that was lost while pieces of an answer waited', async () => {
      const asked = async (path: string, body: object): Promise<string> => {
        const { status, body: text } = await node.api().request('POST', path, { body: JSON.stringify(body) });
        expect(status).toBe(200);
        return text;
      };
      const first = await ClientV2.connect(node, { query: '&append_rollup_window=500' });
      await first.subscribe('ai-lost');
      const begun = {
        name: 'ai-output',
        channel: 'ai-lost',
        data: '',
        message_id: 'answer',
        ...ai('streaming'),
      };
      const made = JSON.parse(await asked('/events', begun)) as {
        channels: { 'ai-lost': { message_serial: string } };
      };
      const path = `/channels/ai-lost/messages/${made.channels['ai-lost'].message_serial}/append`;
      await asked(path, { data: 'a' });
      await first.next();
      const a = await first.next();
      expect(a).toMatchObject({ event: 'service:message.append', data: 'a', serial: 2 });
      for (const data of ['b', 'c']) await asked(path, { data });
      first.vanish();
      const second = await ClientV2.connect(node, { query: '&append_rollup_window=500' });
      await second.subscribe('ai-lost');
      const { frames, answer } = await second.resume({ 'ai-lost': positionOf(a) });
      expect(answer).toMatchObject({ failed: [], recovered: [{ channel: 'ai-lost' }] });
      await asked(path, { data: '.', ...ai('complete') });
      const all = [...frames];
      while (all.at(-1)?.serial !== 5) all.push(await second.next());
      expect(grown('a', 2, all)).toBe('abc.');
    });

    it('are begun with as they are now, and recovered change by change', async () => {
      const watcher = await ClientV2.connect(node);
      const begin = positionOf(await watcher.subscribe('docs'));
      const body = { name: 'note', channel: 'docs', data: 'hello', message_id: 'm-1' };
      const answer = await node.api().request('POST', '/events', { body: JSON.stringify(body) });
      const { channels } = JSON.parse(answer.body) as { channels: { docs: { message_serial: string } } };
      const path = `/channels/docs/messages/${encodeURIComponent(channels.docs.message_serial)}/append`;
      const appended = await node.api().request('POST', path, { body: JSON.stringify({ data: ' world' }) });
      expect(appended.status).toBe(200);
      const client = await ClientV2.connect(node);
      await client.subscribe('docs', { rewind: 5 });
      const [past, complete] = await client.through('service:rewind_complete');
      expect(past).toMatchObject({
        event: 'service:message.update',
        name: 'note',
        data: 'hello world',
        serial: 2,
      });
      expect(complete).toMatchObject({ data: { historical_count: 1, complete: true } });
      const { frames } = await client.resume({ docs: begin });
      expect(frames).toMatchObject([
        { event: 'note', data: 'hello', serial: 1 },
        { event: 'service:message.append', name: 'note', data: ' world', serial: 2 },
      ]);
      expect(past?.message_id).toBe(frames[1]?.message_id);
    });
  },
);

onServer('channels without positions', { tenants: [shop] }, (node) => {
  it('are not recovered, and say so', async () => {
    const client = await ClientV2.connect(node);
    expect((await client.subscribe('orders')).serial).toBeUndefined();
    client.send({ event: 'service:resume', data: { channel_serials: { orders: 1 } } });
    expect(await client.next()).toMatchObject({ event: 'service:error', data: { code: 4301 } });
    client.send({ event: 'service:subscribe', data: { channel: 'orders', rewind: 1 } });
    expect(await client.next()).toMatchObject({ event: 'service:error', data: { code: 4300 } });
  });
});
