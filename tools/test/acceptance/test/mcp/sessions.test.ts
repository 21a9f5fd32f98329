import { RawConnection } from '@carillon/testing';
import { expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { Mcp, mcpSection } from '../harness/mcp.js';
import { tenant } from '../harness/tenant.js';

const message = (id: number | undefined, method: string, params?: object) => ({
  jsonrpc: '2.0',
  ...(id === undefined ? {} : { id }),
  method,
  ...(params === undefined ? {} : { params }),
});

onServer('Sessions of the tool protocol', { tenants: [tenant('shop')], config: mcpSection() }, (node) => {
  const mcp = new Mcp(() => node.port);

  it.each([
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['1999-01-01', '2025-11-25'],
    ['2024-11-05', '2025-11-25'],
  ])('asked for %s begin with %s', async (asked, answered) => {
    const answer = await mcp.initialize({}, asked);
    expect(answer.json).toMatchObject({ id: 1, result: { protocolVersion: answered } });
    expect(answer.headers['mcp-session-id']).toMatch(/^[\w-]{43}$/);
  });

  it('do not begin without what they need, or inside another', async () => {
    const bad = await mcp.initialize({}, 7);
    expect([bad.status, bad.json, bad.headers['mcp-session-id']]).toMatchObject([
      200,
      { id: 1, error: { code: -32_602 } },
      undefined,
    ]);
    const inside = await mcp.initialize({ session: await mcp.begin() });
    expect([inside.status, inside.json]).toMatchObject([400, { error: { code: -32_600 } }]);
    const batch = JSON.stringify([message(1, 'initialize', { protocolVersion: '2025-03-26' })]);
    for (const sent of [{}, { session: await mcp.begin({}, '2025-03-26') }]) {
      const array = await mcp.send(batch, sent);
      expect([array.status, array.json]).toMatchObject([400, { error: { code: -32_600 } }]);
    }
  });

  it('are named by every later request, in their revision', async () => {
    const session = await mcp.begin();
    for (const [sent, status, code] of [
      [{}, 400, -32_000],
      [{ session: 'A'.repeat(43) }, 404, -32_001],
      [{ session: 'short' }, 404, -32_001],
      [{ session, headers: { 'MCP-Protocol-Version': '2020-01-01' } }, 400, -32_000],
    ] as const) {
      const answer = await mcp.rpc('ping', {}, sent);
      expect([answer.status, answer.json]).toMatchObject([status, { error: { code } }]);
    }
    for (const version of ['2025-11-25', '2025-06-18']) {
      const headers = { 'MCP-Protocol-Version': version };
      const answer = await mcp.rpc('ping', {}, { session, headers });
      expect(answer.json).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    }
  });

  it('are nothing to another token', async () => {
    const session = await mcp.begin();
    const foreign = await mcp.rpc('ping', {}, { session, token: 'reader' });
    expect([foreign.status, foreign.json]).toMatchObject([404, { error: { code: -32_001 } }]);
    expect((await mcp.send(null, { method: 'DELETE', session, token: 'reader' })).status).toBe(404);
    expect((await mcp.rpc('ping', {}, { session })).status).toBe(200);
  });

  it('end for the one that was used the longest ago when there are too many', async () => {
    const sent = { token: 'operator' };
    const ids: string[] = [];
    for (let index = 0; index < 200; index += 1) ids.push(await mcp.begin(sent));
    const [first = '', second = ''] = ids;
    expect((await mcp.rpc('ping', {}, { ...sent, session: first })).status).toBe(200);
    const newest = await mcp.begin(sent);
    expect((await mcp.rpc('ping', {}, { ...sent, session: second })).status).toBe(404);
    for (const session of [first, newest])
      expect((await mcp.rpc('ping', {}, { ...sent, session })).status).toBe(200);
  });

  it('take arrays in the oldest revision only', async () => {
    const pings = JSON.stringify([
      message(1, 'ping'),
      message(undefined, 'notifications/initialized'),
      message(2, 'ping'),
    ]);
    const old = await mcp.begin({}, '2025-03-26');
    expect((await mcp.send(pings, { session: old })).json).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, result: {} },
    ]);
    const silent = await mcp.send(JSON.stringify([message(undefined, 'notifications/any')]), {
      session: old,
    });
    expect([silent.status, silent.body]).toEqual([202, '']);
    for (const body of ['[]', JSON.stringify(Array.from({ length: 51 }, () => message(1, 'ping')))]) {
      expect((await mcp.send(body, { session: old })).json).toMatchObject({ error: { code: -32_600 } });
    }
    const refused = await mcp.send(pings, { session: await mcp.begin() });
    expect([refused.status, refused.json]).toMatchObject([400, { error: { code: -32_600 } }]);
  });

  it('hear notifications of any kind, and no unknown request', async () => {
    const session = await mcp.begin();
    for (const method of ['notifications/initialized', 'notifications/none', 'notifications/cancelled']) {
      const answer = await mcp.send(JSON.stringify(message(undefined, method, { requestId: 77 })), {
        session,
      });
      expect([answer.status, answer.body]).toEqual([202, '']);
    }
    expect((await mcp.rpc('foo/bar', {}, { session })).json).toMatchObject({ error: { code: -32_601 } });
    expect((await mcp.rpc('tools/list', { cursor: 'x' }, { session })).json).toMatchObject({
      error: { code: -32_602 },
    });
  });

  it('have one stream at a time, which ends with them', async () => {
    const session = await mcp.begin();
    const token = 'all-'.padEnd(40, 'x');
    const open = async () => {
      const connection = await RawConnection.open(node.port);
      connection.write(
        `GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${token}\r\nMCP-Session-Id: ${session}\r\n\r\n`,
      );
      const head = (await connection.until((bytes) => bytes.includes('\r\n\r\n'))).toString('latin1');
      return { connection, head };
    };
    const first = await open();
    expect(first.head).toMatch(/^HTTP\/1\.1 200 OK[^]*content-type: text\/event-stream/i);
    await first.connection.until((bytes) => bytes.includes(': ping'));
    expect((await open()).head).toMatch(/^HTTP\/1\.1 409/);
    first.connection.destroy();
    let again = await open();
    while (again.head.startsWith('HTTP/1.1 409')) again = await open();
    expect(again.head).toMatch(/^HTTP\/1\.1 200/);
    expect((await mcp.send(null, { method: 'DELETE', session })).status).toBe(200);
    await again.connection.untilText('\r\n0\r\n\r\n');
    again.connection.destroy();
  });

  it('are not needed in the newest revision, which has an envelope instead', async () => {
    const version = 'io.modelcontextprotocol/protocolVersion';
    const cases = [
      [
        await mcp.stateless('tools/list', {}, {}, { 'io.modelcontextprotocol/clientCapabilities': 1 }),
        400,
        -32_602,
      ],
      [await mcp.stateless('tools/list', {}, {}, { [version]: '2030-01-01' }), 400, -32_022],
      [await mcp.stateless('tools/call', { name: 'get_health' }, { 'Mcp-Name': 'get_stats' }), 400, -32_020],
      [await mcp.stateless('tools/list', {}, { 'Mcp-Method': 'tools/call' }), 400, -32_020],
      [await mcp.stateless('ping'), 404, -32_601],
      [await mcp.stateless('initialize'), 404, -32_601],
      [
        await mcp.send(null, { method: 'GET', headers: { 'MCP-Protocol-Version': '2026-07-28' } }),
        405,
        -32_000,
      ],
    ] as const;
    for (const [answer, status, code] of cases)
      expect([answer.status, answer.json]).toMatchObject([status, { error: { code } }]);
    expect((await mcp.stateless('tools/list')).json).toMatchObject({
      result: { ttlMs: 60_000, cacheScope: 'private' },
    });
  });
});
