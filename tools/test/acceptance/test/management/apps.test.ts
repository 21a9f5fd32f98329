import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.js';
import { appsInPostgres, managementSection, Operator, tokenRow } from '../harness/management.js';
import { Node } from '../harness/node.js';
import { openTenant, type Tenant } from '../harness/tenant.js';

const configured = openTenant('configured');
let store: Awaited<ReturnType<typeof appsInPostgres>>;
const node = new Node('server', {
  tenants: [configured],
  get env() {
    return store.env;
  },
  config: { management: managementSection([tokenRow('ops', ['read', 'write', 'admin'])]) },
});
const ops = new Operator(() => node.port, 'ops');

beforeAll(async () => {
  store = await appsInPostgres();
  await node.start();
});
afterAll(async () => {
  await node.stop();
  await store.end();
});

async function created(body: object = {}): Promise<{ tenant: Tenant; etag: string }> {
  const { json, headers } = await ops.must(201, 'POST', '/apps', { body });
  const { id, key, secret } = json as { id: string; key: string; secret: string };
  return { tenant: { id, key, secret, enabled: true, policy: {} }, etag: String(headers['etag']) };
}

const publish = async (tenant: Tenant): Promise<number> => {
  const body = JSON.stringify({ name: 'e', channel: 'c', data: 'x' });
  return (await node.api(tenant).request('POST', '/events', { body })).status;
};

describe('creation', () => {
  it('generates credentials that are valid immediately, and shows the secret once', async () => {
    const { tenant } = await created();
    expect(tenant.id).toMatch(/^app-[a-z2-7]{12}$/);
    expect(tenant.key).toMatch(/^k_[0-9a-f]{24}$/);
    expect(tenant.secret).toMatch(/^s_[0-9a-f]{48}$/);
    expect(await publish(tenant)).toBe(200);
    const later = [
      await ops.must(200, 'GET', `/apps/${tenant.id}`),
      await ops.must(200, 'GET', '/apps'),
      await ops.must(200, 'GET', '/audit'),
    ];
    for (const { body } of later) expect(body).not.toContain(tenant.secret);
    expect(node.process.output).not.toContain(tenant.secret);
  });

  it('names every invalid field at once', async () => {
    const { status, json } = await ops.request('POST', '/apps', {
      body: {
        id: 'a b',
        secret: 'short',
        color: 'red',
        policy: {
          limits: { max_connections: -1 },
          webhooks: [{ url: 'ftp://x', event_types: ['cache_miss'] }],
        },
      },
    });
    expect([status, json['error']]).toEqual([400, '5 fields are invalid']);
    const paths = (json['fields'] as { path: string }[]).map(({ path }) => path);
    expect(paths.sort()).toEqual([
      'color',
      'id',
      'policy.limits.max_connections',
      'policy.webhooks[0].url',
      'secret',
    ]);
  });

  it('refuses an id and a key that are in use', async () => {
    const { tenant } = await created();
    for (const field of ['id', 'key'] as const) {
      const { status, json } = await ops.request('POST', '/apps', { body: { [field]: tenant[field] } });
      expect([status, json['fields']]).toEqual([409, [{ path: field, message: 'is in use by another app' }]]);
    }
  });

  it('creates one app per idempotency key, also for concurrent requests', async () => {
    const headers = { 'X-Idempotency-Key': 'one' };
    const send = (body: object = {}) => ops.request('POST', '/apps', { body, headers });
    const concurrent = await Promise.all([send(), send()]);
    expect(concurrent.map(({ status }) => status).filter((status) => status === 201).length).toBeGreaterThan(
      0,
    );
    const first = concurrent.find(({ status }) => status === 201);
    const again = await send();
    expect([again.status, again.headers['x-idempotency-replayed']]).toEqual([201, 'true']);
    expect(again.json).toEqual(first?.json);
    expect((await send({ enabled: false })).status).toBe(409);
    await ops.must(200, 'POST', `/apps/${String(again.json['id'])}/disable`);
    expect((await send()).status).toBe(409);
  });
});

