import { COMMON_DESCRIPTIONS, DESCRIPTIONS } from '@carillon/api-operations';
import { PUSH_ROUTES } from '@carillon/push-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { openApiText } from '../src/document/openapi.js';
import { generatedPages } from '../src/generated-pages.js';
import { routesOf } from '../src/routes.js';
import { DOCUMENT, undocumented } from './documented.js';
import { call, openScene, publish, send } from './scene.js';

const POST = { method: 'POST', path: '/events', sent: { name: 'e', channel: 'a' }, status: 200 };

async function fetched(role: 'default' | 'api', mode: string) {
  const scene = await openScene({ role, env: { ENVIRONMENT: mode } });
  return send(scene, 'GET', '/openapi.json');
}

describe('the document', () => {
  it.each([
    ['of every route', routesOf(DESCRIPTIONS)],
    ['of role api', routesOf(COMMON_DESCRIPTIONS)],
  ])('%s is valid OpenAPI 3.1', async (_, routes) => {
    const validator = new Validator();
    expect(await validator.validate(JSON.parse(openApiText(routes)) as Record<string, unknown>)).toEqual({
      valid: true,
    });
    expect(validator.version).toBe('3.1');
  });

  it('names every operation once, with the routes that are mounted', () => {
    const operations = Object.values(DOCUMENT.paths).flatMap((one) => Object.values(one));
    const names = operations.map((one) => (one as { operationId?: string }).operationId).sort();
    expect(names).toEqual([...Object.keys(DESCRIPTIONS), ...Object.keys(PUSH_ROUTES)].sort());
    expect(generatedPages().map(({ path }) => path)).toEqual(['docs/reference/openapi.json']);
  });

  it('knows what the tests of this room are answered, and nothing else', () => {
    expect(undocumented({ ...POST, body: { ok: true } })).toEqual([]);
    expect(undocumented({ ...POST, body: { ok: true, more: 1 } })).not.toEqual([]);
    expect(undocumented({ ...POST, body: { channels: { a: { user_count: 1 } } } })).not.toEqual([]);
    expect(undocumented({ ...POST, sent: { name: '', channel: 'a' }, body: { ok: true } })).not.toEqual([]);
    expect(undocumented({ ...POST, status: 418, body: {} })).not.toEqual([]);
    expect(undocumented({ ...POST, method: 'PUT', body: {} })).not.toEqual([]);
    const refusal = { error: 'text', code: 'missing_channel_info', status: 400 };
    expect(undocumented({ ...POST, status: 400, body: refusal })).toEqual([]);
    expect(undocumented({ ...POST, status: 400, body: { ...refusal, code: 'auth_failed' } })).not.toEqual([]);
  });

  it.each([
    ['name', 5],
    ['name', ''],
    ['channel', []],
    ['channels', 'a'],
    ['channels', [1]],
    ['channels', []],
    ['socket_id', '1'],
    ['info', true],
    ['tags', { a: 1 }],
    ['delta', 'no'],
    ['idempotency_key', 1],
    ['message_id', {}],
    ['extras', 'x'],
    ['extras', { headers: { a: [] } }],
    ['extras', { ephemeral: 1 }],
    ['extras', { ai: 'x' }],
  ])('and the service refuse a publish with %s %j alike', async (name, value) => {
    const scene = await openScene();
    const sent = { name: 'e', channel: 'a', [name]: value };
    expect(await publish(scene, sent)).toMatchObject({ status: 400 });
    expect(undocumented({ ...POST, sent, body: { ok: true } })).not.toEqual([]);
  });

  it.each([
    [{ jti: '' }],
    [{ jti: 'x'.repeat(129) }],
    [{ client_id: 7 }],
    [{ jti: 'a', ttl_seconds: -1 }],
    [{ jti: 'a', ttl_seconds: 1.5 }],
    [{ jti: 'a', expires_at: 'now' }],
    [{ jti: 'a', reason: 'x'.repeat(4097) }],
    [{ reason: 'nobody' }],
  ])('and the service refuse the revocation %j alike', async (sent) => {
    const scene = await openScene();
    expect(await call(scene, 'POST', '/revocations', sent)).toMatchObject({ status: 400 });
    const body = { revoked_jti: true, revoked_client_id: false, closed_connections: 0 };
    expect(undocumented({ method: 'POST', path: '/revocations', sent, status: 200, body })).not.toEqual([]);
  });

  it('is served in development, of the routes that are there, and not in production', async () => {
    const whole = await fetched('default', 'development');
    expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(whole.body).toEqual(DOCUMENT);
    const { paths } = (await fetched('api', 'development')).body as typeof DOCUMENT;
    const served = Object.values(routesOf(COMMON_DESCRIPTIONS)).map(
      ({ path }) => `/apps/{appId}${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    );
    const others = Object.keys(paths).filter((path) => !path.startsWith('/apps/{appId}/push/'));
    expect(others).toEqual([...new Set(served)]);
    expect((await fetched('default', 'production')).status).toBe(404);
  });
});
