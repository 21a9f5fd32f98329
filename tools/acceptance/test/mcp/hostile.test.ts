import { expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { Mcp, mcpSection } from '../harness/mcp.js';
import { tenant } from '../harness/tenant.js';

const MESSAGES = process.env['CARILLON_PROOF'] === 'true' ? 10_000 : 1000;
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

onServer('The tool protocol under fire', { tenants: [tenant('shop')], config: mcpSection() }, (node) => {
  const mcp = new Mcp(() => node.port);
  const next = random(SEED);
  it(`answers ${MESSAGES} hostile messages and lives`, async () => {
    const sessions = [await mcp.begin(), await mcp.begin({}, '2025-03-26')];
    const statuses = new Set<number>();
    const fire = async (): Promise<void> => {
      const session = next() < 0.8 ? sessions[Math.floor(next() * 2)] : 'A'.repeat(43);
      const headers: Record<string, string> =
        next() < 0.1 ? { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call' } : {};
      const { status, body } = await mcp.send(hostile(next), {
        ...(session === undefined ? {} : { session }),
        headers,
      });
      statuses.add(status);
      expect([200, 202, 400, 404]).toContain(status);
      if (status !== 202) expect(JSON.parse(body)).toEqual(expect.anything());
      expect(body).not.toContain('internal error');
    };
    for (let sent = 0; sent < MESSAGES; sent += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, fire));
    expect([...statuses].sort()).toEqual([200, 202, 400, 404]);
    expect((await mcp.stateless('tools/list')).status).toBe(200);
  }, 120_000);
});
