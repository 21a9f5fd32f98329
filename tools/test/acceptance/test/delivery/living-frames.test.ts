import { expect, it } from 'vitest';
import { ClientV2, type FrameV2 } from '../harness/client-v2.js';
import { onServerHttp } from '../harness/every-app.js';
import { done, LIVING, made, post } from '../harness/living.js';
import type { Node } from '../harness/node.js';
import { openTenant } from '../harness/tenant.js';

const shop = openTenant('shop');
const ai_transport = { enabled: true, channels: [{ prefix: 'ai-' }] };

const headersOf = ({ extras }: FrameV2) => extras?.headers ?? {};
const status = (value: string): object => ({ ai: { transport: { status: value } } });

/** What a client makes of the frames of one message. */
function applied(frames: readonly FrameV2[]): string {
  let text = '';
  for (const frame of frames) {
    const isPiece = headersOf(frame)['service_action'] === 'message.append';
    text = isPiece ? `${text}${String(frame.data)}` : String(frame.data);
  }
  return text;
}

async function next(client: ClientV2): Promise<unknown[]> {
  const { event, data, serial } = await client.next();
  return [event, data, serial];
}

const serialOf = (answer: Readonly<Record<string, unknown>>): number => Number(answer['delivery_serial']);

async function untilOver(client: ClientV2): Promise<FrameV2[]> {
  const frames: FrameV2[] = [];
  for (;;) {
    const frame = await client.next();
    frames.push(frame);
    const ai = frame.extras?.['ai'] as { transport?: { status?: string } } | undefined;
    if (ai?.transport?.status === 'complete') return frames;
  }
}

const connected = (node: Node, query = ''): Promise<ClientV2> => ClientV2.connect(node, { query });

