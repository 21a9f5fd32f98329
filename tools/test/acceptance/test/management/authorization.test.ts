import { ROUTES, type Route } from '@carillon/management';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  manage,
  managementSection,
  type Method,
  Operator,
  operatorToken,
  type Scope,
  tokenRow,
} from '../harness/management.js';
import { Node } from '../harness/node.js';
import { signedQuery } from '../harness/signatures.js';
import { openTenant } from '../harness/tenant.js';

const SCOPES: readonly Scope[] = ['read', 'write', 'admin'];
const shop = openTenant('shop');
const other = openTenant('other');

const node = new Node('server', {
  tenants: [shop, other],
  config: {
    management: managementSection([
      ...SCOPES.map((scope) => tokenRow(scope, [scope])),
      ...SCOPES.map((scope) => tokenRow(`shop-${scope}`, [scope], ['shop'])),
      tokenRow('shop-all', SCOPES, ['shop']),
      tokenRow('expired', SCOPES, ['*'], { expires_at: '2020-01-01T00:00:00Z' }),
    ]),
  },
});
const operator = (name: string): Operator => new Operator(() => node.port, name);

/** The path of a route for an app. Other parameters name nothing that exists. */
const pathOf = ({ path }: Route, appId: string): string =>
  path.replace(':app_id', appId).replaceAll(/:[a-z_]+/g, 'none');
/** A body without an effect. */
const sentTo = ({ body, name }: Route) =>
  body === null ? {} : { body: name === 'createApp' ? { id: '' } : {} };

const AUTHENTICATED = ROUTES.filter(({ scope }) => scope !== null);
const SCOPED = AUTHENTICATED.filter(({ scope }) => scope !== 'any');
const OF_APPS = SCOPED.filter(({ path }) => path.includes(':app_id'));
const title = (routes: readonly Route[]) => routes.map((one) => [`${one.method} ${one.path}`, one] as const);

beforeAll(() => node.start());
afterAll(async () => {
  expect(node.complaints()).toEqual([]);
  await node.stop();
});

const bearer = (text: string) => ({ Authorization: `Bearer ${text}` });

describe('credentials', () => {
  const refused: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['none', {}],
    ['an unknown token', bearer(operatorToken('unknown'))],
    ['a malformed token', bearer('cmt_short')],
    ['an expired token', bearer(operatorToken('expired'))],
    ['an app key', bearer(shop.key)],
    ['an app secret', bearer(shop.secret)],
    ['Basic credentials', { Authorization: `Basic ${btoa(`${shop.key}:${shop.secret}`)}` }],
    ['an unknown cookie', { Cookie: `service_manage=${'a'.repeat(43)}` }],
  ];

  it.each(title(AUTHENTICATED))('%s refuses every invalid credential with 401', async (_title, route) => {
    const path = pathOf(route, 'shop');
    for (const [what, headers] of refused) {
      const answer = await manage(node.port, route.method, path, { ...sentTo(route), headers });
      expect([what, answer.status, answer.json['code']]).toEqual([what, 401, 'auth_failed']);
      expect(answer.headers['www-authenticate']).toContain('Bearer realm="service-manage"');
    }
    const query = signedQuery(shop, route.method, `/manage/v1${path}`, {});
    expect((await manage(node.port, route.method, `${path}?${query}`, sentTo(route))).status).toBe(401);
  });
});

describe('scopes', () => {
  it.each(title(SCOPED))('%s refuses both other scopes with 403', async (_title, route) => {
    for (const scope of SCOPES.filter((one) => one !== route.scope)) {
      const answer = await operator(scope).request(route.method, pathOf(route, 'nobody'), sentTo(route));
      expect([answer.status, answer.json['error']]).toEqual([403, `the scope ${route.scope} is required`]);
    }
  });

  it.each(title(SCOPED))('%s accepts its scope alone', async (_title, route) => {
    const answer = await operator(String(route.scope)).request(
      route.method,
      pathOf(route, 'nobody'),
      sentTo(route),
    );
    expect([401, 403]).not.toContain(answer.status);
  });
});

