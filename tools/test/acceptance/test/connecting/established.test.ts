import { describe, expect, it } from 'vitest';
import { onEveryApp } from '../harness/every-app.js';
import { tenant } from '../harness/tenant.js';

const ESTABLISHED =
  /^\{"event":"pusher:connection_established","data":"\{\\"socket_id\\":\\"\d{1,11}\.\d{1,11}\\",\\"activity_timeout\\":120\}"\}$/;

onEveryApp('a connection', { tenants: [tenant('shop')] }, (node) => {
  it('is told its socket id and the activity timeout first, in exactly this form', async () => {
    const client = await node.socket();
    expect(await client.nextText()).toMatch(ESTABLISHED);
    expect(await client.pending()).toEqual([]);
  });

  it('has a socket id of its own', async () => {
    const clients = await Promise.all(Array.from({ length: 20 }, () => node.connect()));
    expect(new Set(clients.map(({ socketId }) => socketId)).size).toBe(20);
  });

  it.each([
    '',
    'protocol=0',
    'protocol=1',
    'protocol=5',
    'protocol=6',
    'protocol=7',
    'protocol=99',
    'protocol=255',
    'protocol=7&client=js&version=8.6.0&flash=false',
    `protocol=7&client=${'c'.repeat(300)}&version=${'v'.repeat(300)}`,
    'protocol=1&format=avro',
    'protocol=7&echo_messages=maybe',
    'protocol=7&append_mode=snapshot',
    'protocol=7&unheard-of=%00%FF',
  ])('speaks protocol 1 with the query "%s"', async (query) => {
    const client = await node.socket(node.tenant, { query });
    expect(await client.nextText()).toMatch(ESTABLISHED);
  });

  it('is offered no subprotocol', async () => {
    const { raw } = await node.connect(node.tenant, { headers: { 'Sec-WebSocket-Protocol': 'chat' } });
    expect(raw.answer.status).toBe(101);
    expect(raw.answer.headers).not.toHaveProperty('sec-websocket-protocol');
  });
});

onEveryApp('the activity timeout', { tenants: [tenant('shop')], env: { ACTIVITY_TIMEOUT: '17' } }, (node) => {
  describe('when configured', () => {
    it('is announced', async () => {
      expect(await (await node.socket()).nextText()).toContain('\\"activity_timeout\\":17}"}');
    });
  });
});
