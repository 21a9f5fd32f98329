import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.js';
import {
  manage,
  managementSection,
  type ManagementAnswer,
  Operator,
  operatorToken,
  tokenRow,
} from '../harness/management.js';
import { Node } from '../harness/node.js';
import { openTenant } from '../harness/tenant.js';

const tokens = [tokenRow('ops', ['read', 'write', 'admin'])];
const node = new Node('server', {
  tenants: [openTenant('shop')],
  env: { ENVIRONMENT: 'development' },
  config: {
    management: managementSection(tokens, {
      session_idle_seconds: 2,
      session_max_seconds: 60,
      login_attempts_per_minute: 10,
    }),
  },
});

interface Browser {
  readonly cookie: string;
  readonly csrf: string;
}

const login = (headers: Readonly<Record<string, string>> = {}): Promise<ManagementAnswer> =>
  manage(node.port, 'POST', '/session', { body: { token: operatorToken('ops') }, headers });

function browserOf(answer: ManagementAnswer): Browser {
  const [cookie = ''] = String(answer.headers['set-cookie']).split(';');
  return { cookie, csrf: String(answer.json['csrf_token']) };
}

const withCookie = ({ cookie }: Browser, method: 'DELETE' | 'GET' | 'POST', path: string, headers = {}) =>
  manage(node.port, method, path, { headers: { Cookie: cookie, ...headers } });

beforeAll(() => node.start());
afterAll(async () => {
  await node.stop();
});

describe('sessions', () => {
  it('start with a cookie for this origin only, over plain HTTP from loopback without the prefix', async () => {
    const answer = await login();
    expect(answer.status).toBe(201);
    expect(answer.headers['set-cookie']).toMatch(
      /^service_manage=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect(answer.json).toMatchObject({ principal: 'ops', scopes: ['read', 'write', 'admin'], apps: ['*'] });
    const shown = await withCookie(browserOf(answer), 'GET', '/session');
    expect(shown.json['csrf_token']).toBe(answer.json['csrf_token']);
  });

  it('never adopt an id of the client, and end the former session of the cookie', async () => {
    const chosen = `service_manage=${'A'.repeat(43)}`;
    const first = browserOf(await login({ Cookie: chosen }));
    expect(first.cookie).not.toBe(chosen);
    const second = browserOf(await login({ Cookie: first.cookie }));
    expect(second.cookie).not.toBe(first.cookie);
    expect((await withCookie(first, 'GET', '/session')).status).toBe(401);
    expect((await withCookie(second, 'GET', '/session')).status).toBe(200);
  });

  it('refuse a cookie after the logout', async () => {
    const browser = browserOf(await login());
    const out = await withCookie(browser, 'DELETE', '/session', { 'X-CSRF-Token': browser.csrf });
    expect(out.status).toBe(204);
    expect(out.headers['set-cookie']).toContain('Max-Age=0');
    expect((await withCookie(browser, 'GET', '/session')).status).toBe(401);
    const again = await withCookie(browser, 'POST', '/apps/shop/enable', { 'X-CSRF-Token': browser.csrf });
    expect(again.status).toBe(401);
  });

  it('refuse requests of other sites', async () => {
    const [browser, stranger] = [browserOf(await login()), browserOf(await login())];
    const token = { 'X-CSRF-Token': browser.csrf };
    const refused: readonly Readonly<Record<string, string>>[] = [
      {},
      { 'X-CSRF-Token': 'x' },
      { 'X-CSRF-Token': stranger.csrf },
      { ...token, Origin: 'https://evil.example' },
      { ...token, Origin: 'null' },
      { ...token, 'Sec-Fetch-Site': 'cross-site' },
      { ...token, 'Sec-Fetch-Site': 'same-site' },
    ];
    for (const headers of refused) {
      const { status, json } = await withCookie(browser, 'POST', '/apps/shop/disable', headers);
      expect([headers, status, json['code']]).toEqual([headers, 403, 'csrf_failed']);
    }
    const foreign = await withCookie(browser, 'GET', '/session', { 'Sec-Fetch-Site': 'cross-site' });
    expect(foreign.json['code']).toBe('csrf_failed');
    expect((await login({ Origin: 'https://evil.example' })).json['code']).toBe('csrf_failed');
    const own = { ...token, Origin: `http://127.0.0.1:${node.port}`, Host: `127.0.0.1:${node.port}` };
    // It passes: the app is of the configuration, which is refused only after all other checks.
    const passed = await withCookie(browser, 'POST', '/apps/shop/disable', own);
    expect(passed.json['code']).toBe('read_only_store');
  });

  it('ignore the cookie when the request has an Authorization header', async () => {
    const browser = browserOf(await login());
    const headers = { Authorization: 'Bearer cmt_wrong' };
    expect((await withCookie(browser, 'GET', '/session', headers)).status).toBe(401);
  });

  it('end after the idle time', async () => {
    const browser = browserOf(await login());
    const { idle_expires_at_ms: end } = (await withCookie(browser, 'GET', '/session')).json;
    await eventually(() => expect(Date.now()).toBeGreaterThan(Number(end) + 500));
    expect((await withCookie(browser, 'GET', '/session')).status).toBe(401);
  });

  it('are limited to 20 of a principal: the oldest ends', async () => {
    const browsers: Browser[] = [];
    for (let count = 0; count < 21; count++) browsers.push(browserOf(await login()));
    const [oldest, next] = browsers;
    const newest = browsers.at(-1);
    if (oldest === undefined || next === undefined || newest === undefined) throw new Error('no sessions');
    expect((await withCookie(oldest, 'GET', '/session')).status).toBe(401);
    expect((await withCookie(newest, 'GET', '/session')).status).toBe(200);
  });
});

describe('the one-time login', () => {
  it('opens one session, and is no bearer token', async () => {
    const [, token = ''] = await node.process.says(/console: http:\/\/127\.0\.0\.1:\d+\/console#login=(\S+)/);
    const bearer = await manage(node.port, 'GET', '/session', {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(bearer.status).toBe(401);
    const send = () => manage(node.port, 'POST', '/session', { body: { one_time_token: token } });
    const first = await send();
    expect([first.status, first.json['principal']]).toEqual([201, 'one-time']);
    expect((await send()).status).toBe(401);
  });
});

const wrong = (): Promise<ManagementAnswer> =>
  manage(node.port, 'POST', '/session', { body: { token: operatorToken('nobody') } });

describe('failed logins', () => {
  it('are limited by address, also for valid tokens, while bearer requests pass', async () => {
    await eventually(async () => expect((await wrong()).status).toBe(429));
    const valid = await login();
    expect(valid.status).toBe(429);
    expect(Number(valid.headers['retry-after'])).toBeGreaterThan(0);
    await new Operator(() => node.port, 'ops').must(200, 'GET', '/session');
  });
});
