import { expect, it } from 'vitest';
import { ClientV2, type FrameV2 } from '../harness/client-v2.js';
import { onCluster } from '../harness/cluster.js';
import { eventually } from '../harness/eventually.js';
import { openTenant } from '../harness/tenant.js';
import { FORMATS } from '../harness/wire-v2.js';

const shop = openTenant('shop');
const LOBBY = 'presence-lobby';
const UPDATES = 8;
const ROUNDS = 5;

const infoOf = ({ data }: FrameV2): string => JSON.stringify(JSON.parse(String(data)));

onCluster(
  'presence updates of one user through two gateways',
  ['nats', 'redis-cluster'],
  { tenants: () => [shop] },
  (cluster) => {
    it(
      'reach every watcher of every gateway once and in one order, and protocol 1 not at all',
      { timeout: 120_000 },
      async () => {
        const nodes = [cluster.gateway(0), cluster.gateway(1)];
        const old = await cluster.both();
        for (const [at, client] of old.entries()) await client.join(LOBBY, `old-${at}`);
        const watchers = await Promise.all(
          nodes.flatMap((node) => FORMATS.map((format) => ClientV2.connect(node, { format }))),
        );
        for (const [at, watcher] of watchers.entries()) await watcher.subscribe(LOBBY, {}, `w-${at}`);
        const authors = await Promise.all(nodes.map((node) => ClientV2.connect(node)));
        for (const author of authors) await author.subscribe(LOBBY, {}, 'ada');
        for (let round = 0; round < ROUNDS; round += 1) {
          const expected: string[] = [];
          for (let n = 0; n < UPDATES; n += 1) {
            for (const [at, author] of authors.entries()) {
              const info = { round, from: at, n };
              expected.push(JSON.stringify({ user_id: 'ada', user_info: info }));
              author.send({ event: 'service:presence_update', data: { channel: LOBBY, data: info } });
            }
          }
          const orders: string[][] = [];
          for (const client of [...watchers, ...authors]) {
            const order: string[] = [];
            while (order.length < expected.length)
              order.push(infoOf(await client.until('service_internal:presence_update')));
            orders.push(order);
          }
          const [first = []] = orders;
          expect([...first].sort()).toEqual(expected.sort());
          for (const order of orders) expect(order).toEqual(first);
          // Tokens of the limit of updates a second are there again.
          await new Promise((resolve) => setTimeout(resolve, 1000));
        }
        for (const client of [...watchers, ...authors]) expect(await client.pending()).toEqual([]);
        await eventually(async () => {
          for (const client of old) {
            const texts = await client.pending();
            expect(texts.filter((text) => text.includes('presence_update'))).toEqual([]);
          }
        });
      },
    );
  },
);
