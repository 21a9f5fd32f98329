import type { RawAnswer } from '@carillon/testing';
import { expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import type { Node } from '../harness/node.js';
import { tenant } from '../harness/tenant.js';

const shop = tenant('shop');
const PATH = `/app/${shop.key}`;

/** The answer to a handshake that is expected to be refused. */
async function refusal(node: Node, path: string): Promise<RawAnswer> {
  const raw = await node.upgrade(path);
  raw.destroy();
  return raw.answer;
}

/** The one error body of the HTTP side, its members in their order. */
function expectError(answer: RawAnswer, status: number, code: string, text?: RegExp): void {
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  const body = JSON.parse(answer.body) as { error: string };
  expect(body).toEqual({ error: expect.any(String) as string, code, status });
  expect(Object.keys(body)).toEqual(['error', 'code', 'status']);
  expect(body.error).toMatch(text ?? /./);
}

onServer('an upgrade', { tenants: [shop] }, (node) => {
  it.each(['abc', '-1', '256', '7.5', '1e2', '%20', '99999999999999999999'])(
    'with protocol=%s is refused, naming the parameter',
    async (protocol) => {
      expectError(await refusal(node, `${PATH}?protocol=${protocol}`), 400, 'invalid_input', /protocol/);
    },
  );

  it('with a bad parameter is refused before the app key is looked at', async () => {
    expectError(await refusal(node, '/app/nobody?protocol=abc'), 400, 'invalid_input');
  });

  it('that is an ordinary request is told to upgrade, whatever its query', async () => {
    const answer = await node.request({ path: `${PATH}?protocol=abc` });
    expectError(answer, 426, 'upgrade_required');
    expect(answer.headers.upgrade?.toLowerCase()).toBe('websocket');
  });

  it.each(['/app', '/app/', `${PATH}/more`, `/apps/${shop.key}`])('to %s finds no route', async (path) => {
    expectError(await refusal(node, path), 404, 'not_found', /^no such route$/);
  });
});

onServer(
  'upgrades over the rate limit of an address',
  {
    tenants: [shop],
    env: {
      RATE_LIMITER_ENABLED: 'true',
      RATE_LIMITER_WS_MAX_REQUESTS: '2',
      RATE_LIMITER_WS_WINDOW_SECONDS: '60',
    },
  },
  (node) => {
    it('are refused with the limiter’s own body and headers, before their query is read', async () => {
      expectError(await refusal(node, `${PATH}?protocol=abc`), 400, 'invalid_input');
      await node.connect();
      const answer = await refusal(node, `${PATH}?protocol=abc`);
      expect(answer.status).toBe(429);
      expect(answer.body).toBe(
        '{"error":"Too Many Requests","message":"Request quota used up, retry later","code":"rate_limited","status":429}',
      );
      expect(answer.headers).toMatchObject({ 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '0' });
      expect(answer.headers['x-ratelimit-reset']).toMatch(/^\d+$/);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(answer.headers['retry-after']).toBe(answer.headers['x-ratelimit-reset']);
      const metrics = await node.metrics();
      const labels = { limiter_type: 'websocket_rate_limit', request_context: 'websocket_upgrade' };
      expect(metrics.value('rate_limit_triggered_total', labels)).toBe(1);
    });

    it('do not count ordinary requests, nor are those limited', async () => {
      for (let count = 0; count < 4; count += 1)
        expectError(await node.request({ path: PATH }), 426, 'upgrade_required');
      expect(await node.api().channel('orders')).toEqual({ occupied: false });
    });
  },
);

onServer(
  'upgrades under memory pressure',
  {
    tenants: [shop],
    env: {
      HTTP_API_ACCEPT_TRAFFIC_ENABLED: 'true',
      HTTP_API_ACCEPT_TRAFFIC_MEMORY_LIMIT_BYTES: '1048576',
      RATE_LIMITER_ENABLED: 'true',
      RATE_LIMITER_WS_MAX_REQUESTS: '1',
    },
  },
  (node) => {
    it('are refused before they count, and after it is known that they are upgrades', async () => {
      for (let count = 0; count < 3; count += 1) {
        const answer = await refusal(node, `${PATH}?protocol=abc`);
        expectError(answer, 503, 'service_unavailable', /^MEMORY_PRESSURE$/);
        expect(answer.headers['retry-after']).toBe('1');
      }
      expectError(await node.request({ path: PATH }), 426, 'upgrade_required');
      expect((await node.metrics()).value('memory_pressure_rejections_total')).toBe(3);
    });
  },
);
