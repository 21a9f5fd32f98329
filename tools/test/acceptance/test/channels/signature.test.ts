import { describe, expect, it } from 'vitest';
import type { Client } from '../harness/client.js';
import { onServer } from '../harness/every-app.js';
import { cacheMiss, presence, published, succeeded } from '../harness/frames.js';
import { expectNotSubscribed } from '../harness/refusals.js';
import { channelAuth } from '../harness/signatures.js';
import { tenant } from '../harness/tenant.js';

const MEMBER = '{"user_id":"u-17","user_info":{"name":"Ada"}}';

/** Every kind of channel that needs a signature: a name, what is signed with it, and the frames of a success. */
const KINDS: readonly (readonly [string, string | undefined, readonly string[]])[] = [
  ['private-orders', undefined, [succeeded('private-orders')]],
  ['private-encrypted-vault', undefined, [succeeded('private-encrypted-vault')]],
  ['private-cache-prices', undefined, [succeeded('private-cache-prices'), cacheMiss('private-cache-prices')]],
  [
    'private-encrypted-cache-safe',
    undefined,
    [succeeded('private-encrypted-cache-safe'), cacheMiss('private-encrypted-cache-safe')],
  ],
  ['presence-lobby', MEMBER, [succeeded('presence-lobby', presence(['u-17', { name: 'Ada' }]))]],
  [
    'presence-cache-desk',
    MEMBER,
    [succeeded('presence-cache-desk', presence(['u-17', { name: 'Ada' }])), cacheMiss('presence-cache-desk')],
  ],
];

describe('the signatures of these tests', () => {
  it.each([
    ['private-orders', undefined, '3f5eabd8189117295aa8cd99ed849dfc2c2182a9a16e97a9fd68d1dabf9cf5a9'],
    ['private-cache-prices', undefined, 'f6c1ca6840c494e8d1cf9a2e072dc783e85a8faa345b299cb6f564e1d59bf38f'],
    [
      'private-encrypted-vault',
      undefined,
      '1fa535a0ba8e412d77540d8990bdab1b99dbe3ed8d1a9b32b453b08488785d19',
    ],
    ['presence-lobby', MEMBER, '3c82997c9aea0f8be5f670ea93d6792979301e1ebe28ca771f8ebcefb5f52d74'],
  ])('are those of the specification for %s', (channel, channelData, signature) => {
    const credentials = { key: 'app-key-7f3c', secret: 's3cr3t-for-docs-only' };
    expect(channelAuth(credentials, '218734.4410928', channel, channelData)).toBe(
      `app-key-7f3c:${signature}`,
    );
  });
});

const other = tenant('other');

/** Ways to sign almost right. */
const WRONG: Readonly<Record<string, (auth: string, client: Client, channel: string) => unknown>> = {
  'one digit changed': (auth) => auth.slice(0, -1) + (auth.endsWith('0') ? '1' : '0'),
  'upper-case hex': (auth) => {
    const colon = auth.indexOf(':');
    return auth.slice(0, colon) + auth.slice(colon).toUpperCase();
  },
  'a space after it': (auth) => `${auth} `,
  'a space before it': (auth) => ` ${auth}`,
  'without the key': (auth) => auth.slice(auth.indexOf(':') + 1),
  'the key of another app': (_auth, { tenant, socketId }, channel) =>
    channelAuth({ key: other.key, secret: tenant.secret }, socketId, channel),
  'the credentials of another app': (_auth, { socketId }, channel) => channelAuth(other, socketId, channel),
  'for another socket': (_auth, { tenant }, channel) => channelAuth(tenant, '1.1', channel),
  'for another channel': (_auth, { tenant, socketId }, channel) =>
    channelAuth(tenant, socketId, `${channel}x`),
  'cut short': (auth) => auth.slice(0, -1),
  'something after it': (auth) => `${auth}00`,
};

/** Everything that subscribes to the channel, wrongly signed in one way. */
function askWrongly(client: Client, [channel, channelData]: (typeof KINDS)[number], way: string): void {
  const auth = channelAuth(client.tenant, client.socketId, channel, channelData);
  const data = channelData === undefined ? {} : { channel_data: channelData };
  client.ask(channel, { auth: WRONG[way]?.(auth, client, channel), ...data });
}

onServer('a channel that needs a signature', { tenants: [tenant('shop'), other] }, (node) => {
  it.each(KINDS)('%s opens to a valid one', async (channel, channelData, frames) => {
    const client = await node.connect();
    client.askSigned(channel, channelData);
    expect(await client.pending()).toEqual(frames);
  });

  it.each(KINDS)('%s stays closed to a wrong one, and nothing is delivered', async (...kind) => {
    const [channel] = kind;
    const client = await node.connect();
    for (const way of Object.keys(WRONG)) {
      askWrongly(client, kind, way);
      await expectNotSubscribed(client, channel, 4009, 401);
    }
    await node.api().publish(channel, 'tick', 'x');
    expect(await client.pending()).toEqual([]);
    expect(await node.api().channel(channel)).toMatchObject({ occupied: false });
  });

  it.each(KINDS)('%s stays closed without one', async (channel, channelData) => {
    const client = await node.connect();
    const data = channelData === undefined ? {} : { channel_data: channelData };
    for (const auth of [undefined, '', null]) {
      client.ask(channel, { auth, ...data });
      await expectNotSubscribed(client, channel, 4009, 401);
    }
    expect(await client.pending()).toEqual([]);
  });

  it('is signed without the data of a member when it has no members', async () => {
    const client = await node.connect();
    const withData = channelAuth(client.tenant, client.socketId, 'private-x', MEMBER);
    client.ask('private-x', { auth: withData, channel_data: MEMBER });
    await expectNotSubscribed(client, 'private-x', 4009, 401);
    client.askSigned('private-x', undefined, { channel_data: MEMBER });
    expect(await client.nextText()).toBe(succeeded('private-x'));
  });

  it('is signed with the exact text of the member’s data', async () => {
    const client = await node.connect();
    const auth = channelAuth(client.tenant, client.socketId, 'presence-exact', MEMBER);
    client.ask('presence-exact', { auth, channel_data: MEMBER.replace(':', ': ') });
    await expectNotSubscribed(client, 'presence-exact', 4009, 401);
    const spaced = `  ${MEMBER.replaceAll(':', ' : ')}\n`;
    client.askSigned('presence-exact', spaced);
    const { event, data } = await client.next();
    expect(event).toBe('pusher_internal:subscription_succeeded');
    expect(JSON.parse(data as string)).toEqual(presence(['u-17', { name: 'Ada' }]));
  });

  it('keeps an earlier subscription when asked again with a wrong one', async () => {
    const client = await node.connect();
    await client.subscribe('private-kept');
    askWrongly(client, ['private-kept', undefined, []], 'one digit changed');
    await expectNotSubscribed(client, 'private-kept', 4009, 401);
    await node.api().publish('private-kept', 'tick', 'x');
    expect(await client.pending()).toEqual([published('private-kept', 'tick', 'x')]);
  });
});

onServer('a public channel', { tenants: [tenant('shop')] }, (node) => {
  it('needs none and looks at none', async () => {
    const client = await node.connect();
    client.ask('orders', { auth: 'nonsense' });
    expect(await client.nextText()).toBe(succeeded('orders'));
  });
});
