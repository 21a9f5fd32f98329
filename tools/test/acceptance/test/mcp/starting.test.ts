import { freePort } from '@carillon/testing';
import { afterEach, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.js';
import { Mcp, mcpSection, said, TOKENS } from '../harness/mcp.js';
import { Node } from '../harness/node.js';
import { tenant } from '../harness/tenant.js';

const SHOP = tenant('shop');
const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
const [ALL] = TOKENS;

let node: Node | null = null;
afterEach(() => node?.process.kill());

const started = async (config: object, env: Record<string, string> = {}): Promise<Node> => {
  node = new Node('server', { tenants: [SHOP], config: { ...config }, env });
  await node.start();
  return node;
};

it('does not start with what it could not keep to, and names all of it', async () => {
  const { token, ...named } = ALL ?? { token: '' };
  const mcp = {
    enabled: true,
    allow_anonymous: true,
    tokens: [
      { ...named, token, scopes: ['root'] },
      { ...named, token: 'x'.repeat(10) },
    ],
    path: '/apps/mcp',
    disabled_tools: ['no_such_tool'],
  };
  const env = { ENVIRONMENT: 'production', METRICS_PORT: String(await freePort()) };
  node = new Node('server', { tenants: [SHOP], config: { mcp }, env });
  await expect(node.start()).rejects.toThrow('configuration invalid');
  const { exitCode, output } = node.process;
  expect(exitCode).toBe(78);
  for (const key of [
    'mcp.tokens[0].scopes',
    'mcp.tokens[1].token',
    'mcp.disabled_tools',
    'mcp.allow_anonymous',
    'duplicate name',
    'mcp.path',
  ])
    expect(output).toContain(key);
});

it('does not start without anybody who may ask', async () => {
  node = new Node('server', { tenants: [SHOP], config: { mcp: { enabled: true } } });
  await expect(node.start()).rejects.toThrow('no tokens configured');
  expect(node.process.exitCode).toBe(78);
});

it('takes one token from the environment, which reads and writes all apps', async () => {
  const secret = 'environment-'.padEnd(40, 'x');
  const { port } = await started({ mcp: { enabled: true } }, { MCP_TOKEN: secret });
  const mcp = new Mcp(() => port);
  const sent = { token: null, headers: { Authorization: `Bearer ${secret}` } };
  const session = await mcp.begin(sent);
  const { json } = await mcp.rpc('tools/list', {}, { ...sent, session });
  const names = (json as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['get_channel', 'publish_event']));
  expect(names).not.toContain('reset_channel_history');
  const call = { name: 'publish_event', arguments: { channel: 'c', name: 'n', data: 'x' } };
  const called = (await mcp.rpc('tools/call', call, { ...sent, session })).json as { result: unknown };
  expect(said(called.result)).toMatchObject({ isError: false });
  // Lines of the log come a moment later.
  await eventually(() => expect(node?.log.map(({ fields }) => fields['principal'])).toContain('env'));
});

it('listens on a port of its own, where nothing else is', async () => {
  const own = await freePort();
  const { port } = await started(mcpSection({ port: own, host: '127.0.0.1' }));
  const [there, elsewhere] = [new Mcp(() => own), new Mcp(() => port)];
  expect((await there.initialize()).status).toBe(200);
  expect((await elsewhere.send(PING)).status).toBe(404);
  for (const path of ['/apps/shop/channels', '/live', '/mcp/x'])
    expect((await there.send(null, { method: 'GET', path })).status).toBe(404);
});

it('lets nobody without a token name another host when it listens for others', async () => {
  const { port } = await started(mcpSection({ allow_anonymous: true }), { HOST: '0.0.0.0' });
  const mcp = new Mcp(() => port);
  const headers = { Host: '10.0.0.5' };
  expect((await mcp.initialize({ token: null, headers })).status).toBe(403);
  expect((await mcp.initialize({ headers })).status).toBe(200);
  expect((await mcp.initialize({ token: null })).status).toBe(200);
});

it('reads its configuration again when it hears of it: hosts, tools and tokens', async () => {
  const one = await started(mcpSection({ allowed_hosts: ['localhost'], disabled_tools: ['publish_event'] }));
  const mcp = new Mcp(() => one.port);
  const host = { headers: { Host: 'MCP.example.com:8443' } };
  const [session, gone] = [await mcp.begin(), await mcp.begin({ token: 'reader' })];
  expect((await mcp.rpc('ping', {}, { session, ...host })).status).toBe(403);
  const tokens = TOKENS.filter(({ name }) => name !== 'reader');
  await one.reload(mcpSection({ allowed_hosts: ['mcp.example.com'], tokens }));
  expect((await mcp.rpc('ping', {}, { session })).status).toBe(403);
  expect((await mcp.rpc('ping', {}, { session, ...host })).status).toBe(200);
  const { json } = await mcp.rpc('tools/list', {}, { session, ...host });
  expect(JSON.stringify(json)).toContain('publish_event');
  expect((await mcp.rpc('ping', {}, { session: gone, token: 'reader', ...host })).status).toBe(401);
  await expect(one.reload({ mcp: { enabled: true } })).rejects.toThrow('no tokens configured');
  expect((await mcp.rpc('ping', {}, { session, ...host })).status).toBe(200);
});
