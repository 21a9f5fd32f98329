import { engine, whyMissing } from '@carillon/test-backends';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Node } from '../harness/node.js';
import { openTenant, type Tenant } from '../harness/tenant.js';
import { callLibrary, optionsFor } from './driven.js';
import { Inbox } from './inbox.js';

/** As Go spells them, which names headers in its own way. */
const PROOF = ['X-Pusher-Key', 'X-Pusher-Signature'];

/** A request as it came: every value of the headers that prove it genuine, and its body. */
interface Hook {
  readonly headers: Readonly<Record<string, string[]>>;
  readonly body: string;
}

describe.runIf(whyMissing('pusher-go') === null)('the pusher server library in Go', () => {
  const hooks = new Inbox<Hook>();
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const given = request.headersDistinct;
    const headers = Object.fromEntries(PROOF.map((name) => [name, given[name.toLowerCase()] ?? []]));
    hooks.put({ headers, body: await text(request) });
    response.end();
  }
  const receiver = createServer((request, response) => void receive(request, response));
  let shop: Tenant;
  let node: Node;
  let url: string;
  beforeAll(async () => {
    ({ url } = await engine('pusher-go'));
    await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
    const { port } = receiver.address() as AddressInfo;
    shop = openTenant('shop', {
      webhooks: [{ url: `http://127.0.0.1:${port}/`, event_types: ['channel_occupied', 'client_event'] }],
    });
    node = new Node('server', { tenants: [shop] });
    await node.start();
  });
  afterAll(async () => {
    node.dropClients();
    expect(await node.stop()).toBe(0);
    expect(node.complaints()).toEqual([]);
    receiver.closeAllConnections();
    receiver.close();
  });

  const read = ({ headers, body }: Hook, secret = shop.secret) =>
    callLibrary(url, { ...optionsFor(shop, node.port), secret }, 'Webhook', [headers, body]);

  it('takes the service’s webhooks for genuine and reads their events', async () => {
    const client = await node.connect();
    await client.subscribe('private-talk');
    const hook = await hooks.take();
    expect(await read(hook)).toEqual({
      time_ms: (JSON.parse(hook.body) as { time_ms: number }).time_ms,
      events: [{ name: 'channel_occupied', channel: 'private-talk' }],
    });
    client.send({ event: 'client-typing', channel: 'private-talk', data: 'é <b>' });
    expect(await read(await hooks.take())).toMatchObject({
      events: [
        {
          name: 'client_event',
          channel: 'private-talk',
          event: 'client-typing',
          data: 'é <b>',
          socket_id: client.socketId,
        },
      ],
    });
  });

  it('reads a client event whose data is no string as its JSON text', async () => {
    const client = await node.connect();
    await client.subscribe('private-objects');
    await hooks.take();
    client.send({ event: 'client-typing', channel: 'private-objects', data: { on: true } });
    expect(await read(await hooks.take())).toMatchObject({ events: [{ data: '{"on":true}' }] });
  });

  it('takes nothing for genuine that was changed, or signed with another secret', async () => {
    const client = await node.connect();
    await client.subscribe('private-desk');
    const hook = await hooks.take();
    await expect(read({ ...hook, body: `${hook.body} ` })).rejects.toThrow('Invalid webhook');
    await expect(read(hook, `${shop.secret}x`)).rejects.toThrow('Invalid webhook');
    await expect(read({ ...hook, headers: {} })).rejects.toThrow('Invalid webhook');
    expect(await read(hook)).toMatchObject({ events: [{ channel: 'private-desk' }] });
  });
});