describe('update', () => {
  it('needs the current ETag, and lets one of two concurrent writers win', async () => {
    const { tenant, etag } = await created();
    const patch = (body: object, headers: Record<string, string> = {}) =>
      ops.request('PATCH', `/apps/${tenant.id}`, { body, headers });
    const body = { policy: { limits: { max_connections: 5 } } };
    expect((await patch(body)).status).toBe(428);
    const both = await Promise.all([patch(body, { 'If-Match': etag }), patch(body, { 'If-Match': etag })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
    expect((await patch(body, { 'If-Match': etag })).status).toBe(412);
    expect((await patch(body, { 'If-Match': '*' })).status).toBe(200);
    const changed = await patch({ id: 'x', secret: 'y', policy: { nonsense: 1 } }, { 'If-Match': '*' });
    const paths = (changed.json['fields'] as { path: string }[]).map(({ path }) => path);
    expect(paths.sort()).toEqual(['id', 'policy.nonsense', 'secret']);
  });

  it('keeps redacted values of webhooks with the same target', async () => {
    const webhook = {
      url: 'https://user:pa55@hooks.example/x?key=abc',
      event_types: ['cache_miss'],
      headers: { 'x-auth': 'h3ader' },
    };
    const { tenant } = await created({ policy: { webhooks: [webhook] } });
    const shown = await ops.must(200, 'GET', `/apps/${tenant.id}`);
    for (const secret of ['pa55', 'abc', 'h3ader']) expect(shown.body).not.toContain(secret);
    const { policy } = shown.json as { policy: { webhooks: Record<string, unknown>[] } };
    const [redacted] = policy.webhooks;
    const send = (webhooks: unknown) =>
      ops.request('PATCH', `/apps/${tenant.id}`, {
        body: { policy: { webhooks } },
        headers: { 'If-Match': '*' },
      });
    const kept = await send([{ ...redacted, event_types: ['channel_occupied'] }]);
    expect([kept.status, kept.json['policy']]).toMatchObject([
      200,
      { webhooks: [{ url: redacted?.['url'], headers: { 'x-auth': '<redacted>' } }] },
    ]);
    const moved = await send([{ ...redacted, url: 'https://other.example/' }]);
    expect(moved.status).toBe(400);
  });
});

describe('disabling and deletion', () => {
  it('refuses requests, closes sockets with 4003, and serves again when enabled', async () => {
    const { tenant } = await created();
    const client = await node.connect(tenant);
    await ops.must(200, 'POST', `/apps/${tenant.id}/disable`);
    expect((await client.ended()).code).toBe(4003);
    expect(await publish(tenant)).toBe(403);
    await ops.must(200, 'POST', `/apps/${tenant.id}/enable`);
    expect(await publish(tenant)).toBe(200);
  });

  it('deletes a disabled app after its id was confirmed', async () => {
    const { tenant } = await created();
    const path = `/apps/${tenant.id}`;
    expect((await ops.request('DELETE', path)).status).toBe(400);
    expect((await ops.request('DELETE', `${path}?confirm=${tenant.id}`)).status).toBe(409);
    await ops.must(200, 'POST', `${path}/disable`);
    await ops.must(204, 'DELETE', `${path}?confirm=${tenant.id}`);
    expect((await ops.request('GET', path)).status).toBe(404);
    await eventually(async () => expect(await publish(tenant)).toBe(401));
  });

  it('reads configured apps and refuses to write them', async () => {
    const { json } = await ops.must(200, 'GET', '/apps/configured');
    expect(json['origin']).toBe('config');
    const { status, json: refusal } = await ops.request('POST', '/apps/configured/rotate-secret');
    expect([status, refusal['code']]).toEqual([409, 'read_only_store']);
  });
});

describe('the list', () => {
  it('shows every app once on a walk, filtered by prefix and state', async () => {
    for (const id of ['walk-a', 'walk-b', 'walk-c']) await created({ id });
    await ops.must(200, 'POST', '/apps/walk-b/disable');
    const walked: unknown[] = [];
    let cursor = '';
    do {
      const { json } = await ops.must(200, 'GET', `/apps?prefix=walk-&limit=1${cursor}`);
      walked.push(...(json['items'] as { id: string }[]).map(({ id }) => id));
      cursor = json['next_cursor'] === null ? '' : `&cursor=${json['next_cursor'] as string}`;
    } while (cursor !== '');
    expect(walked).toEqual(['walk-a', 'walk-b', 'walk-c']);
    const enabled = await ops.must(200, 'GET', '/apps?prefix=walk-&enabled=false');
    expect(enabled.json).toMatchObject({ items: [{ id: 'walk-b' }], store: 'postgres', writable: true });
  });
});

describe('the audit log', () => {
  it('has one entry per write with the changed members, and refused writes', async () => {
    const { tenant } = await created();
    await ops.must(200, 'PATCH', `/apps/${tenant.id}`, {
      body: { policy: { limits: { max_connections: 50 } } },
      headers: { 'If-Match': '*' },
    });
    await ops.request('PATCH', `/apps/${tenant.id}`, { body: {} });
    const { json } = await ops.must(200, 'GET', `/audit?app_id=${tenant.id}`);
    const entries = json['items'] as Record<string, unknown>[];
    expect(entries.map(({ action, outcome, status }) => [action, outcome, status])).toEqual([
      ['app.update', 'refused', 428],
      ['app.update', 'ok', 200],
      ['app.create', 'ok', 201],
    ]);
    expect(entries[1]).toMatchObject({
      principal: 'ops',
      before: { policy: { limits: { max_connections: 0 } } },
      after: { policy: { limits: { max_connections: 50 } } },
    });
  });
});
