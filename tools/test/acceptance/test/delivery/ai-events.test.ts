import { expect, it } from 'vitest';
import { ClientV2 } from '../harness/client-v2.js';
import { onServerHttp } from '../harness/every-app.js';
import { done, LIVING, made, post } from '../harness/living.js';
import { openTenant } from '../harness/tenant.js';
import type { ExtrasV2, SentFrame } from '../harness/wire-frame.js';

const shop = openTenant('shop');
const ai_transport = { enabled: true, channels: [{ prefix: 'ai-' }] };
const GRANTS = { 'message-update-own': ['*'], 'message-delete-any': ['ai-*'] };

const transport = (headers: Readonly<Record<string, string>>): ExtrasV2 => ({ ai: { transport: headers } });

onServerHttp('events of AI transport', { tenants: [shop], env: LIVING, config: { ai_transport } }, (node) => {
  it('come from clients that say who they are, and carry that', async () => {
    const other = await ClientV2.connect(node);
    await other.subscribe('ai-a');
    const client = await ClientV2.connect(node);
    await client.signin('u1');
    await client.subscribe('ai-a');
    const input = { event: 'ai-input', channel: 'ai-a', data: { text: 'hi' } };
    client.send({ ...input, message_id: 'm-1', extras: transport({ 'run-id': 'r1' }) });
    const stamped = { 'run-id': 'r1', 'input-client-id': 'u1' };
    for (const one of [other, client]) {
      const frame = await one.next();
      expect(frame).toMatchObject({ ...input, message_id: 'm-1', serial: 1 });
      expect(frame.extras).toMatchObject({
        ai: { transport: stamped },
        headers: { service_action: 'message.create' },
      });
    }
    client.send({ event: 'ai-cancel', channel: 'ai-a' });
    const cancel = await other.next();
    expect([cancel.event, cancel.extras?.['ai']]).toEqual([
      'ai-cancel',
      { transport: { 'run-client-id': 'u1' } },
    ]);
  });

  it('are refused with their own numbers', async () => {
    const nobody = await ClientV2.connect(node);
    await nobody.subscribe('ai-b');
    const client = await ClientV2.connect(node);
    await client.signin('u1');
    for (const channel of ['ai-b', 'chat']) await client.subscribe(channel);
    const long = 'x'.repeat(257);
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`k${n}`, 'v']));
    const wrong: [ClientV2, SentFrame, number][] = [
      [nobody, { event: 'ai-input', channel: 'ai-b' }, 4009],
      [client, { event: 'ai-input', channel: 'chat' }, 104_003],
      [client, { event: 'ai-output', channel: 'ai-b' }, 104_003],
      [client, { event: 'ai-input', channel: 'ai-c' }, 4301],
      [client, { event: 'ai-input', channel: 'ai-b', extras: transport({ foo: 'x' }) }, 104_000],
      [client, { event: 'ai-input', channel: 'ai-b', extras: transport({ status: 'done' }) }, 104_000],
      [client, { event: 'ai-input', channel: 'ai-b', extras: transport({ 'run-id': long }) }, 104_001],
      [client, { event: 'ai-input', channel: 'ai-b', extras: { ai: { codec: many } } }, 104_001],
      [
        client,
        { event: 'ai-input', channel: 'ai-b', extras: transport({ 'input-client-id': 'u2' }) },
        104_002,
      ],
      [client, { event: 'client-x', channel: 'chat', extras: transport({ 'run-id': 'r' }) }, 104_003],
    ];
    for (const [one, frame, code] of wrong) {
      one.send(frame);
      expect([frame, await one.next()]).toMatchObject([frame, { event: 'service:error', data: { code } }]);
    }
    const old = await node.connect();
    await old.subscribe('ai-b');
    old.send({ event: 'ai-input', channel: 'ai-b' });
    expect((await old.nextError()).data.code).toBe(104_003);
    // What nobody knows is not looked at.
    client.send({ event: 'ai-nothing', channel: 'ai-b' });
    for (const one of [nobody, client]) expect(await one.pending()).toEqual([]);
  });

  it('count as streams of their channel while they go on', async () => {
    const { path } = await made(node, 'ai-d', '', { extras: transport({ status: 'streaming' }) });
    await made(node, 'ai-d', 'x');
    const state = { active_streams: 1, last_history_serial: 2, message_count: 2 };
    expect((await node.api().channel('ai-d'))['ai']).toEqual(state);
    await done(node, `${path}/append`, { data: '', extras: transport({ status: 'complete' }) });
    expect((await node.api().channel('ai-d'))['ai']).toEqual({ ...state, active_streams: 0 });
    await made(node, 'plain', 'x');
    expect(await node.api().channel('plain')).not.toHaveProperty('ai');
  });

  it('make a message that its sender may change through the server', async () => {
    const [author, other] = [await ClientV2.connect(node), await ClientV2.connect(node)];
    await author.signin('u1', { capabilities: GRANTS });
    await other.signin('u2', { capabilities: GRANTS });
    await author.subscribe('ai-e');
    author.send({ event: 'ai-input', channel: 'ai-e', data: 'a' });
    const created = await author.next();
    const path = `/channels/ai-e/messages/${String(created.extras?.headers?.['service_message_serial'])}`;
    // Role api asks no gateway.
    if (node.app === 'group') return;
    const [status, body] = await post(node, `${path}/update`, { data: 'b', socket_id: other.socketId });
    expect([status, body]).toMatchObject([403, { code: 'mutable_not_permitted', ai_code: 93_002 }]);
    await done(node, `${path}/update`, { data: 'b', socket_id: author.socketId });
    expect(await author.next()).toMatchObject({ event: 'service:message.update', data: 'b', user_id: 'u1' });
    await done(node, `${path}/delete`, { socket_id: other.socketId });
    expect(await author.next()).toMatchObject({ event: 'service:message.delete', user_id: 'u1' });
  });
});
