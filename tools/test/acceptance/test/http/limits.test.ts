import type { RawAnswer } from '@carillon/testing';
import { describe, expect, it } from 'vitest';
import { expectRefused, told } from '../harness/answers.js';
import { onServerHttp } from '../harness/every-app.js';
import type { Node } from '../harness/node.js';
import { tenant } from '../harness/tenant.js';

const shop = tenant('shop');
const body = JSON.stringify({ name: 'e', channel: 'a' });
const LIMITER = { rate_limiter: { enabled: true, api_rate_limit: { max_requests: 1, window_seconds: 60 } } };

onServerHttp('an address with one request a minute', { tenants: [shop], config: LIMITER }, (node) => {
  it('has no second one, whatever address it claims', async () => {
    const first = await node.api().request('POST', '/events', { body });
    expect([
      first.status,
      first.headers['x-ratelimit-limit'],
      first.headers['x-ratelimit-remaining'],
    ]).toEqual([200, '1', '0']);
    for (const claim of ['X-Nothing', 'X-Forwarded-For', 'X-Real-IP']) {
      const headers = { [claim]: '203.0.113.9' };
      const {
        status,
        headers: said,
        body: text,
      } = await node.api().request('POST', '/events', { body, headers });
      expect([status, JSON.parse(text)]).toEqual([
        429,
        {
          error: 'Too Many Requests',
          message: 'Request quota used up, retry later',
          code: 'rate_limited',
          status: 429,
        },
      ]);
      expect(said['x-ratelimit-remaining']).toBe('0');
      expect(said['retry-after']).toBe(said['x-ratelimit-reset']);
      expect(Number(said['retry-after'])).toBeGreaterThanOrEqual(1);
    }
    expect((await node.request({ path: '/up' }, node.apiPort)).status).toBe(200);
  });
});

const slow = tenant('slow', { limits: { max_backend_events_per_second: 2 } });

onServerHttp('an app with two events a second', { tenants: [slow] }, (node) => {
  it('does not publish a batch of three', async () => {
    const client = await node.connect();
    await client.subscribe('a');
    const batch = JSON.stringify({ batch: Array.from({ length: 3 }, () => ({ name: 'e', channel: 'a' })) });
    const { headers } = await expectRefused(
      node.api().request('POST', '/batch_events', { body: batch }),
      429,
      'rate_limited',
    );
    expect(headers['retry-after']).toBe('1');
    expect(await client.pending()).toEqual([]);
  });
});

const from = (node: Node, origin: string): Promise<RawAnswer> =>
  node.api().request('POST', '/events', { body, headers: { Origin: origin } });

describe('cross-origin requests', () => {
  const cors = { origin: ['*.example.com'], credentials: true };
  onServerHttp('from some origins', { tenants: [shop], config: { cors } }, (node) => {
    it('are told so when they are among them, and served anyway', async () => {
      const good = await from(node, 'https://a.example.com');
      expect([good.status, good.headers['access-control-allow-origin']]).toEqual([
        200,
        'https://a.example.com',
      ]);
      expect(good.headers['access-control-allow-credentials']).toBe('true');
      const evil = await from(node, 'https://evil.test');
      expect([evil.status, evil.headers['access-control-allow-origin']]).toEqual([200, undefined]);
    });
  });

  onServerHttp(
    'from anywhere',
    { tenants: [shop], config: { cors: { origin: ['*'], credentials: true } } },
    (node) => {
      it('never bring credentials', async () => {
        const { headers } = await from(node, 'https://evil.test');
        expect(headers['access-control-allow-origin']).toBe('*');
        expect(headers['access-control-allow-credentials']).toBeUndefined();
      });

      it('may ask first, unsigned', async () => {
        const asked = await node.request(
          { method: 'OPTIONS', path: '/apps/shop/events', headers: { Origin: 'https://a.test' } },
          node.apiPort,
        );
        expect([asked.status, asked.body]).toEqual([200, '']);
        expect(asked.headers['access-control-allow-methods']).toContain('POST');
        expect(asked.headers['access-control-allow-headers']?.toLowerCase()).toContain('x-idempotency-key');
        // Server libraries in browsers and their bundlers name themselves.
        expect(asked.headers['access-control-allow-headers']).toContain('X-Pusher-Library');
      });
    },
  );

  onServerHttp('of pages that read the answer', { tenants: [shop] }, (node) => {
    it('see what they need to come again', async () => {
      const { headers } = await from(node, 'https://a.test');
      const exposed = headers['access-control-expose-headers']?.toLowerCase();
      for (const name of ['retry-after', 'x-ratelimit-remaining', 'x-idempotency-replayed'])
        expect(exposed).toContain(name);
      expect(await told(node.api().request('GET', '/channels'))).toEqual([200, { channels: {} }]);
    });
  });
});
