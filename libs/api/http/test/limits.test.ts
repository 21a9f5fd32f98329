import { MemoryRateLimit } from '@carillon/rate-limit';
import { signRequest } from '@carillon/auth';
import { describe, expect, it } from 'vitest';
import { counted, NOW, openScene, publish, publishBatch, read, refused, send, SHOP } from './scene.js';

const limits = (more: object) => ({ apps: [{ ...SHOP, policy: { limits: more } }] });
const EVENT = { name: 'e', channel: 'a' };

const env = (more: Record<string, string> = {}) => ({
  RATE_LIMITER_ENABLED: 'true',
  RATE_LIMITER_API_MAX_REQUESTS: '1',
  ...more,
});

/** An event with a body of this size. */
const eventOf = (bytes: number) => JSON.stringify(EVENT).padEnd(bytes, ' ');

describe('the rate of an app', () => {
  it('counts 1 per event and a batch its length, whole or not at all', async () => {
    const clock = { nowMs: 0 };
    const rateLimit = new MemoryRateLimit({ now: () => clock.nowMs });
    const scene = await openScene({ ...limits({ max_backend_events_per_second: 3 }), rateLimit });
    expect(await publish(scene, EVENT)).toMatchObject({ status: 200 });
    const tooMuch = await publishBatch(scene, [EVENT, EVENT, EVENT]);
    expect(tooMuch).toMatchObject(refused(429, 'rate_limited', 'backend event rate of the app exceeded'));
    expect(tooMuch.headers.get('retry-after')).toBe('1');
    expect(await publishBatch(scene, [EVENT, EVENT])).toMatchObject({ status: 200 });
    expect(await publish(scene, EVENT)).toMatchObject(refused(429, 'rate_limited'));
    expect(await publishBatch(scene, [])).toMatchObject({ status: 200 });
    expect(scene.sockets.delivered).toHaveLength(3);
    clock.nowMs = 1001;
    expect(await publish(scene, EVENT)).toMatchObject({ status: 200 });
    const labels = { app_id: 'shop', limiter_type: 'app_backend', request_context: 'http_api' };
    expect(await counted(scene, 'service_rate_limit_checks_total', labels)).toBe(5);
    expect(await counted(scene, 'service_rate_limit_triggered_total', labels)).toBe(2);
  });

  it('is asked before the body is looked at', async () => {
    const rateLimit = new MemoryRateLimit({ now: () => 0 });
    const scene = await openScene({ ...limits({ max_backend_events_per_second: 1 }), rateLimit });
    expect(await publishBatch(scene, 'no batch')).toMatchObject(refused(400, 'invalid_input'));
    expect(await publish(scene, 'no json')).toMatchObject(refused(429, 'rate_limited'));
  });

  it('counts reads apart from events', async () => {
    const rateLimit = new MemoryRateLimit({ now: () => 0 });
    const scene = await openScene({ ...limits({ max_read_requests_per_second: 1 }), rateLimit });
    expect(await read(scene, '/channels')).toMatchObject({ status: 200 });
    expect(await read(scene, '/channels/a')).toMatchObject(
      refused(429, 'rate_limited', 'read request rate of the app exceeded'),
    );
    expect(await publish(scene, EVENT)).toMatchObject({ status: 200 });
  });

  it('is not touched by what nobody signed', async () => {
    const rateLimit = new MemoryRateLimit({ now: () => 0 });
    const scene = await openScene({ ...limits({ max_backend_events_per_second: 1 }), rateLimit });
    expect(await publish(scene, EVENT, { nowSeconds: 0 })).toMatchObject({ status: 401 });
    expect(await publish(scene, EVENT)).toMatchObject({ status: 200 });
  });

  it('refuses when the limiter cannot be asked, and nobody without a limit notices', async () => {
    const rateLimit = new MemoryRateLimit();
    await rateLimit.close();
    const limited = await openScene({ ...limits({ max_backend_events_per_second: 5 }), rateLimit });
    const answer = await publish(limited, EVENT);
    expect(answer).toMatchObject(refused(503, 'service_unavailable'));
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(limited.sockets.delivered).toEqual([]);
    expect(await publish(await openScene({ rateLimit }), EVENT)).toMatchObject({ status: 200 });
  });
});

