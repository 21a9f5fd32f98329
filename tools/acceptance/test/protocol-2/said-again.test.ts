import { expect, it } from 'vitest';
import { ClientV2 } from '../harness/client-v2.js';
import { onGroup, onServer } from '../harness/every-app.js';
import type { Node } from '../harness/node.js';
import { openTenant } from '../harness/tenant.js';

const shop = openTenant('shop');
const HISTORY = { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory' };
const CHANNEL = 'private-again';

/** What a client says again under its id is heard once by everybody, whoever says it and wherever. */
function hearsOnce(node: Node, connect: () => Promise<ClientV2>): void {
  it('what clients say again is heard once, and other content under its id is refused', async () => {
    const [sender, other] = [await connect(), await connect()];
    const old = await node.connect();
    await old.subscribe(CHANNEL);
    for (const client of [sender, other]) await client.subscribe(CHANNEL);
    const say = (client: ClientV2, n: number): void =>
      client.send({ event: 'client-x', channel: CHANNEL, data: { n }, message_id: 'm-1' });
    say(sender, 1);
    await sender.until('client-x');
    await other.until('client-x');
    say(sender, 1);
    say(other, 1);
    say(other, 2);
    expect(await other.until('service:error')).toMatchObject({ channel: CHANNEL, data: { code: 4000 } });
    sender.send({ event: 'client-last', channel: CHANNEL, data: {} });
    expect((await other.next()).event).toBe('client-last');
    expect((await sender.next()).event).toBe('client-last');
    expect(JSON.parse(await old.nextText())).toEqual({ event: 'client-x', channel: CHANNEL, data: { n: 1 } });
    expect(JSON.parse(await old.nextText())).toMatchObject({ event: 'client-last' });
  });
}

onServer('client events without a history', { tenants: [shop] }, (node) =>
  hearsOnce(node, () => ClientV2.connect(node)),
);

onServer('client events with a history', { tenants: [shop], env: HISTORY }, (node) =>
  hearsOnce(node, () => ClientV2.connect(node)),
);

onGroup('client events at two gateways', { tenants: [shop] }, (node) => {
  const gateways = [1, 2] as const;
  let connected = 0;
  hearsOnce(node, () => ClientV2.connect(node, { port: node.gatewayPort(gateways[connected++ % 2] ?? 1) }));
});
