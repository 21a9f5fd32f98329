import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { Mcp, mcpSection } from '../harness/mcp.js';
import { tenant } from '../harness/tenant.js';

onServer(
  'Toolsets',
  { tenants: [tenant('shop')], config: mcpSection({ toolsets: ['service', 'publish', 'channels'] }) },
  (node) => {
    const mcp = new Mcp(() => node.port);
    afterEach(() => mcp.drop());

    it('show their tools to the official client when a model enables one', async () => {
      const { client } = await mcp.connect('shop');
      const names = async (): Promise<readonly string[]> =>
        (await client.listTools()).tools.map(({ name }) => name);
      const before = await names();
      expect(before).toContain('enable_toolset');
      expect(before).not.toContain('revoke_tokens');

      const changed = new Promise<void>((done) =>
        client.setNotificationHandler(ToolListChangedNotificationSchema, () => done()),
      );
      const result = await client.callTool({
        name: 'enable_toolset',
        arguments: { toolset: 'connections' },
      });
      expect(result).toMatchObject({ isError: false, structuredContent: { toolset: 'connections' } });
      await changed;
      expect(await names()).toContain('revoke_tokens');
      const revoked = await client.callTool({ name: 'revoke_tokens', arguments: { client_id: 'c1' } });
      expect(revoked).toMatchObject({ isError: false });
    });
  },
);
