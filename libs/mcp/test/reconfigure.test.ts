import { Secret } from '@carillon/config';
import { DESCRIPTIONS } from '@carillon/api-operations';
import { describe, expect, it } from 'vitest';
import { PING_MS } from '../src/sessions/streams.js';
import { scene, secretOf, token } from './scene.js';

const publishEvent = {
  description: DESCRIPTIONS.publishEvent,
  perform: async () => ({ value: { ok: true } }),
};
const PING = { id: 1, method: 'ping' };
const CHANGED = 'notifications/tools/list_changed';

describe('a configuration that is read again', () => {
  it('tells streams whose list of tools is another now', async () => {
    const { begin, stream, call, reconfigure } = await scene({
      operations: { publishEvent },
      mcp: {
        disabled_tools: ['publish_event'],
        tokens: [token('all'), token('reader', { scopes: ['read'] })],
      },
    });
    const session = await begin();
    const open = await stream(session);
    const reader = await stream(await begin('reader'), 'reader');
    const given = { channel: 'orders', name: 'n', data: 'x' };
    expect((await call(session, 'publish_event', given)).error).toMatchObject({ code: -32_602 });
    reconfigure({ disabled_tools: [], tokens: [token('all'), token('reader', { scopes: ['read'] })] });
    await open.untilText(CHANGED);
    expect(await call(session, 'publish_event', given)).toMatchObject({ isError: false });
    reconfigure({ disabled_tools: [], tokens: [token('all'), token('reader')] });
    await reader.untilText(CHANGED);
    expect(reader.received.toString().split(CHANGED)).toHaveLength(2);
  });

  it('ends what a token had that is no more', async () => {
    const { begin, stream, send, reconfigure, records } = await scene({
      mcp: { tokens: [token('all'), token('other')] },
    });
    const session = await begin('other');
    const kept = await begin();
    const open = await stream(session, 'other');
    reconfigure({ tokens: [token('all')] });
    await open.untilText('\r\n0\r\n\r\n');
    expect(await send(PING, { session, name: 'other' })).toMatchObject({
      status: 401,
      json: { error: { code: 1401 } },
    });
    expect((await send(PING, { session: kept })).status).toBe(200);
    reconfigure({ tokens: [token('all'), token('other')] });
    expect((await send(PING, { session, name: 'other' })).status).toBe(404);
    expect(records()).toContainEqual(
      expect.objectContaining({ event: 'mcp.session.ended', principal: 'other', reason: 'token_removed' }),
    );
  });

  it('takes sessions and streams from a token that another of its name replaces', async () => {
    const { begin, stream, send, reconfigure } = await scene({ mcp: { tokens: [token('all')] } });
    const session = await begin();
    const open = await stream(session);
    reconfigure({ tokens: [token('all', { token: new Secret(secretOf('newer')) })] });
    await open.untilText('\r\n0\r\n\r\n');
    expect((await send(PING, { session })).status).toBe(401);
    expect((await send(PING, { session, name: 'newer' })).status).toBe(404);
    expect((await send(PING, { session: await begin('newer'), name: 'newer' })).status).toBe(200);
  });

  it('changes hosts, rates and limits at once', async () => {
    const { begin, send, reconfigure } = await scene();
    const session = await begin();
    reconfigure({ allowed_hosts: ['mcp.example.com'] });
    expect((await send(PING, { session })).status).toBe(403);
    expect((await send(PING, { session, host: 'MCP.example.com:8443' })).status).toBe(200);
    reconfigure({ rate_limit_per_minute: 1 });
    await send(PING, { session });
    expect((await send(PING, { session })).status).toBe(429);
  });
});

describe('a stream', () => {
  it('is pinged again and again, at least every 15 s', async () => {
    expect(PING_MS).toBeLessThanOrEqual(15_000);
    const { begin, stream } = await scene({ pingMs: 5 });
    const open = await stream(await begin());
    await open.until((bytes) => bytes.toString().split(': ping').length > 3);
  });
});
