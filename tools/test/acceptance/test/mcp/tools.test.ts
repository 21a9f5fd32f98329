import { expect, it, vi } from 'vitest';
import { ClientV2 } from '../harness/client-v2.js';
import { onServer } from '../harness/every-app.js';
import { Mcp, mcpSection, said } from '../harness/mcp.js';
import { tenant } from '../harness/tenant.js';

const SHOP = tenant('shop');
const SETTING = {
  tenants: [SHOP, tenant('blog'), tenant('closed', {}, false)],
  config: {
    ...mcpSection({ disabled_tools: ['list_apps'] }),
    http_api: { usage_enabled: false },
    history: { enabled: true, backend: 'memory' },
    versioned_messages: { enabled: false },
  },
};

onServer('Tools', SETTING, (node) => {
  const mcp = new Mcp(() => node.port);

  const call = async (token: string, name: string, given: object) => {
    const session = await mcp.begin({ token });
    const { json } = await mcp.rpc('tools/call', { name, arguments: given }, { token, session });
    const { result, error } = json as { result?: unknown; error?: { code: number; message: string } };
    return error === undefined ? said(result) : { error };
  };
  const findings = async (name: string, given: object): Promise<unknown> => {
    const answer = await call('shop', name, given);
    const { code, details } = 'value' in answer ? answer.value : {};
    expect(code).toBe('invalid_input');
    return Array.isArray(details) ? details.map(({ path }: { path: string }) => path) : details;
  };
  const listed = async (token: string): Promise<string[]> => {
    const { json } = await mcp.rpc('tools/list', {}, { token, session: await mcp.begin({ token }) });
    return (json as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);
  };

  it('are those of the scopes of the token', async () => {
    const client = await node.connect(SHOP);
    await client.subscribe('orders');
    expect(await listed('reader')).not.toEqual(expect.arrayContaining(['publish_event']));
    const refused = await call('reader', 'publish_event', {
      app_id: 'shop',
      channel: 'orders',
      name: 'n',
      data: 'x',
    });
    expect(refused).toMatchObject({
      isError: true,
      value: { code: 'forbidden', status: 403, error: expect.stringContaining('write') as string },
    });
    expect(await client.pending()).toEqual([]);
    expect(await listed('operator')).toEqual(expect.arrayContaining(['reset_channel_history']));
    expect(await call('operator', 'get_channel', { app_id: 'shop', channel: 'orders' })).toMatchObject({
      value: { code: 'forbidden' },
    });
  });

  it('that are switched off do not exist', async () => {
    expect(await listed('all')).not.toEqual(expect.arrayContaining(['list_apps']));
    for (const name of ['list_apps', 'no_such'])
      expect(await call('all', name, {})).toEqual({
        error: {
          code: -32_602,
          message: `Unknown tool: ${name}`,
          data: { tools: expect.not.arrayContaining(['list_apps']) as unknown },
        },
      });
  });

  it('are for the apps of the token, and say no more of others', async () => {
    expect(await call('shop', 'get_channel', { channel: 'orders' })).toMatchObject({ isError: false });
    const foreign = await call('shop', 'get_channel', { app_id: 'blog', channel: 'orders' });
    expect(foreign).toMatchObject({ value: { code: 'forbidden' } });
    expect(await call('shop', 'get_channel', { app_id: 'no-such', channel: 'orders' })).toEqual(foreign);
    expect(await call('all', 'get_channel', { app_id: 'closed', channel: 'orders' })).toEqual(foreign);
    expect(await call('two', 'get_channel', { channel: 'orders' })).toMatchObject({
      value: {
        code: 'invalid_input',
        error: 'app_id is required',
        details: [{ path: '/app_id', message: 'required' }],
      },
    });
    expect(await call('shop', 'get_stats', {})).toMatchObject({ value: { code: 'forbidden' } });
    expect(await call('all', 'get_stats', {})).toMatchObject({
      value: { code: 'feature_disabled', status: 422 },
    });
  });

  it('publish what subscribers get from a signed publish', async () => {
    const client = await node.connect(SHOP);
    const newer = await ClientV2.connect(node);
    await client.subscribe('orders');
    await client.pending();
    await newer.subscribe('orders');
    await call('shop', 'publish_event', { channel: 'orders', name: 'made', data: { price: 1 } });
    await node.api().publish('orders', 'made', '{"price":1}');
    const frame = { event: 'made', channel: 'orders', data: '{"price":1}' };
    for (let publish = 0; publish < 2; publish += 1) expect(await client.next()).toEqual(frame);
    const [asTool, asServer] = [await newer.until('made'), await newer.until('made')];
    expect(asTool).toMatchObject(frame);
    // Nothing tells which was which: the same members, and the next place in the same stream.
    expect(Object.keys(asTool)).toEqual(Object.keys(asServer));
    expect(asServer).toMatchObject({ ...frame, stream_id: asTool['stream_id'] });
  });

  it('publish once for a key', async () => {
    const client = await node.connect(SHOP);
    await client.subscribe('keyed');
    await client.pending();
    const given = { channel: 'keyed', name: 'made', data: 'x', idempotency_key: 'k-1', message_id: 'm-1' };
    const first = await call('shop', 'publish_event', given);
    expect(await call('shop', 'publish_event', given)).toEqual(first);
    expect(await client.pending()).toHaveLength(1);
  });

  it('name every argument that is wrong', async () => {
    expect(await findings('publish_event', { chanel: 'x', name: 'n', channel: 'c' })).toEqual(['/chanel']);
    expect(await findings('purge_channel_history', { channel: 'orders', mode: 'all' })).toEqual([
      '/confirm_channel',
      '/confirm_operation',
      '/reason',
    ]);
    expect(await findings('get_channel', { channel: 'orders', info: ['nothing'] })).toEqual(['/info/0']);
    expect(await findings('get_channel_history', { channel: 'orders', limit: 'many' })).toEqual(['/limit']);
    const session = await mcp.begin();
    const { json } = await mcp.rpc('tools/call', { name: 'get_health', arguments: [] }, { session });
    expect(json).toMatchObject({ error: { code: -32_602 } });
  });

  it('leave refusals to the operation', async () => {
    const wrong = {
      channel: 'orders',
      mode: 'all',
      confirm_channel: 'other',
      confirm_operation: 'purge',
      reason: 'r',
    };
    await call('shop', 'publish_event', { channel: 'orders', name: 'kept', data: 'x' });
    expect(await call('shop', 'purge_channel_history', wrong)).toMatchObject({
      value: { status: 400, code: 'invalid_input' },
    });
    expect(await call('shop', 'get_channel_history', { channel: 'orders', limit: 1 })).toMatchObject({
      value: { items: [{ event_name: 'kept' }] },
    });
  });

  it('that reset a history leave another stream, and who asked for it', async () => {
    await call('shop', 'publish_event', { channel: 'torn', name: 'n', data: 'x' });
    const stream = async (): Promise<unknown> => {
      const state = await call('shop', 'get_channel_history_state', { channel: 'torn' });
      return 'value' in state ? (state.value['stream'] as { stream_id: unknown }).stream_id : undefined;
    };
    const before = await stream();
    expect(before).toEqual(expect.any(String));
    const given = {
      channel: 'torn',
      confirm_channel: 'torn',
      confirm_operation: 'reset',
      reason: 'torn',
      requested_by: 'ann',
    };
    expect(await call('shop', 'reset_channel_history', given)).toMatchObject({
      isError: false,
      value: { requested_by: 'mcp:shop/ann' },
    });
    expect(await stream()).not.toBe(before);
  });

  it('that need a feature say that it is off', async () => {
    const given = { channel: 'orders', message_serial: '1', data: 'x' };
    expect(await call('shop', 'update_message', given)).toMatchObject({
      isError: true,
      value: { code: 'feature_disabled', status: 422 },
    });
  });

  it('hand over no more than fits', async () => {
    const data = 'x'.repeat(12_000);
    for (let index = 0; index < 13; index += 1) {
      const batch = Array.from({ length: 10 }, () => ({ channel: 'big', name: 'n', data }));
      expect(await call('shop', 'publish_batch', { batch })).toMatchObject({ isError: false });
    }
    expect(await call('shop', 'get_channel_history', { channel: 'big', limit: 1000 })).toMatchObject({
      value: { code: 'result_too_large', status: 413 },
    });
    expect(await call('shop', 'get_channel_history', { channel: 'big', limit: 2 })).toMatchObject({
      isError: false,
    });
  });

  it('leave one record each, without what is secret', async () => {
    const session = await mcp.initialize({ token: 'shop' }, '2025-11-25', 'desk\nagent');
    const id = session.headers['mcp-session-id'] ?? '';
    const given = { channel: 'audited', name: 'n', data: 'confidential-payload' };
    await mcp.rpc('tools/call', { name: 'publish_event', arguments: given }, { token: 'shop', session: id });
    const records = () =>
      node.log.filter(
        ({ fields }) => fields['event'] === 'mcp.tool.called' && fields['target'] === 'audited',
      );
    await vi.waitFor(() => expect(records()).not.toEqual([]), { timeout: 5000 });
    expect(records().map(({ fields }) => fields)).toEqual([
      expect.objectContaining({
        principal: 'shop',
        tool: 'publish_event',
        app_id: 'shop',
        outcome: 'ok',
        status: 200,
        client_name: 'desk\\u000aagent',
        duration_ms: expect.any(Number) as number,
      }),
    ]);
    const { output } = node.process;
    for (const secret of ['confidential-payload', id, 'shop-'.padEnd(40, 'x')])
      expect(output).not.toContain(secret);
  });

  it('are counted', async () => {
    await call('all', 'no_such', {});
    await call('all', 'get_health', {});
    const metrics = await node.metrics();
    expect(
      metrics.value('mcp_tool_calls_total', { tool: 'unknown', outcome: 'error' }),
    ).toBeGreaterThanOrEqual(1);
    expect(metrics.value('mcp_tool_calls_total', { tool: 'get_health', outcome: 'ok' })).toBe(1);
    expect(metrics.text).not.toContain('no_such');
  });
});

onServer(
  'A rate of two a minute',
  { tenants: [SHOP], config: mcpSection({ rate_limit_per_minute: 2 }) },
  (node) => {
    const mcp = new Mcp(() => node.port);
    it('holds for each token', async () => {
      const session = await mcp.begin();
      expect((await mcp.rpc('ping', {}, { session })).headers['x-ratelimit-remaining']).toBe('0');
      const third = await mcp.rpc('ping', {}, { session });
      expect([third.status, third.json]).toMatchObject([429, { error: { code: 1429 } }]);
      // Half a minute fills in one more, not the whole.
      const seconds = Number(third.headers['retry-after']);
      expect([seconds >= 1, seconds <= 30]).toEqual([true, true]);
      expect((await mcp.initialize({ token: 'reader' })).status).toBe(200);
    });
  },
);
