import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.js';
import { appsInPostgres, managementSection, Operator, tokenRow } from '../harness/management.js';
import { Node } from '../harness/node.js';
import type { Tenant } from '../harness/tenant.js';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver that answers with the status of the moment. */
class Receiver {
  status = 200;
  readonly received: Received[] = [];
  readonly #server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      this.received.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
      response.writeHead(this.status).end();
    });
  });

  async open(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const signed = (secret: string, body: string): string =>
  createHmac('sha256', secret).update(body).digest('hex');

describe('webhooks', () => {
  let store: Awaited<ReturnType<typeof appsInPostgres>>;
  let url = '';
  const receiver = new Receiver();
  const node = new Node('server', {
    tenants: [],
    get env() {
      return { ...store.env, ENVIRONMENT: 'development' };
    },
    config: { management: managementSection([tokenRow('ops', ['read', 'write', 'admin'])]) },
  });
  const ops = new Operator(() => node.port, 'ops');

  beforeAll(async () => {
    url = await receiver.open();
    store = await appsInPostgres();
    await node.start();
  });
  afterAll(async () => {
    await node.stop();
    receiver.close();
    await store.end();
  });

  async function createApp(more: object = {}, target = url): Promise<Tenant> {
    const webhooks = [
      { url: target, event_types: ['channel_occupied'], headers: { 'x-own': 'h3ader' }, ...more },
    ];
    const { json } = await ops.must(201, 'POST', '/apps', { body: { policy: { webhooks } } });
    const { id, key, secret } = json as { id: string; key: string; secret: string };
    return { id, key, secret, enabled: true, policy: {} };
  }

  const webhookOf = async ({ id }: Tenant): Promise<Record<string, unknown>> => {
    const { json } = await ops.must(200, 'GET', `/apps/${id}/webhooks`);
    const [webhook = {}] = json['items'] as Record<string, unknown>[];
    return webhook;
  };

  async function occupy(tenant: Tenant, channel: string): Promise<void> {
    const client = await node.connect(tenant);
    await client.subscribe(channel);
  }

  it('verify with the old secret in its grace, and carry the signature of the new one', async () => {
    const tenant = await createApp();
    const { json } = await ops.must(200, 'POST', `/apps/${tenant.id}/rotate-secret`);
    await occupy(tenant, 'rotated');
    const { headers, body } = await eventually(() => {
      const found = receiver.received.find((one) => one.headers['x-pusher-key'] === tenant.key);
      if (found === undefined) throw new Error('nothing was delivered');
      return found;
    });
    expect(headers['x-pusher-signature']).toBe(signed(tenant.secret, body));
    expect(headers['x-service-signature-next']).toBe(signed(String(json['secret']), body));
    await eventually(async () =>
      expect(await webhookOf(tenant)).toMatchObject({ last_success: { status: 200 }, delivered_15m: 1 }),
    );
  });

  it('send one test event with the header of tests, and tell refused addresses', async () => {
    const tenant = await createApp();
    const path = `/apps/${tenant.id}/webhooks/${String((await webhookOf(tenant))['webhook_id'])}/test`;
    const { json } = await ops.must(200, 'POST', path);
    expect(json).toMatchObject({ delivered: true, status: 200, error: null });
    const sent = receiver.received.filter((one) => one.headers['x-pusher-key'] === tenant.key);
    expect(sent.map(({ headers }) => headers['x-service-webhook-test'])).toEqual(['1']);
    expect(sent[0]?.headers['x-pusher-signature']).toBe(signed(tenant.secret, sent[0]?.body ?? ''));
    expect(JSON.parse(sent[0]?.body ?? '')).toMatchObject({
      events: [{ name: 'channel_occupied', channel: 'service-test' }],
    });
    const away = await createApp({}, 'http://127.0.0.1:1/');
    const awayPath = `/apps/${away.id}/webhooks/${String((await webhookOf(away))['webhook_id'])}/test`;
    expect((await ops.must(200, 'POST', awayPath)).json).toMatchObject({
      delivered: false,
      error: 'connect',
    });
  });

  it('become dead letters that are shown, replayed once and deleted', async () => {
    receiver.status = 500;
    const tenant = await createApp({ retry: { enabled: false } });
    await occupy(tenant, 'dead');
    const letters = `/queues/webhooks/dead-letters`;
    const [letter] = await eventually(async () => {
      const { json } = await ops.must(200, 'GET', `${letters}?app_id=${tenant.id}`);
      const items = json['items'] as Record<string, unknown>[];
      if (items.length === 0) throw new Error('no dead letter');
      return items;
    });
    expect(letter).toMatchObject({ app_id: tenant.id, url, last_status: 500, queue: 'webhooks' });
    const path = `${letters}/${encodeURIComponent(String(letter?.['id']))}`;
    expect((await ops.must(200, 'GET', path)).json).not.toHaveProperty('payload');
    expect((await ops.must(200, 'GET', `${path}?payload=true`)).json['payload']).toContain(
      'channel_occupied',
    );
    const { json: audit } = await ops.must(200, 'GET', `/audit?app_id=${tenant.id}&action=dead_letter.read`);
    expect(audit['items']).toHaveLength(1);

    const bulk = { filter: { app_id: tenant.id }, confirm_queue: 'webhooks', confirm_count: 2 };
    const wrong = await ops.request('POST', `${letters}/replay`, { body: bulk });
    expect([wrong.status, wrong.json['matching']]).toEqual([409, 1]);
    const misnamed = { ...bulk, confirm_queue: 'x', confirm_count: 1 };
    expect((await ops.request('POST', `${letters}/replay`, { body: misnamed })).status).toBe(400);

    receiver.status = 200;
    const before = receiver.received.filter((one) => one.headers['x-pusher-key'] === tenant.key).length;
    await ops.must(202, 'POST', `${path}/replay`);
    expect((await ops.request('POST', `${path}/replay`)).status).toBe(404);
    await eventually(() => {
      const after = receiver.received.filter((one) => one.headers['x-pusher-key'] === tenant.key).length;
      expect(after).toBe(before + 1);
    });
    expect((await ops.request('GET', '/queues/none/dead-letters')).status).toBe(404);
    const { json: queues } = await ops.must(200, 'GET', '/queues');
    expect(queues['items']).toContainEqual(expect.objectContaining({ queue: 'webhooks', dead: 0 }));
  });
});
