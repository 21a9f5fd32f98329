import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { mcpSection, said, secret } from '../harness/mcp.js';
import { tenant } from '../harness/tenant.js';

const NEWEST = '2026-07-28';

onServer(
  'The official client of the newest revision',
  { tenants: [tenant('shop')], config: mcpSection() },
  (node) => {
    const clients: Client[] = [];
    afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

    const connect = async (mode: 'legacy' | 'auto' | { readonly pin: string }): Promise<Client> => {
      const url = new URL(`http://127.0.0.1:${node.port}/mcp`);
      const requestInit = { headers: { Authorization: `Bearer ${secret('all')}` } };
      const client = new Client({ name: 'newest', version: '1' }, { versionNegotiation: { mode } });
      clients.push(client);
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
      return client;
    };

    it.each([
      ['as it comes', 'legacy', '2025-11-25'],
      ['that looks what there is', 'auto', NEWEST],
      ['that takes no other', { pin: NEWEST }, NEWEST],
    ] as const)('%s lists, calls and reads', async (_, mode, revision) => {
      const client = await connect(mode);
      expect(client.getNegotiatedProtocolVersion()).toBe(revision);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain('publish_event');
      const health = await client.callTool({ name: 'get_health', arguments: {} });
      expect(health.structuredContent).toMatchObject({ live: true });
      const wrong = { app_id: 'shop', channel: '../x' };
      expect(said(await client.callTool({ name: 'get_channel', arguments: wrong }))).toMatchObject({
        isError: true,
        value: { code: 'invalid_input' },
      });
      expect((await client.readResource({ uri: 'service://apps' })).contents).toHaveLength(1);
      // Its address is beyond what a header may hold as it is.
      await expect(client.readResource({ uri: 'service://apps/é/channels/c' })).rejects.toThrow(
        'resource not found',
      );
      const channel = 'orders';
      const prompt = await client.getPrompt({ name: 'diagnose_channel', arguments: { channel } });
      expect(prompt.messages).toHaveLength(1);
    });
  },
);