describe('the rate of an address', () => {
  it('is told with every answer and refuses the next call, whoever sends it', async () => {
    const scene = await openScene({ env: env() });
    const first = await send(scene, 'GET', '/apps/shop/channels');
    expect(first.status).toBe(401);
    expect(Object.fromEntries(first.headers)).toMatchObject({
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '60',
    });
    const second = await send(scene, 'GET', '/apps/shop/channels', undefined, {
      'x-forwarded-for': '9.9.9.9',
    });
    expect(second.status).toBe(429);
    expect(second.body).toEqual({
      error: 'Too Many Requests',
      message: 'Request quota used up, retry later',
      code: 'rate_limited',
      status: 429,
    });
    expect(Object.fromEntries(second.headers)).toMatchObject({
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '60',
      'retry-after': '60',
    });
    const labels = { app_id: 'global', limiter_type: 'api_rate_limit', request_context: 'http_api' };
    expect(await counted(scene, 'service_rate_limit_checks_total', labels)).toBe(2);
    expect(await counted(scene, 'service_rate_limit_triggered_total', labels)).toBe(1);
  });

  it('counts the client behind trusted proxies', async () => {
    const scene = await openScene({ env: env({ RATE_LIMITER_API_TRUST_HOPS: '1' }) });
    const from = async (forwarded: string) =>
      (await send(scene, 'GET', '/apps/shop/channels', undefined, { 'x-forwarded-for': forwarded })).status;
    expect(await from('9.9.9.9, 10.0.0.7')).toBe(401);
    expect(await from('8.8.8.8, 10.0.0.7')).toBe(429);
    expect(await from('9.9.9.9, 10.0.0.8')).toBe(401);
  });

  it('is 503 when the limiter cannot be asked', async () => {
    const rateLimit = new MemoryRateLimit();
    await rateLimit.close();
    const scene = await openScene({ env: env(), rateLimit });
    const answer = await send(scene, 'GET', '/apps/shop/channels');
    expect(answer).toMatchObject(refused(503, 'service_unavailable'));
    expect(answer.headers.get('retry-after')).toBe('1');
  });

  it('is not looked at unless it is switched on', async () => {
    const scene = await openScene({ env: { RATE_LIMITER_API_MAX_REQUESTS: '1' } });
    for (let call = 0; call < 3; call++) {
      const answer = await read(scene, '/channels');
      expect(answer.status).toBe(200);
      expect(answer.headers.has('x-ratelimit-limit')).toBe(false);
    }
  });
});

describe('the size of a body', () => {
  it('is limited before authentication', async () => {
    const scene = await openScene({ adapter: { bodyLimitBytes: 1000 } });
    expect(await send(scene, 'POST', '/apps/shop/events', eventOf(1001))).toMatchObject(
      refused(413, 'payload_too_large'),
    );
    expect(await publish(scene, eventOf(1000))).toMatchObject({ status: 200 });
  });

  it('is limited before authentication where signatures are looked at before the body, too', async () => {
    const scene = await openScene({ adapter: { bodyLimitBytes: 100_000 } });
    const unsigned = (bytes: number) => send(scene, 'POST', '/apps/shop/events', eventOf(bytes));
    expect(await unsigned(100_001)).toMatchObject(refused(413, 'payload_too_large'));
    expect(await unsigned(100_000)).toMatchObject(refused(401, 'auth_failed'));
  });
});

describe('metrics of calls', () => {
  it('count calls and bodies of those who proved who they are', async () => {
    const scene = await openScene();
    const body = JSON.stringify(EVENT);
    await publish(scene, body);
    await publish(scene, body, { nowSeconds: 0 });
    const rawPath = '/apps/shop/channels';
    await send(scene, 'GET', `${rawPath}?${signRequest({ method: 'GET', rawPath }, scene.key, NOW)}`);
    const labels = { app_id: 'shop', port: '6001' };
    expect(await counted(scene, 'service_http_calls_received_total', labels)).toBe(2);
    expect(await counted(scene, 'service_http_received_bytes', labels)).toBe(body.length);
    expect(await counted(scene, 'service_http_transmitted_bytes', labels)).toBe(
      '{"ok":true}'.length + '{"channels":{}}'.length,
    );
  });
});
