import { expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { PING, PONG } from '../harness/frames.js';
import { expectClosed } from '../harness/refusals.js';
import { openTenant } from '../harness/tenant.js';

const rate = { enabled: true, max_attempts: 5, decay_seconds: 3600 };
const shop = openTenant('shop', { limits: { message_rate_limit: rate } });
const strict = openTenant('strict', {
  limits: { message_rate_limit: { ...rate, terminate_on_limit: true }, max_client_events_per_second: 1 },
});
const idle = openTenant('idle', { limits: { message_rate_limit: { ...rate, enabled: false } } });

onServer('frames over the rate of their connection', { tenants: [shop, strict, idle] }, (node) => {
  it('are dropped with error 4301, whatever they are', async () => {
    const client = await node.connect();
    for (const channel of ['a', 'b', 'c', 'd', 'e']) await client.subscribe(channel);
    client.ask('f');
    expect(await client.nextError()).toMatchObject({ channel: 'f', data: { code: 4301 } });
    client.send('not json');
    expect((await client.nextError()).data.code).toBe(4301);
    expect(await node.api().channel('f')).toEqual({ occupied: false });
    expect(await node.api().channel('e')).toEqual({ occupied: true });
    // The count is each connection's own.
    await (await node.connect()).subscribe('f');
    const labels = { app_id: 'shop', limiter_type: 'messages' };
    expect((await node.metrics()).value('rate_limit_triggered_total', labels)).toBe(2);
  });

  it('count heartbeats, which are answered all the same', async () => {
    const client = await node.connect();
    for (let count = 0; count < 8; count += 1) client.send(PING);
    const texts: string[] = [];
    while (texts.filter((text) => text === PONG).length < 8) texts.push(await client.nextText());
    const others = texts.filter((text) => text !== PONG);
    expect(others.filter((text) => !text.includes('"code":4301'))).toEqual([]);
    client.ask('orders');
    expect((await client.nextError()).data.code).toBe(4301);
  });

  it('end the connection with 4301 where the app says so, before client events are counted', async () => {
    const client = await node.connect(strict);
    for (const channel of ['a', 'b', 'c', 'd', 'private-x']) await client.subscribe(channel);
    client.send({ event: 'client-x', channel: 'private-x', data: {} });
    await expectClosed(client, 4301, 'Connection closed due to rate limit');
  });

  it('do not exist where the limit is off', async () => {
    const client = await node.connect(idle);
    for (let count = 0; count < 100; count += 1) await client.subscribe('orders');
    expect(await client.pending()).toEqual([]);
  });
});
