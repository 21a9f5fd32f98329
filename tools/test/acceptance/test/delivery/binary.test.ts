import { createHash } from 'node:crypto';
import type * as Ably from 'ably';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AblyClients, heard } from '../compat/ably.js';
import { ClientV2 } from '../harness/client-v2.js';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import type { Format } from '../harness/wire-v2.js';

const shop = openTenant('shop', { history: { enabled: true } });
const env = { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory' };
const config = { compat: { enabled: true } };

const COUNT = 200;
const EVENT = 'client-bytes';

/** Payloads of different lengths, each of bytes that no other has. */
const payloads = Array.from({ length: COUNT }, (_, n) => {
  const bytes = Buffer.alloc(8 + ((n * 37) % 1500), n);
  bytes.writeUInt32BE(n);
  return bytes;
});

/** Length and digest of bytes, short enough to be read where two lists differ. */
function digestOf(data: unknown): string {
  const bytes = Buffer.from(data as Uint8Array);
  return `${bytes.length} ${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`;
}

const EXPECTED = payloads.map(digestOf).sort();

type Publish = (channel: string) => Promise<void>;

onServer('200 binary messages at once', { tenants: [shop], config, env }, (node) => {
  const clients = new AblyClients(node, shop);
  afterEach(() => clients.close());

  const publishers: readonly (readonly [name: string, publish: Publish])[] = [
    ['an Ably connection in MessagePack', (name) => byConnection(name, { useBinaryProtocol: true })],
    ['an Ably connection in JSON', (name) => byConnection(name, { useBinaryProtocol: false })],
    ['Ably REST in MessagePack', (name) => byRest(name, { useBinaryProtocol: true })],
    ['Ably REST in JSON', (name) => byRest(name, { useBinaryProtocol: false })],
    ['protocol 2 in MessagePack', (name) => byProtocol2(name, 'messagepack')],
    ['protocol 2 in Protobuf', (name) => byProtocol2(name, 'protobuf')],
  ];

  const byConnection = async (name: string, options: Ably.ClientOptions): Promise<void> => {
    const channel = clients.connect(options).channels.get(name);
    await Promise.all(payloads.map((bytes) => channel.publish(EVENT, bytes)));
  };

  const byRest = async (name: string, options: Ably.ClientOptions): Promise<void> => {
    const channel = clients.rest(options).channels.get(name);
    await Promise.all(payloads.map((bytes) => channel.publish(EVENT, bytes)));
  };

  const byProtocol2 = async (name: string, format: Format): Promise<void> => {
    const client = await ClientV2.connect(node, { format, query: '&echo_messages=false' });
    await client.subscribe(name);
    for (const data of payloads) client.send({ event: EVENT, channel: name, data });
  };

  const stored = async (name: string): Promise<readonly unknown[]> => {
    const data: unknown[] = [];
    let page = await clients.rest().channels.get(name).history();
    for (;;) {
      data.push(...page.items.map((item) => item.data as unknown));
      const next = await page.next();
      if (next === null) return data;
      page = next;
    }
  };

  describe.each(publishers)('of %s', (publisher, publish) => {
    const channel = `private-${publisher.replaceAll(' ', '-')}`;
    let ably: Awaited<ReturnType<typeof heard>>;

    beforeEach(async () => {
      const subscriber = clients.connect().channels.get(channel);
      ably = await heard(subscriber);
    });

    it('arrive and are stored byte for byte when none awaits another', async () => {
      const native = await Promise.all(
        (['messagepack', 'protobuf'] as const).map((format) => ClientV2.connect(node, { format })),
      );
      await Promise.all(native.map((client) => client.subscribe(channel)));
      await publish(channel);

      const live: unknown[] = [];
      for (const _ of payloads) live.push((await ably.take()).data);
      expect(live.map(digestOf).sort()).toEqual(EXPECTED);
      for (const client of native) {
        const frames = [];
        for (const _ of payloads) frames.push(await client.until(EVENT));
        expect(frames.map(digestOfFrame).sort()).toEqual(EXPECTED);
      }
      expect((await stored(channel)).map(digestOf).sort()).toEqual(EXPECTED);
    });
  });
});

/** Digest of the data of an event: bytes as they are, or the base64 text that Ably clients publish. */
const digestOfFrame = ({ data }: { readonly data?: unknown }): string =>
  digestOf(typeof data === 'string' ? Buffer.from(data, 'base64') : data);
