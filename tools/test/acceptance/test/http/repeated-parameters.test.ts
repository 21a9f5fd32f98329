import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { expectRefused } from '../harness/answers.js';
import { onServerHttp } from '../harness/every-app.js';
import { tenant } from '../harness/tenant.js';

const shop = tenant('shop');

onServerHttp('a signed request', { tenants: [shop] }, (node) => {
  /** A GET with these pairs on the wire, signed over those that count. */
  const get = (path: string, sent: string, signed: string) => {
    const full = `/apps/${shop.id}${path}`;
    const auth = `auth_key=${shop.key}&auth_timestamp=${Math.floor(Date.now() / 1000)}&auth_version=1.0`;
    const text = [auth, ...signed.split('&')].join('&').split('&').sort().join('&');
    const signature = createHmac('sha256', shop.secret).update(`GET\n${full}\n${text}`).digest('hex');
    return node.request({ path: `${full}?${auth}&${sent}&auth_signature=${signature}` });
  };

  it('uses the last value of a parameter when it is repeated, in the signature and in the answer', async () => {
    const client = await node.connect();
    for (const channel of ['room-a', 'hall-b']) await client.subscribe(channel);
    const listed = async (sent: string, signed: string) => {
      const { status, body } = await get('/channels', sent, signed);
      return [
        status,
        status === 200 ? Object.keys((JSON.parse(body) as { channels: object }).channels) : body,
      ];
    };
    const first = 'filter_by_prefix=room&filter_by_prefix=hall';
    expect(await listed(first, 'filter_by_prefix=hall')).toEqual([200, ['hall-b']]);
    const second = 'FILTER_BY_PREFIX=hall&filter_by_prefix=room';
    expect(await listed(second, 'filter_by_prefix=room')).toEqual([200, ['room-a']]);
    await expectRefused(get('/channels', first, 'filter_by_prefix=room'), 401, 'auth_failed');
  });

  it('is refused when a parameter of its authentication is repeated', async () => {
    await expectRefused(get('/channels', 'auth_version=1.0', ''), 400, 'invalid_input');
    await expectRefused(get('/channels', `auth_key=${shop.key}`, ''), 400, 'invalid_input');
  });
});
