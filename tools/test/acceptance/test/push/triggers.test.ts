import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ClientV2 } from '../harness/client-v2.js';
import { eventually } from '../harness/eventually.js';
import { Node } from '../harness/node.js';
import { tenant } from '../harness/tenant.js';

const shop = tenant('shop');
const RULE = { enabled: true, channel_pattern: 'notifications-*', event_filter: ['done'] };

/** Everything is done but asking the provider, and the status tells. */
const node = new Node('server', {
  tenants: [shop],
  env: { PUSH_FCM_ENABLED: 'true', PUSH_STORAGE_DRIVER: 'memory', PUSH_QUEUE_DRIVER: 'memory' },
  config: { push: { dry_run: true }, push_rules: [RULE] },
});
const CHANNEL = 'notifications-1';

const post = (path: string, body: object, key?: string) =>
  node.api().request('POST', path, {
    body: JSON.stringify(body),
    headers: key === undefined ? {} : { 'X-Idempotency-Key': key },
  });
const hashed = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex');
const statusOf = (publishId: string) =>
  node.api().request('GET', `/push/publish/${encodeURIComponent(publishId)}/status`);
const succeeds = (publishId: string): Promise<void> =>
  eventually(async () => {
    const { body } = await statusOf(publishId);
    expect(JSON.parse(body)).toMatchObject({ state: 'succeeded', counters: { planned: 1, succeeded: 1 } });
  });
const byRule = (key: string): string => `rule:0:${hashed('shop', CHANNEL, key).slice(0, 32)}`;
const byExtras = (key: string): string => `extras:${hashed('shop', CHANNEL, key)}`;

const done = (data: object) => ({ name: 'done', channel: CHANNEL, data: JSON.stringify(data) });

const news = (icon: string) => ({
  name: 'news',
  channel: CHANNEL,
  data: 'x',
  extras: { headers: { kind: 'a' }, push: { title: 'News', icon } },
});

describe('a publish to a channel that becomes a push', () => {
  beforeAll(async () => {
    await node.start();
    const recipient = { transportType: 'gcm', registrationToken: 'a-token' };
    const device = {
      id: 'a',
      formFactor: 'phone',
      platform: 'android',
      timezone: 'UTC',
      locale: 'en',
      push: { recipient },
    };
    expect((await post('/push/deviceRegistrations', device)).status).toBe(201);
    expect((await post('/push/channelSubscriptions', { channel: CHANNEL, deviceId: 'a' })).status).toBe(201);
  });
  afterEach(() => node.dropClients());
  afterAll(async () => {
    expect(await node.stop()).toBe(0);
    expect(node.complaints()).toEqual([]);
  });

  it('by a rule, once, and by nothing that lacks what the rule needs (55)', async () => {
    for (let times = 0; times < 2; times += 1)
      expect((await post('/events', done({ title: 'Done', body: 'It is' }), 'k1')).status).toBe(200);
    await succeeds(byRule('k1'));
    expect((await post('/events', done({ body: 'no title' }), 'k2')).status).toBe(200);
    expect((await statusOf(byRule('k2'))).status).toBe(404);
    expect((await node.metrics()).value('push_rule_skipped_total', { reason: 'malformed' })).toBe(1);
  });

  it('by what it carries, which nobody on the channel sees; nothing is published where that is wrong (56)', async () => {
    const client = await ClientV2.connect(node);
    await client.subscribe(CHANNEL);
    expect((await post('/events', news('http://insecure.example/i.png'), 'k3')).status).toBe(400);
    expect(await client.pending()).toEqual([]);
    expect((await post('/events', news('https://cdn.example/i.png'), 'k4')).status).toBe(200);
    const [frame, ...more] = await client.pending();
    expect([frame?.event, more]).toEqual(['news', []]);
    expect(frame?.extras).toEqual({ headers: { kind: 'a' } });
    expect(JSON.stringify(frame)).not.toContain('cdn.example');
    await succeeds(byExtras('k4'));
    expect((await statusOf(byExtras('k3'))).status).toBe(404);
  });
});
