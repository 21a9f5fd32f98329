import { expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { Mcp, mcpSection } from '../harness/mcp.js';
import { tenant } from '../harness/tenant.js';

const MESSAGES = process.env['CARILLON_PROOF'] === 'true' ? 10_000 : 600;
const AT_ONCE = 16;
const SEED = 20_251_123;

/** Numbers that are the same each time, so that a failure can be had again. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const METHODS = [
  'initialize',
  'ping',
  'tools/list',
  'tools/call',
  'resources/read',
  'prompts/get',
  'completion/complete',
  'notifications/cancelled',
  'server/discover',
  '__proto__',
  '',
];
const VALUES: readonly unknown[] = [
  null,
  '',
  '\u0000',
  -0,
  1e308,
  2 ** 53,
  'x'.repeat(3000),
  [],
  {},
  [[[[{}]]]],
  { __proto__: 1 },
  '../../x',
  'service://apps/%ff/channels',
  true,
];
const NAMES = [
  'name',
  'arguments',
  'uri',
  'cursor',
  'protocolVersion',
  'clientInfo',
  'capabilities',
  'ref',
  'argument',
  '_meta',
  'requestId',
  'constructor',
];
const TOOLS = [
  'get_channel',
  'publish_event',
  'publish_batch',
  'get_channel_history',
  'revoke_tokens',
  'list_apps',
];

/** A message that is right in some places and wrong in others, and bytes that are none. */
function hostile(next: () => number): string | Uint8Array {
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(next() * items.length)];
  const params: Record<string, unknown> = {};
  for (let count = Math.floor(next() * 4); count > 0; count -= 1) params[pick(NAMES) ?? ''] = pick(VALUES);
  if (next() < 0.5) params['name'] = pick(TOOLS);
  if (next() < 0.5)
    params['arguments'] = {
      app_id: 'shop',
      channel: pick(VALUES),
      [pick(NAMES) ?? '']: pick(VALUES),
      batch: pick(VALUES),
      info: pick(VALUES),
    };
  const message = {
    jsonrpc: next() < 0.9 ? '2.0' : pick(VALUES),
    id: next() < 0.7 ? 1 : pick([undefined, ...VALUES]),
    method: next() < 0.9 ? pick(METHODS) : pick(VALUES),
    params: next() < 0.9 ? params : pick(VALUES),
  };
  const text = JSON.stringify(next() < 0.1 ? [message, message, pick(VALUES)] : message);
  if (next() < 0.8) return text;
  const bytes = Buffer.from(text);
  for (let count = 0; count < 3; count += 1)
    bytes[Math.floor(next() * bytes.length)] = Math.floor(next() * 256);
  return bytes.subarray(0, Math.floor(next() * bytes.length) + 1);
}

const HEADERS: Readonly<Record<string, readonly string[]>> = {
  Host: ['rebind.test:6100', '10.0.0.5', 'localhost, localhost', '[::1', 'a'.repeat(2000), 'localhost:99999'],
  Origin: ['null', 'https://evil.test', 'http://localhost.evil.test', 'file://', 'http://localhost:3000'],
  'Content-Type': ['text/plain', 'application/json; charset=latin1', 'application/json,text/plain', ';'],
  Accept: ['application/json', 'text/event-stream', '*/*;q=0', ',', 'application/*, text/*'],
  'MCP-Protocol-Version': ['2020-01-01', '2026-07-28', '2025-03-26', '9999-99-99', '1'],
  'Mcp-Method': ['tools/list', 'ping', '=?base64?cGluZw==?='],
  'Mcp-Name': ['get_channel', '=?base64?!!!?=', '=?base64??='],
  'Last-Event-ID': ['1', '../..'],
};
const STATUSES = [200, 202, 204, 400, 403, 404, 405, 406, 415];
/** What a process may keep of so many messages: noise of the heap, not a part of them. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

onServer('The tool protocol under fire', { tenants: [tenant('shop')], config: mcpSection() }, (node) => {
  const mcp = new Mcp(() => node.port);
  const next = random(SEED);
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(next() * items.length)];
  const residentBytes = async (): Promise<number> =>
    (await node.metrics()).value('process_resident_memory_bytes') ?? 0;

  /** Mostly as it should be; now and then two headers that are not. */
  const headers = (): Record<string, string> => {
    if (next() < 0.6) return {};
    const names = [pick(Object.keys(HEADERS)) ?? '', pick(Object.keys(HEADERS)) ?? ''];
    return Object.fromEntries(names.map((name) => [name, pick(HEADERS[name] ?? []) ?? '']));
  };

  it(`answers ${MESSAGES} hostile requests and lives`, async () => {
    const own = [await mcp.begin(), await mcp.begin({}, '2025-03-26')];
    const foreign = await mcp.begin({ token: 'reader' });
    const ids = [...own, ...own, ...own, foreign, 'A'.repeat(43), '', 'x'.repeat(5000), '../etc'];
    const statuses = new Set<number>();
    const fire = async (): Promise<void> => {
      const method = next() < 0.9 ? 'POST' : (pick(['DELETE', 'PUT', 'OPTIONS', 'PATCH']) ?? 'PUT');
      const session = method === 'DELETE' ? 'A'.repeat(43) : (pick(ids) ?? '');
      const body = method === 'POST' ? hostile(next) : null;
      const { status, body: text } = await mcp.send(body, { method, session, headers: headers() });
      statuses.add(status);
      expect(STATUSES).toContain(status);
      if (status !== 202 && method !== 'OPTIONS') expect(JSON.parse(text)).toEqual(expect.anything());
      expect(text).not.toContain('internal error');
    };
    const round = async (count: number): Promise<void> => {
      for (let sent = 0; sent < count; sent += AT_ONCE)
        await Promise.all(Array.from({ length: AT_ONCE }, fire));
    };
    await round(MESSAGES / 2);
    const before = await residentBytes();
    await round(MESSAGES / 2);
    expect((await residentBytes()) - before).toBeLessThan(MAX_KEPT_BYTES);
    expect([...statuses]).toEqual(expect.arrayContaining([200, 202, 400, 403, 404, 405, 406, 415]));
    expect((await mcp.stateless('tools/list')).status).toBe(200);
    // Nobody got at the session of another.
    expect((await mcp.rpc('ping', {}, { session: foreign, token: 'reader' })).status).toBe(200);
  }, 180_000);
});
