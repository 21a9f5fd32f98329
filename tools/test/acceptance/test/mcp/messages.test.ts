import { afterEach, expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { Mcp, mcpSection, said } from '../harness/mcp.js';
import { tenant } from '../harness/tenant.js';

const SHOP = tenant('shop', { channels: { annotations_enabled: true } });
const CONFIG = {
  ...mcpSection(),
  history: { enabled: true, backend: 'memory' },
  versioned_messages: { enabled: true },
  annotations: { enabled: true },
};

onServer('Messages that live on, through tools', { tenants: [SHOP], config: CONFIG }, (node) => {
  const mcp = new Mcp(() => node.port);
  afterEach(() => mcp.drop());

  it('are changed, continued, annotated and read by the official client', async () => {
    const { client } = await mcp.connect('shop');
    await client.listTools();
    const call = async (name: string, given: object): Promise<Record<string, unknown>> => {
      const result = await client.callTool({ name, arguments: { channel: 'orders', ...given } });
      expect([name, said(result)]).toEqual([name, expect.objectContaining({ isError: false })]);
      return result.structuredContent as Record<string, unknown>;
    };
    await call('publish_event', { name: 'draft', data: 'one' });
    const { items } = (await call('get_channel_history', {})) as {
      items: { message: { message_serial: string } }[];
    };
    const message_serial = items[0]?.message.message_serial ?? '';
    expect(message_serial).not.toBe('');

    await call('update_message', { message_serial, data: 'two' });
    const piece = { message_serial, data: ' more', op_id: 'op-1' };
    expect(await call('append_to_message', piece)).toMatchObject({ status: 'applied' });
    expect(await call('append_to_message', piece)).toMatchObject({ status: 'duplicate' });
    expect(JSON.stringify(await call('get_message', { message_serial }))).toContain('two more');
    expect((await call('list_message_versions', { message_serial }))['items']).toHaveLength(3);

    const made = await call('publish_annotation', {
      message_serial,
      type: 'reactions:flag.v1',
      clientId: 'ann',
    });
    const listed = JSON.stringify(await call('list_annotations', { message_serial }));
    expect(listed).toContain('reactions:flag.v1');
    const annotation_serial = String(made['annotationSerial'] ?? made['annotation_serial']);
    await call('delete_annotation', { message_serial, annotation_serial });
    await call('delete_message', { message_serial });
    expect(JSON.stringify(await call('get_message', { message_serial }))).toContain('delete');
  });

  it('that are not there are a result, not an error of the protocol', async () => {
    const { client } = await mcp.connect('shop');
    await client.listTools();
    const given = { channel: 'orders', message_serial: 'no-such-serial' };
    const result = await client.callTool({ name: 'get_message', arguments: given });
    expect(said(result)).toMatchObject({ isError: true });
  });
});