onServerHttp('messages that live on', { tenants: [shop], env: LIVING, config: { ai_transport } }, (node) => {
  it('are told in all their versions to protocol 2, and as they were published to protocol 1', async () => {
    const old = await node.connect();
    await old.subscribe('chat');
    const client = await connected(node);
    await client.subscribe('chat');
    const { serial, path } = await made(node, 'chat', 'hello', { extras: { ref: 1 } });
    const created = await client.next();
    expect(created).toMatchObject({ event: 'note', data: 'hello', serial: 1 });
    const headers = {
      service_action: 'message.create',
      service_message_serial: serial,
      service_version_serial: serial,
      service_history_serial: 1,
      service_version_timestamp_ms: expect.any(Number),
    };
    expect(created.extras).toEqual({ ref: 1, headers });
    const updated = await done(node, `${path}/update`, { data: 'bye', client_id: 'editor' });
    const update = await client.next();
    expect(update).toEqual({
      event: 'service:message.update',
      channel: 'chat',
      name: 'note',
      data: 'bye',
      user_id: 'editor',
      message_id: expect.any(String),
      stream_id: created.stream_id,
      serial: 2,
      extras: {
        ref: 1,
        headers: {
          ...headers,
          service_action: 'message.update',
          service_version_serial: updated['version_serial'],
        },
      },
    });
    expect(update.message_id).not.toBe(created.message_id);
    await done(node, `${path}/delete`, { clear_fields: ['data'] });
    const deleted = await client.next();
    expect(deleted).toMatchObject({ event: 'service:message.delete', name: 'note', serial: 3 });
    expect(deleted).not.toHaveProperty('data');
    await done(node, `${path}/append`, { data: 'x' });
    expect(await client.next()).toMatchObject({ event: 'service:message.append', data: 'x', serial: 4 });
    await node.api().publish('chat', 'e', 'next');
    expect((await client.next()).serial).toBe(5);
    expect(await old.nextText()).toBe('{"event":"note","channel":"chat","data":"hello"}');
    expect(await old.nextText()).toBe('{"event":"e","channel":"chat","data":"next"}');
  });

  it('are told in pieces or as a whole when something is appended', async () => {
    const [pieces, whole] = [await connected(node), await connected(node, '&append_mode=full')];
    const { path } = await made(node, 'talk', 'hello');
    await done(node, `${path}/append`, { data: ' "my"' });
    for (const client of [pieces, whole]) await client.subscribe('talk');
    await done(node, `${path}/append`, { data: ' wörld' });
    await done(node, `${path}/append`, { data: '!' });
    await done(node, `${path}/update`, { data: 'bye' });
    await done(node, `${path}/append`, { data: '\n' });
    expect([await next(pieces), await next(pieces), await next(pieces), await next(pieces)]).toEqual([
      ['service:message.append', ' wörld', 3],
      ['service:message.append', '!', 4],
      ['service:message.update', 'bye', 5],
      ['service:message.append', '\n', 6],
    ]);
    const frames = [await whole.next(), await whole.next(), await whole.next(), await whole.next()];
    expect(frames.map(({ serial }) => serial)).toEqual([3, 4, 5, 6]);
    expect(frames.map(({ data }) => data)).toEqual(['hello "my" wörld', 'hello "my" wörld!', 'bye', 'bye\n']);
  });

  it('come together when they are pieces of an answer, each once and in order', async () => {
    const clients = await Promise.all([
      connected(node, '&append_rollup_window=0'),
      connected(node),
      connected(node, '&append_rollup_window=500'),
      connected(node, '&append_rollup_window=500&append_mode=full'),
    ]);
    for (const client of clients) await client.subscribe('ai-a');
    const fitting = await Promise.all([
      connected(node, '&append_rollup_window=0'),
      connected(node, '&append_rollup_window=500'),
      connected(node, '&append_rollup_window=500&append_mode=full'),
    ]);
    for (const client of fitting) await client.subscribe('ai-*');
    const { path } = await made(node, 'ai-a', '', { extras: status('streaming') });
    const tokens = Array.from({ length: 20 }, (_, n) => `${n};`);
    const answers = await Promise.all(tokens.map((data) => done(node, `${path}/append`, { data })));
    const order = tokens.map((token, n) => ({ token, at: serialOf(answers[n] ?? {}) }));
    const text = order.sort((one, other) => one.at - other.at).map(({ token }) => token);
    await done(node, `${path}/append`, { data: '.', extras: status('complete') });
    const heard = await Promise.all(clients.map(untilOver));
    const [single = [], rolled = [], widely = [], whole = []] = heard;
    expect(single).toHaveLength(22);
    for (const frames of [single, rolled, widely]) {
      expect(applied(frames)).toBe(`${text.join('')}.`);
      // A frame with a serial says that everything up to it was sent.
      const serials = frames.map(({ serial }) => serial).filter((serial) => serial !== undefined);
      expect(serials).toEqual([...serials].sort((one, other) => one - other));
      expect(serials.at(-1)).toBe(22);
    }
    expect(whole.at(-1)?.data).toBe(`${text.join('')}.`);
    // Whoever has the channel by a pattern is told the same.
    expect(await Promise.all(fitting.map(untilOver))).toEqual([single, widely, whole]);
    const versions = `${path}/versions`;
    const { body } = await node.api().request('GET', versions);
    expect((JSON.parse(body) as { items: unknown[] }).items).toHaveLength(22);
    expect((await post(node, `${path}/append`, { data: 'x' }))[0]).toBe(400);
  });

  it('are told before anything else of the channel is', async () => {
    const client = await connected(node, '&append_rollup_window=500');
    await client.subscribe('ai-b');
    const { path } = await made(node, 'ai-b', '', { extras: status('streaming') });
    for (const data of ['a', 'b', 'c']) await done(node, `${path}/append`, { data });
    await node.api().publish('ai-b', 'e', 'next');
    const frames: FrameV2[] = [];
    for (let frame = await client.next(); frame.event !== 'e'; frame = await client.next())
      frames.push(frame);
    expect(applied(frames)).toBe('abc');
  });
});
