import { expect, it } from 'vitest';
import { ClientV2, type FrameV2, positionOf } from '../harness/client-v2.js';
import { onServer } from '../harness/every-app.js';
import { tenant } from '../harness/tenant.js';
import { placed } from './place.js';

const shop = tenant('shop');
const env = {
  CONNECTION_RECOVERY_ENABLED: 'true',
  HISTORY_ENABLED: 'true',
  HISTORY_BACKEND: 'memory',
  VERSIONED_MESSAGES_ENABLED: 'true',
};
const config = { ai_transport: { enabled: true, channels: [{ prefix: 'ai-' }] } };

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

onServer('recovery with a history', { tenants: [shop], env, config }, (node) => {
  it('reads what is not in memory any more, and says so', async () => {
    const first = await ClientV2.connect(node);
    // Nobody here had the channel then.
    for (const text of ['a', 'b']) await node.api().publish('cold', 'news', text);
    const begin = { ...positionOf(await first.subscribe('cold')), serial: 0 };
    const { frames, answer } = await first.resume({ cold: begin });
    expect(placed(frames)).toEqual(['a 1', 'b 2']);
    expect(answer.recovered).toMatchObject([{ source: 'cold', replayed: 2 }]);
  });

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
});

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
