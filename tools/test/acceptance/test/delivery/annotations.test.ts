import { expect, it } from 'vitest';
import { ClientV2, type FrameV2 } from '../harness/client-v2.js';
import { onServerHttp } from '../harness/every-app.js';
import { done, LIVING, made } from '../harness/living.js';
import type { Node } from '../harness/node.js';
import { openTenant } from '../harness/tenant.js';
import { told } from '../harness/answers.js';

const TYPE = 'reactions:distinct.v1';
const shop = openTenant('shop', {
  channels: {
    annotations_enabled: true,
    channel_namespaces: [{ name: 'chat' }, { name: 'mute', annotations_enabled: false }],
  },
});
const SEES = { capabilities: { 'annotation-subscribe': ['chat:*'] } };

const like = (node: Node, path: string, clientId: string, type = TYPE): Promise<Record<string, unknown>> =>
  done(node, `${path}/annotations`, { type, name: 'like', clientId });

/** Somebody who wants to be told of every annotation. */
async function watcher(node: Node, channel: string): Promise<ClientV2> {
  const client = await ClientV2.connect(node);
  await client.signin('w', SEES);
  await client.subscribe(channel, { modes: ['SUBSCRIBE', 'ANNOTATION_SUBSCRIBE'] });
  return client;
}

const summaryOf = (serial: string, channel: string, summary: unknown, type = TYPE): FrameV2 => ({
  event: 'service_internal:message',
  channel,
  data: { action: 'message.summary', serial, annotations: { summary: { [type]: summary } } },
  extras: { ephemeral: true },
});

onServerHttp('annotations', { tenants: [shop], env: LIVING }, (node) => {
  it('are summed up for every subscriber of protocol 2, and told one by one to whoever asked', async () => {
    const old = await node.connect();
    await old.subscribe('chat:a');
    const plain = await ClientV2.connect(node);
    await plain.subscribe('chat:a');
    const each = await watcher(node, 'chat:a');
    const { serial, path } = await made(node, 'chat:a', 'hello');
    for (const client of [plain, each]) expect(await client.next()).toMatchObject({ event: 'note' });
    const { annotationSerial } = await like(node, path, 'u1');
    const first = summaryOf(serial, 'chat:a', { like: { total: 1, clientIds: ['u1'], clipped: false } });
    expect(await plain.next()).toEqual(first);
    expect(await each.next()).toEqual(first);
    const raw = { serial: annotationSerial, messageSerial: serial, type: TYPE, name: 'like', clientId: 'u1' };
    expect(await each.next()).toEqual({
      event: 'service_internal:annotation',
      channel: 'chat:a',
      data: { action: 'annotation.create', id: expect.any(String), timestamp: expect.any(Number), ...raw },
    });
    await like(node, path, 'u2');
    const both = { like: { total: 2, clientIds: ['u1', 'u2'], clipped: false } };
    expect(await plain.next()).toEqual(summaryOf(serial, 'chat:a', both));
    await each.until('service_internal:annotation');
    const taken = `${path}/annotations/${String(annotationSerial)}`;
    const [status, deleted] = await told(node.api().request('DELETE', taken));
    expect(status).toBe(200);
    const left = summaryOf(serial, 'chat:a', { like: { total: 1, clientIds: ['u2'], clipped: false } });
    expect(await plain.next()).toEqual(left);
    expect(await each.next()).toEqual(left);
    const { annotationSerial: deletion } = deleted as { annotationSerial: string };
    expect(await each.next()).toMatchObject({
      event: 'service_internal:annotation',
      data: { action: 'annotation.delete', ...raw, serial: deletion },
    });
    // Once is enough.
    expect(await told(node.api().request('DELETE', taken))).toEqual([200, deleted]);
    for (const client of [plain, each]) expect(await client.pending()).toEqual([]);
    expect(await old.pending()).toEqual(['{"event":"note","channel":"chat:a","data":"hello"}']);
    const [, history] = await told(node.api().request('GET', '/channels/chat:a/history'));
    expect((history as { items: unknown[] }).items).toHaveLength(1);
  });

  it('are shown to a new subscriber, the one that changed last at the end', async () => {
    const [one, other] = [await made(node, 'chat:b', '1'), await made(node, 'chat:b', '2')];
    await like(node, one.path, 'u1');
    await like(node, other.path, 'u1');
    await like(node, one.path, 'u2');
    await like(node, one.path, 'u1', 'x:total.v1');
    const client = await ClientV2.connect(node);
    await client.subscribe('chat:b');
    const single = { like: { total: 1, clientIds: ['u1'], clipped: false } };
    const shown = [await client.next(), await client.next(), await client.next()];
    expect(shown).toEqual([
      summaryOf(other.serial, 'chat:b', single),
      summaryOf(one.serial, 'chat:b', { like: { total: 2, clientIds: ['u1', 'u2'], clipped: false } }),
      summaryOf(one.serial, 'chat:b', { total: 1 }, 'x:total.v1'),
    ]);
  });

  it('are told one by one only where that is allowed', async () => {
    const client = await ClientV2.connect(node);
    const wish = { modes: ['ANNOTATION_SUBSCRIBE'] };
    client.ask('mute:a', wish);
    expect(await client.next()).toMatchObject({ event: 'service:error', data: { code: 4300 } });
    expect(await client.next()).toMatchObject({ event: 'service:subscription_error', data: { status: 400 } });
    client.ask('chat:c', wish);
    expect(await client.next()).toMatchObject({ event: 'service:error', data: { code: 4009 } });
    expect(await client.next()).toMatchObject({ event: 'service:subscription_error', data: { status: 403 } });
    client.ask('chat:c', { modes: 'ANNOTATION_SUBSCRIBE' });
    expect(await client.next()).toMatchObject({ event: 'service:error', data: { code: 4000 } });
    expect(await client.next()).toMatchObject({ event: 'service:subscription_error' });
    await client.subscribe('chat:c', { modes: ['annotation_subscribe'] });
    const { serial, path } = await made(node, 'chat:c', 'x');
    await like(node, path, 'u1');
    expect((await client.pending()).map(({ event }) => event)).toEqual(['note', 'service_internal:message']);
    expect(serial).not.toBe('');
  });
});
