import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { told } from '../harness/answers.js';
import { ClientV2, type FrameV2, positionOf } from '../harness/client-v2.js';
import { BRIEF_LIVES, Cluster } from '../harness/cluster.js';
import { eventually } from '../harness/eventually.js';
import { type Store, STORES } from '../harness/every-store.js';
import { done, made, post } from '../harness/living.js';
import type { Node } from '../harness/node.js';
import { openTenant } from '../harness/tenant.js';
import { Receiver } from '../webhooks/receiver.js';

const ORPHAN_TTL_MS = 2500;
const TYPE = 'reactions:distinct.v1';
const status = (value: string): object => ({ ai: { transport: { status: value } } });
const actionOf = ({ extras }: FrameV2): unknown => extras?.headers?.['service_action'];

interface Item {
  readonly action: string;
  readonly data?: unknown;
  readonly extras?: object;
  readonly delivery_serial: number;
  readonly version: { readonly description?: string };
}

const appended = (frames: readonly FrameV2[]): string =>
  frames.map(({ event, data }) => (event === 'service:message.append' ? String(data) : '')).join('');

const by = ({ socketId }: ClientV2) => ({ data: 'b', socket_id: socketId });

/** All versions of a message, the oldest first. */
async function versionsOf(node: Node, path: string): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const query = { direction: 'oldest_first', ...(cursor === undefined ? {} : { cursor }) };
    const [code, body] = await told(node.api().request('GET', `${path}/versions`, { query }));
    expect(code).toBe(200);
    const page = body as { items: Item[]; next_cursor?: string };
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return items;
}

