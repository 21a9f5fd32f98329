import { expect, it } from 'vitest';
import { expectRefused, told } from '../harness/answers.js';
import { onEveryStore } from '../harness/every-store.js';
import type { Node } from '../harness/node.js';
import { tenant } from '../harness/tenant.js';

const shop = tenant('shop', { channels: { annotations_enabled: true } });
const env = { VERSIONED_MESSAGES_ENABLED: 'true', ANNOTATIONS_ENABLED: 'true' };

/** A hundred appends that come at once may wait for each other longer than anybody waits in service, on a busy machine. */
const slow = { write_timeout_ms: 30_000 };
const config = { history: { postgres: slow, mysql: slow } };

const post = (node: Node, path: string, content: object) =>
  node.api().request('POST', path, { body: JSON.stringify(content) });

/** The path of a new message. */
async function made(node: Node, channel: string, data: string): Promise<string> {
  const message = { name: 'note', channel, data, message_id: crypto.randomUUID() };
  const [status, body] = await told(post(node, '/events', message));
  expect(status).toBe(200);
  const { channels } = body as { channels: Record<string, { message_serial: string }> };
  return `/channels/${channel}/messages/${channels[channel]?.message_serial ?? ''}`;
}

/** What is promised wherever it is kept. */
function livingMessages(node: Node): void {
  it('is changed while subscribers of protocol 1 know what was published', async () => {
    const client = await node.connect();
    await client.subscribe('chat');
    const path = await made(node, 'chat', 'hello');
    expect(await client.nextText()).toBe('{"event":"note","channel":"chat","data":"hello"}');
    await told(post(node, `${path}/append`, { data: ' world', op_id: 'o-1' }));
    expect(await told(post(node, `${path}/append`, { data: ' world', op_id: 'o-1' }))).toMatchObject([
      200,
      { status: 'duplicate', delivery_serial: 2 },
    ]);
    await told(post(node, `${path}/update`, { extras: { ref: 1 } }));
    await told(post(node, `${path}/annotations`, { type: 'x:total.v1' }));
    await node.api().publish('chat', 'e', 'next');
    expect(await client.next()).toMatchObject({ event: 'e', data: 'next' });
    expect(await client.pending()).toEqual([]);
    expect(await told(node.api().request('GET', path))).toMatchObject([
      200,
      { item: { action: 'update', data: 'hello world', extras: { ref: 1 }, history_serial: 1, serial: 3 } },
    ]);
    expect(await told(node.api().request('GET', '/channels/chat/history'))).toMatchObject([
      200,
      {
        items: [
          { serial: 2 },
          { serial: 1, operation_kind: 'message.update', message: { data: 'hello world' } },
        ],
      },
    ]);
  });

  it('is one text of all that was appended at once', async () => {
    const path = await made(node, 'tokens', '');
    const tokens = Array.from({ length: 100 }, (_, n) => `${n};`);
    const answers = await Promise.all(tokens.map((data) => told(post(node, `${path}/append`, { data }))));
    expect(answers.filter(([status]) => status !== 200)).toEqual([]);
    const serials = answers.map(([, body]) => (body as { delivery_serial: number }).delivery_serial);
    expect([...serials].sort((one, other) => one - other)).toEqual(tokens.map((_, n) => n + 2));
    const [, body] = await told(node.api().request('GET', path));
    const { data } = (body as { item: { data: string } }).item;
    const sent = tokens.map((token, n) => ({ token, at: serials[n] ?? 0 }));
    expect(data).toBe(
      sent
        .sort((one, other) => one.at - other.at)
        .map(({ token }) => token)
        .join(''),
    );
  });

  it('is gone after a purge, with its versions', async () => {
    const path = await made(node, 'purged', 'a');
    const body = { confirm_channel: 'purged', confirm_operation: 'purge', reason: 'r', mode: 'all' };
    await told(post(node, '/channels/purged/history/purge', body));
    await expectRefused(node.api().request('GET', path), 404, 'not_found');
    await expectRefused(node.api().request('GET', `${path}/versions`), 404, 'not_found');
  });
}

onEveryStore('a message that lives on', { tenants: [shop], env, config }, livingMessages);
