import { describe, expect, it } from 'vitest';
import { expectRefused, told } from '../harness/answers.js';
import { onEveryHttpApp } from '../harness/every-app.js';
import type { Node } from '../harness/node.js';
import { expectClosed } from '../harness/refusals.js';
import { md5, signature } from '../harness/signatures.js';
import { openTenant, tenant, type Tenant } from '../harness/tenant.js';

const NOW = 1_760_000_000;
/** The clock of the whole process stands still. */
const AT_NOW = { NODE_OPTIONS: `--import=data:text/javascript,Date.now=()=>${NOW * 1000}` };

/** The app of the printed examples. */
const example: Tenant = {
  ...openTenant('1042', { features: { enable_watchlist_events: false } }),
  key: 'k_4f81d0c7b29e',
  secret: 's_7a3e5590c1bd42f8',
};
const other = tenant('other');
const disabled = tenant('disabled', {}, false);
const EVENT = JSON.stringify({ name: 'tick', channel: 'a', data: 'x' });
const EXAMPLE_BODY =
  '{"name":"order.created","channels":["orders","private-ops"],"data":"{\\"id\\":\\"ord_77\\"}","info":"subscription_count"}';

type Pairs = readonly (readonly [string, string])[];

/** How a request departs from a correct one. */
interface Forgery {
  readonly method?: string;
  readonly path?: string;
  readonly app?: Tenant;
  /** Pairs of the query instead of the usual ones, in this order; `auth_signature` is added. */
  readonly pairs?: (usual: Pairs) => Pairs;
  readonly body?: string;
  /** Sent instead of the body that was signed. */
  readonly sentBody?: string;
  /** Sent instead of the path that was signed. */
  readonly sentPath?: string;
  /** What becomes of the whole query. */
  readonly query?: (query: string) => string;
}

const noMd5 = (usual: Pairs): Pairs => usual.filter(([name]) => name !== 'body_md5');
const shout = (query: string): string =>
  query.replace(/auth_signature=(.*)/, (_, hex: string) => `auth_signature=${hex.toUpperCase()}`);

function forged(node: Node, forgery: Forgery) {
  const { method = 'POST', app = example, body = method === 'POST' ? EVENT : undefined } = forgery;
  const path = forgery.path ?? `/apps/${app.id}/events`;
  const usual: [string, string][] = [
    ['auth_key', app.key],
    ['auth_timestamp', String(NOW)],
    ['auth_version', '1.0'],
    ...(body === undefined || body === '' ? [] : [['body_md5', md5(body)] as [string, string]]),
  ];
  const pairs = forgery.pairs?.(usual) ?? usual;
  const signed = [...pairs].sort(([one], [two]) => (one < two ? -1 : 1));
  const text = signed.map(([name, value]) => `${name}=${value}`).join('&');
  const query = `${pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}&auth_signature=${signature(app, `${method}\n${path}\n${text}`)}`;
  const sentQuery = forgery.query?.(query) ?? query;
  const sentBody = forgery.sentBody ?? body;
  const port = path.includes('/users/') || path.endsWith('/channels') ? node.port : node.apiPort;
  return node.request(
    {
      method,
      path: `${forgery.sentPath ?? path}${sentQuery === '' ? '' : `?${sentQuery}`}`,
      ...(sentBody === undefined ? {} : { body: sentBody }),
    },
    port,
  );
}

