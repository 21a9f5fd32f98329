import { signRequest } from '@carillon/auth';
import { describe, expect, it } from 'vitest';
import { appOf, call, keyOf, NOW, openScene, publish, refused, send, SHOP } from './scene.js';

const EXAMPLE_APP = { id: '1042', key: 'k_4f81d0c7b29e', secret: 's_7a3e5590c1bd42f8' };
const AUTH = 'auth_key=k_4f81d0c7b29e&auth_timestamp=1760000000&auth_version=1.0';

const EVENT = { name: 'e', channel: 'a', data: 'x' };

describe('signed requests', () => {
  it('accept the worked example of a publish', async () => {
    const scene = await openScene({ apps: [EXAMPLE_APP] });
    const body =
      '{"name":"order.created","channels":["orders","private-ops"],"data":"{\\"id\\":\\"ord_77\\"}","info":"subscription_count"}';
    const signature = 'b2ac8e22c2abaae2b16107bbd089e1ebf34f2221f351d167e61cf84b5161d037';
    const url = `/apps/1042/events?${AUTH}&body_md5=0d7f941a331f57782a5d7dc7ae602a23&auth_signature=${signature}`;
    expect(await send(scene, 'POST', url, body)).toMatchObject({ status: 200 });
    expect(scene.sockets.delivered.map(({ channel }) => channel)).toEqual(['orders', 'private-ops']);
  });

  it('accept the worked example of a list, with the comma raw or encoded', async () => {
    const scene = await openScene({ apps: [EXAMPLE_APP] });
    const signature = 'f3c7f6bc8bac39d8a78227a0dc2edb40c51eb35f3588ffde2e11801b938d7946';
    for (const comma of [',', '%2C']) {
      const query = `${AUTH}&filter_by_prefix=presence-&info=user_count${comma}subscription_count`;
      const url = `/apps/1042/channels?${query}&auth_signature=${signature}`;
      expect(await send(scene, 'GET', url)).toMatchObject({ status: 200, body: { channels: {} } });
    }
  });

  it('accept the worked example of an encoded path, which names the decoded user', async () => {
    const scene = await openScene({ apps: [EXAMPLE_APP] });
    const signature = '9061081e1ece40d65eee7b3c0480d052f157905f53f822d6dd4b582744e7156d';
    const url = `/apps/1042/users/u%3A9/terminate_connections?${AUTH}&body_md5=99914b932bd37a50b983c5e7c90ae93b&auth_signature=${signature}`;
    expect(await send(scene, 'POST', url, '{}')).toMatchObject({ status: 200, text: '{"ok":true}' });
    expect(scene.sockets.asked).toEqual([
      { kind: 'terminate_user', appId: '1042', about: { userId: 'u:9' } },
    ]);
  });

  it.each([
    [600, 200],
    [-600, 200],
    [601, 401],
    [-601, 401],
  ])('with a clock off by %i s answer %i', async (seconds, status) => {
    const scene = await openScene();
    expect((await publish(scene, EVENT, { nowSeconds: NOW + seconds })).status).toBe(status);
  });

  it('refuse a changed body', async () => {
    const scene = await openScene();
    const body = JSON.stringify(EVENT);
    const query = signRequest({ method: 'POST', rawPath: '/apps/shop/events', body }, scene.key, NOW);
    const answer = await send(scene, 'POST', `/apps/shop/events?${query}`, body.replace('"x"', '"y"'));
    expect(answer).toMatchObject(refused(401, 'auth_failed', 'body_md5 does not match'));
    expect(scene.sockets.delivered).toEqual([]);
  });

  it('need body_md5 exactly where there is a body to protect', async () => {
    const scene = await openScene();
    const unprotected = (method: string, rawPath: string, query = {}) =>
      `${rawPath}?${signRequest({ method, rawPath, query }, scene.key, NOW)}`;
    const publishing = unprotected('POST', '/apps/shop/events');
    expect(await send(scene, 'POST', publishing, JSON.stringify(EVENT))).toMatchObject(
      refused(401, 'auth_failed', 'body_md5 missing'),
    );
    const terminating = unprotected('POST', '/apps/shop/users/u/terminate_connections');
    expect(await send(scene, 'POST', terminating)).toMatchObject({ status: 200 });
    const listing = unprotected('GET', '/apps/shop/channels', { body_md5: '' });
    expect(await send(scene, 'GET', listing)).toMatchObject(
      refused(401, 'auth_failed', 'body_md5 does not match'),
    );
  });

  it('of GET may say the digest of the body, even of none, as a server library does', async () => {
    const scene = await openScene();
    const rawPath = '/apps/shop/channels';
    const listing = (body_md5: string) =>
      `${rawPath}?${signRequest({ method: 'GET', rawPath, query: { body_md5 } }, scene.key, NOW)}`;
    const ofEmpty = listing('d41d8cd98f00b204e9800998ecf8427e');
    const ofX = listing('9dd4e461268c8034f5c8564e155c67a6');
    const withLength = { 'content-length': '1' };
    expect((await send(scene, 'GET', ofEmpty)).status).toBe(200);
    expect((await send(scene, 'GET', ofX, 'x', withLength)).status).toBe(200);
    expect((await send(scene, 'GET', ofEmpty, 'x', withLength)).status).toBe(401);
    expect((await send(scene, 'GET', ofX)).status).toBe(401);
  });

  it('are read as they were signed, name for name', async () => {
    const scene = await openScene();
    scene.sockets.counts = new Map([
      ['a', 1],
      ['b', 1],
    ]);
    const rawPath = '/apps/shop/channels';
    const query = signRequest({ method: 'GET', rawPath, query: { filter_by_prefix: 'a' } }, scene.key, NOW);
    const listed = (changed: string) => send(scene, 'GET', `${rawPath}?${changed}`);
    const onlyA = { status: 200, body: { channels: { a: {} } } };
    expect(await listed(query)).toMatchObject(onlyA);
    expect(await listed(query.replace('filter_by_prefix', 'FILTER_BY_PREFIX'))).toEqual(
      expect.objectContaining(onlyA),
    );
    const hidden = query
      .replace('filter_by_prefix=a&', '')
      .replace('auth_version=1.0', 'auth_version=1.0%26filter_by_prefix%3Da');
    expect(await listed(hidden)).toMatchObject(refused(400, 'invalid_input'));
    expect(await listed(`${query}&Filter_By_Prefix=a`)).toMatchObject(onlyA);
    expect(await listed(`${query}&filter_by_prefix=b`)).toMatchObject(refused(401, 'auth_failed'));
  });

  it('may have signed the path before it was encoded', async () => {
    const scene = await openScene();
    const plain = '/apps/shop/users/auth0|5f/terminate_connections';
    const query = signRequest({ method: 'POST', rawPath: plain }, scene.key, NOW);
    expect((await send(scene, 'POST', `${plain.replace('|', '%7C')}?${query}`)).status).toBe(200);
    expect(scene.sockets.asked).toMatchObject([{ about: { userId: 'auth0|5f' } }]);
  });

  it.each([
    ['', 'auth_key is missing'],
    ['?auth_key=shop-key', 'auth_timestamp is missing'],
    ['?auth_key=shop-key&auth_timestamp=1', 'auth_signature is missing'],
    ['?auth_key=nobody&auth_timestamp=1&auth_signature=x', 'auth_key is unknown'],
    ['?auth_key=shop-key&auth_timestamp=now&auth_signature=x', 'auth_timestamp is not an integer'],
  ])('with the query %j are refused: %s', async (query, text) => {
    const scene = await openScene();
    const answer = await send(scene, 'GET', `/apps/shop/channels${query}`);
    expect(answer.body).toEqual({ error: text, code: 'auth_failed', status: 401 });
    expect(answer.headers.get('content-type')).toBe('application/json');
  });

  it('are refused on the path of another app', async () => {
    const other = { id: 'blog', key: 'blog-key', secret: 'blog-secret' };
    const scene = await openScene({ apps: [SHOP, other] });
    const rawPath = '/apps/blog/channels';
    const query = signRequest({ method: 'GET', rawPath }, scene.key, NOW);
    expect(await send(scene, 'GET', `${rawPath}?${query}`)).toMatchObject(
      refused(401, 'auth_failed', 'auth_key belongs to another app'),
    );
  });

  it('are refused for a disabled app, once they are known to be its own', async () => {
    const scene = await openScene({ apps: [{ ...SHOP, enabled: false }] });
    expect(await publish(scene, EVENT)).toMatchObject(refused(403, 'forbidden', 'app is disabled'));
    const forged = await send(
      scene,
      'GET',
      '/apps/shop/channels?auth_key=shop-key&auth_timestamp=1&auth_signature=x',
    );
    expect(forged.status).toBe(401);
  });

  it('are refused with a parameter added, a credential repeated, or upper-case hex', async () => {
    const scene = await openScene();
    const rawPath = '/apps/shop/channels';
    const query = signRequest({ method: 'GET', rawPath }, scene.key, NOW);
    const get = (changed: string) => send(scene, 'GET', `${rawPath}?${changed}`);
    expect(await get(query)).toMatchObject({ status: 200 });
    expect(await get(`${query}&info=user_count`)).toMatchObject(refused(401, 'auth_failed'));
    expect(await get(`${query}&auth_key=shop-key`)).toMatchObject(
      refused(400, 'invalid_input', 'auth_key given more than once'),
    );
    const upper = query.replace(
      /auth_signature=.*/,
      (found) => `auth_signature=${found.slice(15).toUpperCase()}`,
    );
    expect(await get(upper)).toMatchObject(refused(401, 'auth_failed'));
  });

  it('may carry a trailing slash that is not signed', async () => {
    const scene = await openScene();
    const query = signRequest({ method: 'GET', rawPath: '/apps/shop/channels' }, scene.key, NOW);
    expect(await send(scene, 'GET', `/apps/shop/channels/?${query}`)).toMatchObject({ status: 200 });
  });

  it('are judged by an app that has to be looked up', async () => {
    const { config } = await openScene();
    const late = appOf({ id: 'late', key: 'late-key', secret: 'late-secret' }, config);
    const scene = await openScene({ findByKey: async (key) => (key === 'late-key' ? late : null) });
    expect(await publish(scene, EVENT, { key: keyOf(late) })).toMatchObject({ status: 200 });
  });

  it('are answered 503 while apps cannot be looked up', async () => {
    const scene = await openScene({ findByKey: () => Promise.reject(new Error('store down: secret dsn')) });
    const answer = await send(
      scene,
      'GET',
      '/apps/shop/channels?auth_key=k&auth_timestamp=1&auth_signature=x',
    );
    expect(answer).toMatchObject(refused(503, 'service_unavailable', 'app lookup unavailable'));
    expect(answer.headers.get('retry-after')).toBe('1');
  });

  it('leave no key, secret or signature in the log', async () => {
    const scene = await openScene();
    await publish(scene, EVENT, { nowSeconds: NOW + 5000 });
    await call(scene, 'GET', '/channels', undefined, { query: { info: 'user_count' } });
    expect(scene.lines.length).toBeGreaterThan(0);
    expect(scene.lines.join()).not.toMatch(/shop-key|shop-secret|auth_signature|[0-9a-f]{64}/);
  });
});
