import type * as Ably from 'ably';
import { afterEach, expect, it } from 'vitest';
import { Inbox } from '../clients/inbox.js';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { AblyClients } from './ably.js';
import { basicOf } from './key.js';

const shop = openTenant('shop', { history: { enabled: true } });
const env = { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory' };
const config = {
  ai_transport: { enabled: true, channels: [{ prefix: 'ai:' }] },
  versioned_messages: { enabled: true },
  compat: { enabled: true },
};
const basic = basicOf(shop);
const aiInput = (transport: object): object => ({
  name: 'ai-input',
  data: 'a',
  extras: { ai: { transport } },
});
const output = (transport: object): object => ({
  name: 'ai-output',
  data: 'so',
  extras: { ai: { transport } },
});
const refused = (sent: Promise<unknown>, code: number, statusCode: number): Promise<void> =>
  expect(sent).rejects.toMatchObject({ code, statusCode });
const transportOf = ({ extras }: Ably.InboundMessage): unknown =>
  (extras as { ai: { transport: unknown } }).ai.transport;

onServer('AI transport of Ably clients', { tenants: [shop], config, env }, (node) => {
  const clients = new AblyClients(node, shop);
  afterEach(() => clients.close());
  const publish = async (channel: string, body: object, authorization = basic) => {
    const answer = await fetch(`http://127.0.0.1:${node.port}/channels/${channel}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: JSON.stringify(body),
    });
    const { error } = (await answer.json()) as { error?: { code: number } };
    return { status: answer.status, code: error?.code };
  };

  it('takes messages over REST from whoever may send them, where it is (case 47)', async () => {
    const streaming = {
      name: 'ai-output',
      data: 'a',
      extras: { ai: { transport: { status: 'streaming' } } },
    };
    expect((await publish('other', streaming)).code).toBe(104_003);
    expect((await publish('ai:x', streaming)).status).toBe(201);
    const tokenOf = async (capability: string, clientId?: string): Promise<string> => {
      const { token } = await clients.rest().auth.requestToken({
        capability,
        ...(clientId === undefined ? {} : { clientId }),
      });
      return `Bearer ${Buffer.from(token).toString('base64')}`;
    };
    const ada = await tokenOf('{"ai:*":["publish","subscribe"]}', 'ada');
    const trusted = await tokenOf('{"ai:*":["publish","message-append-own"]}');
    expect((await publish('ai:x', streaming, ada)).code).toBe(104_003);
    expect((await publish('ai:x', streaming, trusted)).status).toBe(201);
    expect((await publish('ai:x', aiInput({ what: 'x' }), ada)).code).toBe(104_000);
    const many = Object.fromEntries(Array.from({ length: 33 }, (_one, index) => [`k${index}`, 'x']));
    const tooMany = await publish('ai:x', aiInput(many), ada);
    expect([tooMany.status, tooMany.code]).toEqual([413, 104_001]);
    expect((await publish('ai:x', aiInput({ 'input-client-id': 'bob' }), ada)).code).toBe(104_002);
    expect((await publish('ai:x', aiInput({ 'run-id': 'r' }), ada)).status).toBe(201);
    const { items } = await clients.rest().channels.get('ai:x').history({ limit: 1 });
    expect(items[0]?.extras).toMatchObject({
      ai: { transport: { 'run-id': 'r', 'input-client-id': 'ada' } },
    });
  });

  it('takes the same over connections (case 47)', async () => {
    const by = async (capability: string, clientId: string): Promise<Ably.RealtimeChannel> => {
      const { token } = await clients.rest().auth.requestToken({ capability, clientId });
      const client = clients.connect({ token });
      return client.channels.get('ai:live');
    };
    const ada = await by('{"ai:*":["publish","subscribe"]}', 'ada');
    const agent = await by('{"ai:*":["publish","subscribe","message-append-own"]}', 'agent');
    const told = new Inbox<Ably.InboundMessage>();
    await ada.subscribe(told.put);
    await refused(ada.publish(output({ status: 'streaming' })), 104_003, 403);
    await refused(clients.connect().channels.get('no-ai').publish(output({})), 104_003, 403);
    await refused(ada.publish(aiInput({ what: 'x' }) as Ably.Message), 104_000, 400);
    await refused(ada.publish(aiInput({ status: 'gone' }) as Ably.Message), 104_000, 400);
    await refused(ada.publish(aiInput({ model: 'x'.repeat(257) }) as Ably.Message), 104_001, 413);
    const many = Object.fromEntries(Array.from({ length: 33 }, (_one, index) => [`k${index}`, 'x']));
    await refused(ada.publish(aiInput(many) as Ably.Message), 104_001, 413);
    await refused(ada.publish(aiInput({ 'input-client-id': 'bob' }) as Ably.Message), 104_002, 400);
    const headers = { 'run-id': 'r' };
    await ada.publish(aiInput(headers) as Ably.Message);
    await ada.publish({ name: 'ai-cancel', extras: { ai: { transport: headers } } });
    expect(transportOf(await told.take())).toEqual({ ...headers, 'input-client-id': 'ada' });
    expect(transportOf(await told.take())).toEqual({ ...headers, 'run-client-id': 'ada' });

    const { serials } = await agent.publish(output({ ...headers, status: 'streaming', 'run-client-id': '' }));
    const serial = serials[0] ?? '';
    expect(await told.take()).toMatchObject({ name: 'ai-output', data: 'so', action: 'message.create' });
    await agent.appendMessage({ serial, data: ' it is' });
    expect(await told.take()).toMatchObject({ data: ' it is', action: 'message.append' });
    await refused(ada.appendMessage({ serial, data: '!' }), 40_160, 401);
    await refused(agent.appendMessage({ serial, data: '' }), 40_000, 400);
    const end = { serial, data: '', extras: { ai: { transport: { ...headers, status: 'complete' } } } };
    await refused(
      agent.appendMessage({ ...end, data: 'x', extras: { ai: { transport: { status: 'over' } } } }),
      104_000,
      400,
    );
    await agent.appendMessage(end);
    expect(transportOf(await told.take())).toEqual({ ...headers, status: 'complete' });
    expect((await clients.rest().channels.get('ai:live').getMessage(serial)).data).toBe('so it is');
    expect(told.rest).toEqual([]);
  });
});