describe('a token for one app', () => {
  it.each(title(OF_APPS))('%s hides foreign and unknown apps behind equal answers', async (_title, route) => {
    const [foreign, unknown] = await Promise.all(
      ['other', 'nobody'].map((id) =>
        operator('shop-all').request(route.method, pathOf(route, id), sentTo(route)),
      ),
    );
    expect(foreign?.status).toBe(404);
    expect(foreign?.body).toBe(unknown?.body);
  });

  it.each(title(SCOPED.filter(({ app, path }) => app === 'all' && !path.includes(':app_id'))))(
    '%s refuses it with 403',
    async (_title, route) => {
      const { status } = await operator('shop-all').request(
        route.method,
        pathOf(route, 'shop'),
        sentTo(route),
      );
      expect(status).toBe(403);
    },
  );

  it('lists its app and audit entries about its app only', async () => {
    await operator('write').request('POST', '/apps/other/enable');
    await operator('write').request('POST', '/apps/shop/enable');
    const apps = (await operator('shop-read').must(200, 'GET', '/apps')).json['items'];
    expect(apps).toMatchObject([{ id: 'shop' }]);
    const entries = (await operator('shop-admin').must(200, 'GET', '/audit')).json['items'];
    const ids = (entries as { app_id: string | null }[]).map(({ app_id }) => app_id);
    expect([...new Set(ids)]).toEqual(['shop']);
    const filtered = await operator('shop-admin').must(200, 'GET', '/audit?app_id=other');
    expect(filtered.json['items']).toEqual([]);
  });
});

describe('requests', () => {
  const COMMON = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-request-id': expect.any(String) as string,
  };

  it('answers every request with the fixed headers and without CORS, OPTIONS with 405', async () => {
    const sent: readonly (readonly [Method, string])[] = [
      ['GET', '/apps'],
      ['GET', '/nothing'],
      ['GET', '/apps/nobody'],
      ['POST', '/apps'],
      ['OPTIONS', '/apps'],
    ];
    for (const [method, path] of sent) {
      const { headers } = await operator('read').request(method, path, {
        headers: { Origin: 'https://x.example' },
      });
      expect(headers).toMatchObject(COMMON);
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
    const { status, headers } = await operator('read').request('OPTIONS', '/apps');
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD, POST']);
  });

  it.each(['/apps/..%2f..%2fconfig', '/apps/%00', '/apps/__proto__', "/apps/a'%3B%20DROP%20TABLE%20x%3B--"])(
    'answers a hostile id with 404: %s',
    async (path) => {
      expect((await operator('read').request('GET', path)).status).toBe(404);
    },
  );

  it('refuses a path that is not UTF-8 with 400', async () => {
    expect((await operator('read').request('GET', '/apps/%ff')).status).toBe(400);
  });

  it.each([
    ['a repeated member', '{"enabled":true,"enabled":false}'],
    ['__proto__', '{"__proto__":{"enabled":false}}'],
    ['33 levels', `{"policy":${'['.repeat(33)}${']'.repeat(33)}}`],
    ['text that is not JSON', '{'],
  ])('refuses a body with %s', async (_what, body) => {
    const answer = await operator('admin').request('POST', '/apps', { body });
    expect([answer.status, answer.json['code']]).toEqual([400, 'invalid_input']);
  });

  it('refuses another content type with 415 and a large body with 413', async () => {
    const typed = await operator('admin').request('POST', '/apps', {
      body: '{}',
      headers: { 'Content-Type': 'text/plain' },
    });
    expect(typed.status).toBe(415);
    const large = await operator('admin').request('POST', '/apps', {
      body: `{"id":"${'x'.repeat(262_144)}"}`,
    });
    expect(large.status).toBe(413);
  });

  it('refuses unknown parameters and cursors of other lists', async () => {
    const unknown = await operator('read').request('GET', '/apps?limitt=1&limit=0');
    expect(unknown.json['fields']).toEqual([
      { path: 'limitt', message: 'is not a known parameter' },
      { path: 'limit', message: 'must be at least 1' },
    ]);
    const { next_cursor: cursor } = (await operator('read').must(200, 'GET', '/apps?limit=1')).json;
    expect(cursor).toEqual(expect.any(String));
    expect((await operator('read').request('GET', `/apps?cursor=${cursor as string}`)).status).toBe(200);
    expect((await operator('read').request('GET', `/apps?prefix=s&cursor=${cursor as string}`)).status).toBe(
      400,
    );
  });

  it('describes exactly the routes of the table in /openapi.json', async () => {
    const { paths } = (await operator('read').must(200, 'GET', '/openapi.json')).json as {
      paths: Record<string, Record<string, { operationId: string; 'x-service-scope': string }>>;
    };
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => [method, path, one.operationId, one['x-service-scope']]),
    );
    const expected = ROUTES.map(({ method, path, name, scope }) => [
      method.toLowerCase(),
      `/manage/v1${path.replaceAll(/:([a-z_]+)/g, '{$1}')}`,
      name,
      scope ?? 'none',
    ]);
    expect(described.sort()).toEqual(expected.sort());
  });

  it('shows the configuration without credentials', async () => {
    const { body } = await operator('admin').must(200, 'GET', '/config');
    for (const secret of [shop.secret, other.secret, operatorToken('admin')])
      expect(body).not.toContain(secret);
    expect(body).not.toMatch(/"token_hash":"[0-9a-f]/);
  });
});
