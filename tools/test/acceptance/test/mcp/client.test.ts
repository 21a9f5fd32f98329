import { afterEach, expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { Mcp, mcpSection, said } from '../harness/mcp.js';
import { tenant } from '../harness/tenant.js';

const SHOP = tenant('shop');
const BLOG = tenant('blog');
const CONFIG = {
  http_api: { usage_enabled: true },
  ...mcpSection(),
  history: { enabled: true, backend: 'memory' },
  presence_history: { enabled: true },
};

/** Every tool, the arguments of a call that succeeds here, and what its answer holds. */
const CALLS: Readonly<Record<string, readonly [given: Record<string, unknown>, answer: object]>> = {
  list_apps: [
    {},
    {
      apps: [
        { id: 'blog', enabled: true },
        { id: 'shop', enabled: true },
      ],
    },
  ],
  get_health: [{}, { live: true }],
  get_app_health: [{ app_id: 'shop' }, { status: 200, body: 'OK' }],
  publish_event: [{ app_id: 'shop', channel: 'orders', name: 'made', data: { id: 1 } }, { ok: true }],
  publish_batch: [{ app_id: 'shop', batch: [{ channel: 'orders', name: 'made', data: 'x' }] }, {}],
  list_channels: [{ app_id: 'shop', info: ['subscription_count'] }, { channels: {} }],
  get_channel: [
    { app_id: 'shop', channel: 'orders', info: ['subscription_count'] },
    { occupied: false, subscription_count: 0 },
  ],
  list_presence_members: [{ app_id: 'shop', channel: 'presence-room' }, { users: [] }],
  get_channel_history: [
    { app_id: 'shop', channel: 'orders', limit: '5' },
    { items: expect.any(Array) as unknown[] },
  ],
  get_channel_history_state: [{ app_id: 'shop', channel: 'orders' }, { channel: 'orders' }],
  purge_channel_history: [
    {
      app_id: 'shop',
      channel: 'orders',
      confirm_channel: 'orders',
      confirm_operation: 'purge',
      mode: 'all',
      reason: 'test',
    },
    { ok: true, requested_by: 'mcp:all' },
  ],
  reset_channel_history: [
    {
      app_id: 'shop',
      channel: 'orders',
      confirm_channel: 'orders',
      confirm_operation: 'reset',
      reason: 'test',
      requested_by: 'me',
    },
    { ok: true, requested_by: 'mcp:all/me' },
  ],
  get_presence_history: [{ app_id: 'shop', channel: 'presence-room' }, { items: [] }],
  get_presence_history_state: [{ app_id: 'shop', channel: 'presence-room' }, { channel: 'presence-room' }],
  get_presence_snapshot: [{ app_id: 'shop', channel: 'presence-room' }, { channel: 'presence-room' }],
  reset_presence_history: [
    {
      app_id: 'shop',
      channel: 'presence-room',
      confirm_channel: 'presence-room',
      confirm_operation: 'reset',
      reason: 'test',
    },
    { ok: true },
  ],
  terminate_user_connections: [{ app_id: 'shop', user_id: 'u1' }, { ok: true }],
  force_user_reconnect: [{ app_id: 'shop', user_id: 'u1' }, { ok: true }],
  revoke_tokens: [{ app_id: 'shop', client_id: 'c1' }, { revoked_client_id: true }],
  get_stats: [{}, { totals: expect.any(Object) as object }],
  get_memory_usage: [{}, { memory: expect.any(Object) as object }],
};

onServer('The official client of the tool protocol', { tenants: [SHOP, BLOG], config: CONFIG }, (node) => {
  const mcp = new Mcp(() => node.port);
  afterEach(() => mcp.drop());

  it('lists the tools in the order of their names, each described', async () => {
    const { client } = await mcp.connect();
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(expect.arrayContaining(Object.keys(CALLS)));
    for (const { inputSchema, outputSchema, description, annotations } of tools) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(inputSchema).not.toHaveProperty('anyOf');
      expect(outputSchema).toMatchObject({ type: 'object' });
      expect(description).toMatch(/\S/);
      expect(annotations?.readOnlyHint).toEqual(expect.any(Boolean));
    }
  });

  it.each(Object.entries(CALLS))('calls %s', async (name, [given, answer]) => {
    const { client } = await mcp.connect();
    // The client checks structured results against the shapes it was told.
    await client.listTools();
    const result = await client.callTool({ name, arguments: given });
    expect(result).toMatchObject({ isError: false });
    expect(result.structuredContent).toMatchObject(answer);
    expect(said(result).value).toEqual(result.structuredContent);
  });

  it('reads refusals of tools as results', async () => {
    const { client } = await mcp.connect();
    await client.listTools();
    const result = await client.callTool({
      name: 'get_channel',
      arguments: { app_id: 'shop', channel: '../../users/x' },
    });
    expect(said(result)).toMatchObject({ isError: true, value: { code: 'invalid_input', status: 400 } });
  });

  it('ends its session for good', async () => {
    const { client, transport } = await mcp.connect();
    const session = transport.sessionId ?? '';
    await transport.terminateSession();
    const after = await mcp.rpc('tools/list', {}, { session });
    expect([after.status, after.json]).toMatchObject([404, { error: { code: -32_001 } }]);
    expect((await mcp.send(null, { method: 'DELETE', session })).status).toBe(404);
    await client.close();
  });

  it('reads resources and prompts, and is helped to fill them in', async () => {
    const { client } = await mcp.connect('shop');
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      'service://apps',
      'service://health',
      'service://docs/channels',
      'service://docs/limits',
      'service://docs/errors',
      'service://docs/workflows',
    ]);
    for (const { uri } of resources) expect((await client.readResource({ uri })).contents).toHaveLength(1);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['channels', 'channel', 'channel-history']),
    );
    const { contents } = await client.readResource({ uri: 'service://apps/shop/channels/orders' });
    expect(contents[0]).toMatchObject({ mimeType: 'application/json', text: '{"occupied":false}' });
    await expect(client.readResource({ uri: 'service://apps/blog/channels/orders' })).rejects.toMatchObject({
      code: -32_002,
    });
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['diagnose_channel', 'recover_history', 'compose_event']),
    );
    const channel = 'a"b\nc';
    const { messages } = await client.getPrompt({ name: 'diagnose_channel', arguments: { channel } });
    expect(messages[0]?.content).toMatchObject({
      type: 'text',
      text: expect.stringContaining(JSON.stringify(channel)) as string,
    });
    await expect(client.getPrompt({ name: 'diagnose_channel', arguments: {} })).rejects.toMatchObject({
      code: -32_602,
    });
    const ref = { type: 'ref/prompt', name: 'diagnose_channel' } as const;
    const { completion } = await client.complete({ ref, argument: { name: 'app_id', value: 'sh' } });
    expect(completion).toMatchObject({ values: ['shop'], total: 1, hasMore: false });
  });

  it('finds prompts only with the scope to read', async () => {
    const { client } = await mcp.connect('writer');
    expect((await client.listPrompts()).prompts).toEqual([]);
    const given = { channel: 'orders', purpose: 'test' };
    await expect(client.getPrompt({ name: 'compose_event', arguments: given })).rejects.toMatchObject({
      code: -32_602,
    });
    const ref = { type: 'ref/prompt', name: 'compose_event' } as const;
    await expect(client.complete({ ref, argument: { name: 'app_id', value: '' } })).rejects.toMatchObject({
      code: -32_602,
    });
  });

  it('is told in resources and in tools alike that others wrote what it reads', async () => {
    const { client } = await mcp.connect('shop');
    const untrusted = { 'service/untrusted': true };
    const uri = 'service://apps/shop/channels/orders';
    expect((await client.readResource({ uri }))._meta).toEqual(untrusted);
    const called = await client.callTool({ name: 'get_channel', arguments: { channel: 'orders' } });
    expect(called._meta).toEqual(untrusted);
    expect(await client.readResource({ uri: 'service://health' })).not.toHaveProperty('_meta');
  });

  it('of the revision without sessions asks what it needs at once', async () => {
    const discovered = await mcp.stateless('server/discover');
    expect([discovered.status, discovered.json]).toMatchObject([
      200,
      {
        result: {
          resultType: 'complete',
          supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'],
        },
      },
    ]);
    const called = await mcp.stateless(
      'tools/call',
      { name: 'get_health', arguments: {} },
      { 'Mcp-Name': 'get_health' },
    );
    expect([called.status, called.json]).toMatchObject([
      200,
      { result: { resultType: 'complete', structuredContent: { live: true } } },
    ]);
    expect(called.headers['mcp-session-id']).toBeUndefined();
    const uri = 'service://apps/no-such/channels/orders';
    expect((await mcp.stateless('resources/read', { uri }, { 'Mcp-Name': uri })).json).toMatchObject({
      error: { code: -32_602, data: { uri } },
    });
  });
});