describe('messages that live on, by processes of their own', () => {
  const receiver = new Receiver();
  let store: Store;
  let cluster: Cluster;
  beforeAll(async () => {
    await receiver.open();
    store = await STORES.postgres();
    cluster = new Cluster('nats', {
      tenants: () => {
        const hooks = [{ url: receiver.url, event_types: ['annotation_created', 'ai_stream_orphaned'] }];
        const shop = openTenant('shop', { webhooks: hooks, channels: { annotations_enabled: true } });
        receiver.belongsTo(shop);
        return [shop];
      },
      more: ['history-writer', 'history-writer', 'webhook-worker'],
      env: {
        ...BRIEF_LIVES,
        ...store.env,
        HISTORY_ENABLED: 'true',
        CONNECTION_RECOVERY_ENABLED: 'true',
        VERSIONED_MESSAGES_ENABLED: 'true',
        VERSIONED_MESSAGES_DRIVER: 'postgres',
        ANNOTATIONS_ENABLED: 'true',
      },
      config: {
        ai_transport: {
          enabled: true,
          channels: [{ prefix: 'ai-' }],
          rollup: { orphan_ttl_ms: ORPHAN_TTL_MS },
        },
      },
    });
    await cluster.start();
  });
  afterAll(async () => {
    await cluster.stop();
    await store.release();
    expect(receiver.forged).toEqual([]);
    receiver.close();
  });

  it('are seen at every gateway, in pieces or whole, with the sums of what is said of them', async () => {
    const [first, second] = [cluster.gateway(0), cluster.gateway(1)];
    const pieces = await ClientV2.connect(first);
    const whole = await ClientV2.connect(second, { query: '&append_mode=full' });
    const old = await second.connect();
    for (const client of [pieces, whole, old]) await client.subscribe('chat');
    // By a pattern alone, and by both.
    const fitting = await ClientV2.connect(first, { query: '&append_mode=full' });
    await fitting.subscribe('cha*');
    const both = await ClientV2.connect(second);
    for (const name of ['*at', 'chat']) await both.subscribe(name);
    const { serial, path } = await made(cluster.apiNode, 'chat', 'hello');
    await done(first, `${path}/append`, { data: ' world' });
    await done(second, `${path}/update`, { data: 'bye' });
    await done(cluster.apiNode, `${path}/annotations`, { type: TYPE, name: 'like', clientId: 'u1' });
    for (const [client, appended] of [
      [pieces, ' world'],
      [both, ' world'],
      [whole, 'hello world'],
      [fitting, 'hello world'],
    ] as const) {
      expect(await client.next()).toMatchObject({ event: 'note', data: 'hello', serial: 1 });
      const append = await client.next();
      expect(append).toMatchObject({ event: 'service:message.append', serial: 2 });
      // A text that is read is read as it is then, which may be further on already.
      expect([appended, appended === ' world' ? appended : 'bye']).toContain(append.data);
      expect(await client.next()).toMatchObject({ event: 'service:message.update', data: 'bye', serial: 3 });
      expect(await client.next()).toMatchObject({
        event: 'service_internal:message',
        data: { serial, annotations: { summary: { [TYPE]: { like: { total: 1, clientIds: ['u1'] } } } } },
      });
    }
    expect(await old.nextText()).toBe('{"event":"note","channel":"chat","data":"hello"}');
    for (const client of [old, pieces, both, whole, fitting]) expect(await client.pending()).toEqual([]);
    const late = await ClientV2.connect(first);
    await late.subscribe('chat', { rewind: 1 });
    expect((await late.next()).event).toBe('service_internal:message');
    expect(await late.next()).toMatchObject({ event: 'service:message.update', data: 'bye' });
    const { path: grown } = await made(cluster.apiNode, 'grown', 'hello');
    await done(first, `${grown}/append`, { data: ' world' });
    const joining = await ClientV2.connect(second);
    await joining.subscribe('grown', { rewind: 1 });
    expect(await joining.until('service:message.update')).toMatchObject({
      channel: 'grown',
      data: 'hello world',
    });
    await receiver.hears('annotation_created', ['chat']);
  });

  it('may be changed as a connection through its gateway or another, and not through an api node', async () => {
    const rights = { capabilities: { 'message-update-own': ['*'] } };
    const [author, other] = [
      await ClientV2.connect(cluster.gateway(0)),
      await ClientV2.connect(cluster.gateway(1)),
    ];
    await author.signin('u1', rights);
    await other.signin('u2', rights);
    await author.subscribe('ai-own');
    author.send({ event: 'ai-input', channel: 'ai-own', data: 'a' });
    const created = await author.next();
    const path = `/channels/ai-own/messages/${String(created.extras?.headers?.['service_message_serial'])}`;
    const second = cluster.gateway(1);
    expect(await post(cluster.apiNode, `${path}/update`, by(author))).toMatchObject([400, {}]);
    expect(await post(second, `${path}/update`, by(other))).toMatchObject([403, { ai_code: 93_002 }]);
    const nobody = { data: 'b', socket_id: '1.1' };
    expect(await post(second, `${path}/update`, nobody)).toMatchObject([401, { code: 'auth_failed' }]);
    await done(second, `${path}/update`, by(author));
    expect(await author.next()).toMatchObject({ event: 'service:message.update', data: 'b', user_id: 'u1' });
  });

  it('are whole for who comes back in the middle of an answer, at another gateway', async () => {
    const lost = await ClientV2.connect(cluster.gateway(0), { query: '&append_rollup_window=500' });
    const begin = positionOf(await lost.subscribe('ai-lost'));
    const fitting = await ClientV2.connect(cluster.gateway(1), { query: '&append_rollup_window=500' });
    await fitting.subscribe('*-lost');
    const { path } = await made(cluster.apiNode, 'ai-lost', '', { extras: status('streaming') });
    for (const data of ['a', 'b', 'c']) await done(cluster.apiNode, `${path}/append`, { data });
    expect(actionOf(await lost.next())).toBe('message.create');
    expect(await lost.next()).toMatchObject({ event: 'service:message.append', data: 'a' });
    lost.vanish();
    const state = { active_streams: 1, last_history_serial: 1, message_count: 1 };
    expect((await cluster.api().channel('ai-lost'))['ai']).toEqual(state);
    const back = await ClientV2.connect(cluster.gateway(1), { query: '&append_rollup_window=500' });
    // Answered at once, and for the channel itself behind its subscription.
    back.askResume({ 'ai-lost': { ...begin, serial: 2 } });
    await back.through('service:resume_success');
    await back.subscribe('ai-lost');
    const missed = await back.through('service:resume_success');
    await done(cluster.apiNode, `${path}/append`, { data: '.', extras: status('complete') });
    const frames = [...missed, ...(await back.through('service:message.append'))];
    expect(appended(frames)).toBe('bc.');
    // Whoever has it by a pattern, and was there all the time, has the same.
    expect(await fitting.next()).toMatchObject({ event: 'note', channel: 'ai-lost' });
    const all: FrameV2[] = [];
    while (!appended(all).endsWith('.')) all.push(await fitting.next());
    expect(appended(all)).toBe('abc.');
  });

  it(
    'grow by every piece once while their lane moves, and end once when nobody goes on',
    { timeout: 120_000 },
    async () => {
      await cluster.add('history-writer');
      const { path, serial } = await made(cluster.apiNode, 'ai-moved', '', { extras: status('streaming') });
      const nodes = [cluster.apiNode, cluster.gateway(0), cluster.gateway(1)];
      const append = (n: number) =>
        done(nodes[n % nodes.length] as Node, `${path}/append`, { data: String(n % 10), op_id: `o-${n}` });
      const appended = Array.from({ length: 100 }, (_, n) => append(n));
      const [leaving, moved] = cluster.writers;
      expect(await leaving?.stop()).toBe(0);
      appended.push(...Array.from({ length: 100 }, (_, n) => append(100 + n)));
      const serials = (await Promise.all(appended)).map(({ delivery_serial: serial }) => Number(serial));
      expect([...serials].sort((one, other) => one - other)).toEqual(serials.map((_, n) => n + 2));
      // What it saw of the stream is gone with it.
      await moved?.process.kill('SIGKILL');
      const versions = await eventually(async () => {
        const items = await versionsOf(cluster.apiNode, path);
        expect(items).toHaveLength(202);
        return items;
      }, 60_000);
      expect(versions.map(({ delivery_serial: serial }) => serial)).toEqual(versions.map((_, n) => n + 1));
      expect(versions.at(-1)).toMatchObject({
        action: 'update',
        extras: { ai: { transport: { status: 'cancelled', 'error-code': 'orphan_timeout' } } },
        version: { description: 'AI stream orphan timeout' },
      });
      const text = versions.slice(1, 201).map(({ data }) => String(data));
      expect([...text].sort()).toEqual(Array.from({ length: 200 }, (_, n) => String(n % 10)).sort());
      expect(versions.at(-1)?.data).toBe(text.join(''));
      expect(await post(cluster.apiNode, `${path}/append`, { data: 'x' })).toMatchObject([400, {}]);
      await receiver.hears('ai_stream_orphaned', ['ai-moved']);
      // Whoever looks again ends nothing twice.
      expect(await versionsOf(cluster.apiNode, path)).toHaveLength(202);
      const told = receiver.events.filter(({ channel }) => channel === 'ai-moved');
      const reason = 'orphan_timeout';
      expect(told).toEqual([
        { name: 'ai_stream_orphaned', channel: 'ai-moved', message_serial: serial, reason },
      ]);
    },
  );
});
