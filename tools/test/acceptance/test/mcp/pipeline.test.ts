import { expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { Mcp, mcpSection } from '../harness/mcp.js';
import { tenant } from '../harness/tenant.js';

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
const MAX_BODY = 4096;

onServer(
  'The entrance of the tool protocol',
  { tenants: [tenant('shop')], config: mcpSection({ max_body_bytes: MAX_BODY }) },
  (node) => {
    const mcp = new Mcp(() => node.port);

    it('asks for a token, and tells a wrong one from none', async () => {
      const none = await mcp.send(PING, { token: null });
      expect(none.status).toBe(401);
      expect(none.headers['www-authenticate']).toBe('Bearer realm="service-mcp"');
      expect(none.json).toEqual({
        jsonrpc: '2.0',
        id: null,
        error: { code: 1401, message: 'bearer token required' },
      });
      for (const authorization of ['Bearer wrong', 'Basic YTpi', 'Bearer', `Bearer  ${'x'.repeat(40)}`]) {
        const wrong = await mcp.send(PING, { token: null, headers: { Authorization: authorization } });
        expect([wrong.status, wrong.headers['www-authenticate']]).toEqual([
          401,
          'Bearer realm="service-mcp", error="invalid_token"',
        ]);
      }
      const query = await mcp.send(PING, { token: null, path: `/mcp?token=${'all-'.padEnd(40, 'x')}` });
      expect(query.status).toBe(401);
    });

    it('lets pages of this machine ask, and no others', async () => {
      const evil = await mcp.initialize({ headers: { Origin: 'https://evil.test' } });
      expect([evil.status, evil.headers['mcp-session-id']]).toEqual([403, undefined]);
      expect((await mcp.initialize({ headers: { Origin: 'null' } })).status).toBe(403);
      const local = await mcp.initialize({ headers: { Origin: 'http://localhost:3000' } });
      expect([local.status, local.headers['access-control-allow-origin'], local.headers['vary']]).toEqual([
        200,
        'http://localhost:3000',
        'Origin',
      ]);
      expect(local.headers['access-control-allow-credentials']).toBeUndefined();
    });

    it('answers preflights of allowed pages without a token', async () => {
      const asked = { method: 'OPTIONS', token: null } as const;
      const allowed = await mcp.send(null, { ...asked, headers: { Origin: 'http://localhost:3000' } });
      expect([allowed.status, allowed.headers['access-control-max-age']]).toEqual([204, '600']);
      expect(allowed.headers['access-control-allow-headers']).toContain('MCP-Session-Id');
      expect((await mcp.send(null, { ...asked, headers: { Origin: 'https://evil.test' } })).status).toBe(403);
    });

    it('refuses names that a rebinding page would use', async () => {
      for (const host of ['rebind.test:6100', '10.0.0.5', 'localhost, localhost', 'localhost@evil.test'])
        expect((await mcp.send(PING, { headers: { Host: host } })).status).toBe(403);
      for (const host of ['localhost:6100', '127.0.0.1', '[::1]:1'])
        expect((await mcp.initialize({ headers: { Host: host } })).status).toBe(200);
    });

    it('knows its methods and types', async () => {
      const put = await mcp.send(PING, { method: 'PUT' });
      expect([put.status, put.headers['allow'], put.json]).toMatchObject([
        405,
        'GET, POST, DELETE',
        { error: { code: -32_000 } },
      ]);
      expect((await mcp.send(PING, { headers: { 'Content-Type': 'text/plain' } })).status).toBe(415);
      expect((await mcp.send(PING, { headers: { Accept: 'application/json' } })).status).toBe(406);
      const session = await mcp.begin({ headers: { Accept: '*/*' } });
      expect(
        (await mcp.send(null, { method: 'GET', session, headers: { Accept: 'application/json' } })).status,
      ).toBe(406);
    });

    it('refuses bodies that are too large or no messages', async () => {
      const large = await mcp.send(PING.padEnd(MAX_BODY + 1));
      expect([large.status, large.json]).toMatchObject([413, { error: { code: 1413 } }]);
      for (const [body, code] of [
        ['{', -32_700],
        [Buffer.from([0x22, 0xff, 0x22]), -32_700],
        ['"text"', -32_600],
        [JSON.stringify({ jsonrpc: '1.0', id: 1, method: 'ping' }), -32_600],
        [JSON.stringify({ jsonrpc: '2.0', id: null, method: 'ping' }), -32_600],
        [`${'['.repeat(70)}${']'.repeat(70)}`, -32_600],
      ] as const) {
        const answer = await mcp.send(body);
        expect([answer.status, answer.json]).toMatchObject([400, { id: null, error: { code } }]);
      }
    });

    it('marks every answer as not to be kept', async () => {
      for (const answer of [
        await mcp.initialize(),
        await mcp.send('{'),
        await mcp.send(null, { method: 'PUT' }),
      ]) {
        expect([answer.headers['cache-control'], answer.headers['x-content-type-options']]).toEqual([
          'no-store',
          'nosniff',
        ]);
      }
    });

    it('shows who fails to prove itself the door', async () => {
      const wrong = { token: null, headers: { Authorization: 'Bearer not-it' } };
      let answer = await mcp.send(PING, wrong);
      for (let tries = 0; tries < 21 && answer.status === 401; tries += 1)
        answer = await mcp.send(PING, wrong);
      expect([answer.status, answer.json]).toMatchObject([429, { error: { code: 1429 } }]);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      // Whoever guesses may share an address with those who need not.
      expect((await mcp.initialize()).status).toBe(200);
    });
  },
);

onServer('A tool protocol that is not enabled', { tenants: [tenant('shop')] }, (node) => {
  it('is not there', async () => {
    expect((await new Mcp(() => node.port).send(PING)).status).toBe(404);
  });
});