onEveryHttpApp('a signature', { tenants: [example, other, disabled], env: AT_NOW }, (node) => {
  it('of the printed example is right for a publish', async () => {
    const query = `auth_key=k_4f81d0c7b29e&auth_timestamp=1760000000&auth_version=1.0&body_md5=0d7f941a331f57782a5d7dc7ae602a23`;
    // Asked where counts are known: an api node tells none.
    const answer = await node.request({
      method: 'POST',
      path: `/apps/1042/events?${query}&auth_signature=b2ac8e22c2abaae2b16107bbd089e1ebf34f2221f351d167e61cf84b5161d037`,
      body: EXAMPLE_BODY,
    });
    const counted = { acknowledgement_id: expect.any(String) as string, subscription_count: 0 };
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      200,
      { channels: { orders: counted, 'private-ops': counted } },
    ]);
    expect(signature(example, `POST\n/apps/1042/events\n${query}`)).toBe(
      'b2ac8e22c2abaae2b16107bbd089e1ebf34f2221f351d167e61cf84b5161d037',
    );
  });

  it.each(['user_count%2Csubscription_count', 'user_count,subscription_count'])(
    'of the printed example is right for a list asked with %s',
    async (info) => {
      const path = `/apps/1042/channels?auth_key=k_4f81d0c7b29e&auth_timestamp=1760000000&auth_version=1.0&filter_by_prefix=presence-&info=${info}`;
      const signed = `${path}&auth_signature=f3c7f6bc8bac39d8a78227a0dc2edb40c51eb35f3588ffde2e11801b938d7946`;
      expect(await told(node.request({ path: signed }))).toEqual([200, { channels: {} }]);
    },
  );

  it('of the printed example is over the encoded path, which names the user u:9', async () => {
    const user = await node.connect();
    await user.signin('u:9');
    const query = `auth_key=k_4f81d0c7b29e&auth_timestamp=1760000000&auth_version=1.0&body_md5=99914b932bd37a50b983c5e7c90ae93b`;
    const path = `/apps/1042/users/u%3A9/terminate_connections?${query}&auth_signature=9061081e1ece40d65eee7b3c0480d052f157905f53f822d6dd4b582744e7156d`;
    expect(await told(node.request({ method: 'POST', path, body: '{}' }))).toEqual([200, { ok: true }]);
    await expectClosed(user, 4009);
  });

  it.each([
    [-601, 401],
    [-600, 200],
    [600, 200],
    [601, 401],
  ])('made %i seconds from now is answered %i', async (seconds, status) => {
    const at = String(NOW + seconds);
    const answering = forged(node, {
      pairs: (usual) => usual.map(([name, value]) => [name, name === 'auth_timestamp' ? at : value]),
    });
    if (status === 200) expect(await told(answering)).toEqual([200, { ok: true }]);
    else await expectRefused(answering, 401, 'auth_failed', 'auth_timestamp outside the 600 s window');
  });

  it('does not hold for a body with another byte', async () => {
    await expectRefused(
      forged(node, { sentBody: EVENT.replace('x', 'y') }),
      401,
      'auth_failed',
      'body_md5 does not match',
    );
  });

  it('has an MD5 of the body where there is one, and of nothing where there is none', async () => {
    await expectRefused(forged(node, { pairs: noMd5 }), 401, 'auth_failed', 'body_md5 missing');
    const ending = { path: '/apps/1042/users/nobody/terminate_connections', body: '' };
    expect(await told(forged(node, ending))).toEqual([200, { ok: true }]);
    const reading = { method: 'GET', path: '/apps/1042/channels' };
    const withMd5 = (text: string): Forgery => ({
      ...reading,
      pairs: (usual) => [...usual, ['body_md5', md5(text)]],
    });
    expect(await told(forged(node, withMd5('')))).toEqual([200, { channels: {} }]);
    await expectRefused(forged(node, withMd5('x')), 401, 'auth_failed', 'body_md5 does not match');
  });

  it('of nobody, of a stranger or of another app is refused', async () => {
    await expectRefused(forged(node, { query: () => '' }), 401, 'auth_failed');
    await expectRefused(
      forged(node, { query: (query) => query.replace(/&auth_signature=.*/, '') }),
      401,
      'auth_failed',
      'auth_signature is missing',
    );
    await expectRefused(
      forged(node, { app: { ...example, key: 'stranger' } }),
      401,
      'auth_failed',
      'auth_key is unknown',
    );
    await expectRefused(
      forged(node, { app: other, path: '/apps/1042/events' }),
      401,
      'auth_failed',
      'auth_key belongs to another app',
    );
  });

  it('of a disabled app is right and refused', async () => {
    await expectRefused(forged(node, { app: disabled }), 403, 'forbidden', 'app is disabled');
    await expectRefused(
      forged(node, { app: { ...disabled, secret: 'wrong' } }),
      401,
      'auth_failed',
      'auth_signature does not match',
    );
  });

  it('covers the whole query', async () => {
    await expectRefused(
      forged(node, { query: (query) => `${query}&info=cache` }),
      401,
      'auth_failed',
      'auth_signature does not match',
    );
    await expectRefused(
      forged(node, { query: (query) => `${query}&auth_key=${example.key}` }),
      400,
      'invalid_input',
      'auth_key given more than once',
    );
  });

  it('is lower-case hex', async () => {
    await expectRefused(forged(node, { query: shout }), 401, 'auth_failed', 'auth_signature does not match');
  });

  it('is over the path without its trailing slash', async () => {
    expect(await told(forged(node, { sentPath: '/apps/1042/events/' }))).toEqual([200, { ok: true }]);
  });
});

describe('a path without a route', () => {
  onEveryHttpApp('needs no signature', { tenants: [example] }, (node) => {
    it('to be told that it is none, or which methods it has', async () => {
      await expectRefused(
        node.request({ path: '/apps/1042/nothing' }, node.apiPort),
        404,
        'not_found',
        'no such route',
      );
      const wrong = await expectRefused(
        node.request({ path: '/apps/1042/events' }, node.apiPort),
        405,
        'method_not_allowed',
      );
      expect(wrong.headers.allow).toBe('POST');
    });
  });
});
