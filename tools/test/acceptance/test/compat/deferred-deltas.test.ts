import { decode } from '@ably/vcdiff-decoder';
import type * as Ably from 'ably';
import { afterEach, expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { AblyClients, heard } from './ably.js';

const shop = openTenant('shop', { history: { enabled: true } });
const env = { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory' };
const config = { compat: { enabled: true } };
const DELTAS = { params: { delta: 'vcdiff' } };
const COSTLY = 60;
const ROUNDS = 4;
const EACH = 8;
const words = Array.from({ length: 1500 }, (_, at) => `word-${at % 97}`);

onServer('deltas of derived channels', { tenants: [shop], config, env }, (node) => {
  const clients = new AblyClients(node, shop);
  afterEach(() => clients.close());

  it.each([true, false])(
    'bring each message once and in order while filters wait for their share of the event loop (binary: %s)',
    async (useBinaryProtocol) => {
      const name = `costly:${useBinaryProtocol}`;
      const other = clients.connect();
      await Promise.all(
        Array.from({ length: COSTLY }, (_, at) =>
          other.channels.getDerived(name, { filter: `length(sort(data.words)) > \`${at}\`` }).attach(),
        ),
      );
      const publisher = clients.connect().channels.get(name);
      const readers: { readonly inbox: Awaited<ReturnType<typeof heard>>; readonly from: number }[] = [];
      const join = async (from: number): Promise<void> => {
        const client = clients.connect({ useBinaryProtocol, plugins: { vcdiff: { decode } } });
        const channel = client.channels.getDerived(name, { filter: 'name == `"tick"`' }, DELTAS);
        readers.push({ inbox: await heard(channel), from });
      };
      await join(0);
      for (let round = 0; round < ROUNDS; round += 1) {
        const sent = Array.from({ length: EACH }, (_, at) => {
          const n = round * EACH + at;
          return publisher.publish(n % 2 === 0 ? 'tick' : 'tock', { words, n });
        });
        await Promise.all(sent);
        await join((round + 1) * EACH);
      }
      await publisher.publish('tick', { words, n: ROUNDS * EACH });
      for (const { inbox, from } of readers) {
        const expected = Array.from({ length: ROUNDS * EACH + 1 }, (_, n) => n).filter(
          (n) => n >= from && n % 2 === 0,
        );
        const seen: Ably.InboundMessage[] = [];
        while (seen.length < expected.length) seen.push(await inbox.take());
        expect(seen.map(({ data }) => (data as { readonly n: number }).n)).toEqual(expected);
        expect([
          seen.every(({ data }) => (data as { words: unknown[] }).words.length === words.length),
          inbox.rest,
        ]).toEqual([true, []]);
      }
    },
  );
});
