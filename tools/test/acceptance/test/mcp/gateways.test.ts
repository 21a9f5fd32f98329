import { engine } from '@carillon/test-backends';
import { freePort } from '@carillon/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Mcp, mcpSection, said } from '../harness/mcp.js';
import { Node } from '../harness/node.js';
import { OnePort } from '../harness/one-port.js';
import { tenant } from '../harness/tenant.js';

const SHOP = tenant('shop');

describe('Two gateways of the tool protocol behind one port', () => {
  const nodes: Node[] = [];
  let port = 0;
  let front: OnePort | undefined;
  let store: { readonly url: string; release(): Promise<void> } | undefined;
  const mcp = new Mcp(() => port);

  const gateway = async (env: Record<string, string>, more: object = {}): Promise<Node> => {
    const node = new Node('mcp-gateway', {
      tenants: [SHOP],
      env,
      config: mcpSection({ rate_limit_per_minute: 60, ...more }),
    });
    nodes.push(node);
    await node.start();
    return node;
  };

  beforeAll(async () => {
    const own = await engine('redis', { own: true });
    store = own;
    const env = {
      ADAPTER_DRIVER: 'redis',
      CACHE_DRIVER: 'redis',
      RATE_LIMITER_DRIVER: 'redis',
      REDIS_URL: own.url,
    };
    const first = await gateway(env);
    const second = await gateway(env);
    front = new OnePort([first.port, second.port]);
    port = await freePort();
    await front.listen(port);
  });

  afterAll(async () => {
    front?.close();
    await Promise.all(nodes.filter(({ process }) => process.isRunning).map((node) => node.stop()));
    await store?.release();
  });

  it('have the tools of an api node', async () => {
    const session = await mcp.begin();
    const { json } = await mcp.rpc('tools/list', {}, { session });
    const names = (json as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);
    expect(names).toContain('publish_event');
    expect(names).not.toContain('terminate_user_connections');
    const call = { name: 'terminate_user_connections', arguments: { app_id: 'shop', user_id: 'u' } };
    expect((await mcp.rpc('tools/call', call, { session })).json).toMatchObject({ error: { code: -32_602 } });
    const given = { app_id: 'shop', channel: 'orders', name: 'n', data: 'x', info: ['user_count'] };
    const counted = await mcp.rpc('tools/call', { name: 'publish_event', arguments: given }, { session });
    expect(said((counted.json as { result: unknown }).result)).toMatchObject({
      isError: true,
      value: { code: 'invalid_input', status: 400 },
    });
  });

  it('share sessions and their limits', async () => {
    const session = await mcp.begin({ token: 'reader' });
    for (let index = 0; index < 4; index += 1)
      expect((await mcp.rpc('ping', {}, { session, token: 'reader' })).headers['x-ratelimit-remaining']).toBe(
        String(58 - index),
      );
  });

  it('lose no session with one that is killed', async () => {
    const sessions = [await mcp.begin(), await mcp.begin()];
    const [victim, survivor] = nodes;
    await victim?.process.kill('SIGKILL');
    front?.targets.splice(0, 2, survivor?.port ?? 0);
    for (const session of sessions)
      expect((await mcp.rpc('ping', {}, { session })).json).toMatchObject({ result: {} });
  });
});
