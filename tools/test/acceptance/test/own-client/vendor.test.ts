import { afterEach, describe, expect, it } from 'vitest';
import { Inbox } from '../clients/inbox.js';
import { post } from '../compat/ably.js';
import { basicOf } from '../compat/key.js';
import { onServer } from '../harness/every-app.js';
import { tokenFor } from '../harness/signatures.js';
import { openTenant } from '../harness/tenant.js';
import { Network } from './network.js';
import { FORMATS, People, signing } from './people.js';

const shop = openTenant('shop');
const vendor = 'acme';
const config = {
  protocol: { vendor_prefix: vendor },
  history: { enabled: true, backend: 'memory' },
  connection_recovery: { enabled: true },
  versioned_messages: { enabled: true },
  compat: { enabled: true },
};

onServer("the own client with another vendor's word", { tenants: [shop], config }, (node) => {
  const people = new People(node);
  afterEach(() => people.leave());
  const api = signing(node);

  it('is spoken to by the service alone: no client of Ably calls a message so', async () => {
    for (const name of [`${vendor}:error`, `${vendor}_internal:x`, 'service:error', 'pusher:error']) {
      const answer = await post(node.port, '/channels/chat/messages', { name }, basicOf(shop));
      expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: 40_000 } }]);
    }
    expect((await post(node.port, '/channels/chat/messages', { name: 'said' }, basicOf(shop))).status).toBe(
      201,
    );
  });

  it.each(FORMATS)('by $name hears, changes, reads and gets back what there is', async (format) => {
    const network = new Network();
    const token = tokenFor(shop, 'ada', { '*': ['subscribe', 'history', 'publish'] }, { vendor });
    const ada = await people.come('ada', {
      format,
      vendor,
      token,
      api,
      isTrusted: true,
      WebSocket: network.WebSocket,
    });
    const chat = ada.subscribe(`chat-${format.name}`, { rewind: 5 });
    const heard = new Inbox<unknown>();
    chat.bind('said', (text) => heard.put(text));
    chat.on('change', ({ change, raw }) => heard.put([change?.action, raw]));
    chat.on('recovery', ({ recovered }) => heard.put(recovered));
    await chat.whenSubscribed();
    const { messageSerial: serial = '' } = await chat.messages.publish('said', 'hello');
    expect(await heard.take()).toBe('hello');
    await chat.messages.append(serial, ' world');
    expect(await heard.take()).toEqual(['append', ' world']);
    network.cut();
    await chat.messages.update(serial, { data: 'bye' });
    network.mend();
    ada.connect();
    for (const expected of [['update', 'bye'], true]) expect(await heard.take()).toEqual(expected);
    const { items } = await chat.history();
    expect(items).toMatchObject([
      { serial: 1, message: { change: { action: 'update', serial }, data: 'bye' } },
    ]);
  });
});

describe('nothing of the word of the service', () => {
  it('is in a token for another', () => {
    const [, claims = ''] = tokenFor(shop, 'ada', {}, { vendor }).split('.');
    expect(Buffer.from(claims, 'base64url').toString()).not.toContain('service');
  });
});
