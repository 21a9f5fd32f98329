import { expect, it } from 'vitest';
import { onServerAtOnce } from '../harness/every-app.js';
import { eventually } from '../harness/eventually.js';
import type { Node } from '../harness/node.js';
import { openTenant } from '../harness/tenant.js';

/** Waits until the log names the cause for the end of the connection. */
const logged = (node: Node, socketId: string, causes: readonly string[]) =>
  eventually(() => {
    const lines = node.log.filter(
      ({ fields }) => fields.socket_id === socketId && fields.cause !== undefined,
    );
    expect(lines.map(({ fields }) => fields.cause)).toHaveLength(1);
    expect(causes).toContain(lines[0]?.fields.cause);
  });

onServerAtOnce(
  'the log of a connection’s end',
  { tenants: [openTenant('shop')], env: { RUST_LOG: 'debug', USER_AUTHENTICATION_TIMEOUT: '2' } },
  (node) => {
    it.each([
      ['says goodbye', ['client_close']],
      ['is gone without a word', ['transport_eof', 'transport_error']],
      ['is told to go', ['administrative_close']],
      ['proves nothing in time', ['auth_timeout']],
      ['sends too much', ['fatal_error', 'transport_error']],
    ] as const)('names the cause for one that %s', async (how, causes) => {
      const client = await node.connect();
      if (how === 'says goodbye') await client.close(1000);
      if (how === 'is gone without a word') client.vanish();
      if (how === 'is told to go') {
        await client.signin('u-20');
        await node.api().user('u-20', 'terminate_connections');
      }
      if (how === 'proves nothing in time') await client.ended();
      if (how === 'sends too much') client.send('x'.repeat(66_000));
      await logged(node, client.socketId, causes);
    });

    it('holds nothing a client said', async () => {
      const client = await node.connect();
      await client.signin('u-17', { user_info: { note: 'confidential-info' } });
      await client.join('presence-lobby', 'u-17', { note: 'confidential-info' });
      client.send({ event: 'client-x', channel: 'presence-lobby', data: 'confidential-data' });
      await node.api().publish('presence-lobby', 'tick', 'confidential-payload');
      await client.pending();
      await client.close();
      await logged(node, client.socketId, ['client_close']);
      expect(node.process.output).not.toMatch(/confidential-/);
    });
  },
);
