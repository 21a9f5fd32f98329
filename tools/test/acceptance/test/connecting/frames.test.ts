import { OPCODE } from '@carillon/testing';
import { expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { PONG, succeeded } from '../harness/frames.js';
import { tenant } from '../harness/tenant.js';

const LIMIT_BYTES = 65_536;

/** A ping whose frame has exactly this many bytes. */
function pingOf(bytes: number): string {
  const head = '{"event":"pusher:ping","data":"';
  return `${head}${'x'.repeat(bytes - head.length - 2)}"}`;
}

onServer('a frame', { tenants: [tenant('shop')] }, (node) => {
  it.each([
    'not json',
    '',
    '[]',
    '"pusher:ping"',
    '7',
    'null',
    'true',
    '{}',
    '{"event":""}',
    '{"event":5}',
    '{"event":null}',
    '{"event":["pusher:ping"]}',
    '{"data":{"channel":"orders"}}',
    '{"event":"pusher:ping"} trailing',
    '{"event":"pusher:ping"',
  ])('that is %s is answered with error 4000 and the connection lives on', async (text) => {
    const client = await node.connect();
    client.send(text);
    const error = await client.nextError();
    expect(error.data.code).toBe(4000);
    expect(error).not.toHaveProperty('channel');
    expect(await client.pending()).toEqual([]);
  });

  it('without an event is counted', async () => {
    const client = await node.connect();
    client.send('{"data":{}}');
    await client.nextError();
    const labels = { app_id: 'shop', error_type: 'missing_event_name' };
    expect((await node.metrics()).value('connection_errors_total', labels)).toBeGreaterThanOrEqual(1);
  });

  it('that is binary is read as JSON text', async () => {
    const client = await node.connect();
    client.raw.sendFrame(OPCODE.binary, '{"event":"pusher:ping"}');
    expect(await client.nextText()).toBe(PONG);
    client.raw.sendFrame(OPCODE.binary, Buffer.from([0xff, 0xfe, 0x00]));
    expect((await client.nextError()).data.code).toBe(4000);
  });

  it.each([
    '{"event":"pusher:unheard-of","data":{}}',
    '{"event":"order.paid","channel":"orders","data":{}}',
    '{"event":"pusher_internal:subscribe","data":{"channel":"orders"}}',
    '{"event":"service_internal:subscribe","data":{"channel":"orders"}}',
    '{"event":"pusher_internal:subscription_succeeded","channel":"private-x","data":"{}"}',
    '{"event":"pusher:connection_established","data":"{}"}',
    '{"event":"pusher:pong"}',
  ])('%s is ignored', async (text) => {
    const client = await node.connect();
    client.send(text);
    expect(await client.pending()).toEqual([]);
    expect(await node.api().channel('orders')).toEqual({ occupied: false });
  });

  it('may use the prefix of the other protocol and unknown members; the answer has its own', async () => {
    const client = await node.connect();
    client.send({ event: 'service:ping', data: {}, extra: [1, { deep: true }] });
    expect(await client.nextText()).toBe(PONG);
    client.send({ event: 'service:subscribe', data: { channel: 'orders', extra: 1 } });
    expect(await client.nextText()).toBe(succeeded('orders'));
  });

  it.each([
    ['an object', { channel: 'orders' }],
    ['the JSON of one in a string', '{"channel":"orders"}'],
  ])('may hold its data as %s', async (_form, data) => {
    const client = await node.connect();
    client.send({ event: 'pusher:subscribe', data });
    expect(await client.nextText()).toBe(succeeded('orders'));
  });

  it.each([
    undefined,
    null,
    7,
    [],
    '',
    'orders',
    '{',
    '[]',
    {},
    { channel: null },
    { channel: 7 },
    { channel: ['orders'] },
  ])('to subscribe with the data %j is answered with error 4000 alone', async (data) => {
    const client = await node.connect();
    client.send({ event: 'pusher:subscribe', data });
    const error = await client.nextError();
    expect(error.data.code).toBe(4000);
    expect(error).not.toHaveProperty('channel');
    expect(await client.pending()).toEqual([]);
  });

  it('is answered by native pong when it is a native ping', async () => {
    const client = await node.connect();
    client.raw.sendFrame(OPCODE.ping, 'bell');
    const { opcode, payload } = await client.raw.next();
    expect([opcode, payload.toString()]).toEqual([OPCODE.pong, 'bell']);
  });

  it.each([OPCODE.text, OPCODE.binary])('of kind %i may have 65536 bytes, not one more', async (opcode) => {
    const client = await node.connect();
    client.raw.sendFrame(opcode, pingOf(LIMIT_BYTES));
    expect(await client.nextText()).toBe(PONG);
    client.raw.sendFrame(opcode, pingOf(LIMIT_BYTES + 1));
    expect((await client.ended()).code).toBe(1009);
  });

  it('counts as a whole when it comes in fragments', async () => {
    const client = await node.connect();
    const text = pingOf(LIMIT_BYTES + 1);
    client.raw.sendFrame(OPCODE.text, text.slice(0, 40_000), { isFinal: false });
    client.raw.sendFrame(OPCODE.continuation, text.slice(40_000));
    expect((await client.ended()).code).toBe(1009);
  });
});

onServer(
  'the limit of a frame',
  { tenants: [tenant('shop')], env: { WEBSOCKET_MAX_PAYLOAD_KB: '2' } },
  (node) => {
    it('is the configured one', async () => {
      const client = await node.connect();
      client.send(pingOf(2048));
      expect(await client.nextText()).toBe(PONG);
      client.send(pingOf(2049));
      expect((await client.ended()).code).toBe(1009);
    });
  },
);
