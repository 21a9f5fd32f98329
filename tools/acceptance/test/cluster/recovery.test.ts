import { engine } from '@carillon/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClientV2, type FrameV2, positionOf, type Position } from '../harness/client-v2.js';
import { BRIEF_LIVES, Cluster, onCluster } from '../harness/cluster.js';
import { tenant } from '../harness/tenant.js';
import { FORMATS } from '../harness/wire-v2.js';

const shop = tenant('shop', { features: { enable_client_messages: true } });
const env = { ...BRIEF_LIVES, CONNECTION_RECOVERY_ENABLED: 'true' };

const publish = async (cluster: Cluster, channel: string, from: number, to: number): Promise<void> => {
  for (let n = from; n <= to; n += 1) await cluster.api().publish(channel, 'news', `${n}`);
};

const told = (frames: readonly FrameV2[]): string[] =>
  frames.filter(({ event }) => event === 'news').map(({ data, serial }) => `${String(data)} ${serial}`);

/** Texts and serials that are the same number. */
const inOrder = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, n) => `${from + n} ${from + n}`);

/** Reads until so many messages have come. */
async function messages(client: ClientV2, count: number): Promise<readonly FrameV2[]> {
  const found: FrameV2[] = [];
  while (found.length < count) {
    const frame = await client.next();
    if (frame.event === 'news') found.push(frame);
  }
  return found;
}

onCluster('recovery beside others', ['nats', 'redis-cluster'], { tenants: () => [shop], env }, (cluster) => {
  it('gives one order to whoever publishes where, the same for every gateway', async () => {
    const clients = [await ClientV2.connect(cluster.gateway(0)), await ClientV2.connect(cluster.gateway(1))];
    const begins: Position[] = [];
    for (const client of clients) begins.push(positionOf(await client.subscribe('busy')));
    expect(begins[0]).toEqual(begins[1]);
    const publishing = Array.from({ length: 40 }, (_, n) =>
      cluster.api(n % 2 === 0 ? 0 : 1).publish('busy', 'news', `${n}`),
    );
    await Promise.all(publishing);
    const [one = [], other = []] = await Promise.all(clients.map((client) => messages(client, 40)));
    expect(one.map(({ serial }) => serial)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
    expect(other.map(({ message_id }) => message_id)).toEqual(one.map(({ message_id }) => message_id));
  });

  it('replays at a gateway that never had the channel', async () => {
    const first = await ClientV2.connect(cluster.gateway(0));
    const begin = positionOf(await first.subscribe('far'));
    await publish(cluster, 'far', 1, 3);
    const second = await ClientV2.connect(cluster.gateway(1));
    const { frames } = await second.resume({ far: begin });
    expect(frames).toEqual([]);
    await second.subscribe('far');
    expect(told(await second.through('service:resume_success'))).toEqual(inOrder(1, 3));
  });

  describe('after a gateway was killed', () => {
    const before: Position[] = [];

    it('every client of it goes on at another, in its own format', async () => {
      const victim = cluster.gateway(1);
      const lost = await Promise.all(FORMATS.map((format) => ClientV2.connect(victim, { format })));
      for (const client of lost) before.push(positionOf(await client.subscribe('orders')));
      await publish(cluster, 'orders', 1, 3);
      for (const client of lost) expect(told(await messages(client, 3))).toEqual(inOrder(1, 3));
      await victim.process.kill();
      await publish(cluster, 'orders', 4, 6);
      for (const [at, format] of FORMATS.entries()) {
        const begin = before[at];
        if (begin === undefined) throw new Error('it was nowhere');
        const client = await ClientV2.connect(cluster.gateway(0), { format });
        await client.resume({ orders: { ...begin, serial: 3 } });
        await client.subscribe('orders');
        const frames = await client.through('service:resume_success');
        expect(told(frames)).toEqual(inOrder(4, 6));
        expect(JSON.parse(String(frames.at(-1)?.data))).toMatchObject({
          recovered: [{ channel: 'orders', replayed: 3, position: { ...begin, serial: 6 } }],
          failed: [],
        });
        expect(told(await client.pending())).toEqual([]);
      }
    });
  });
});

describe('recovery with a history beside others', () => {
  let cluster: Cluster;
  let corner: { end(): Promise<void> } | undefined;
  beforeAll(async () => {
    const own = await (await engine('postgres')).isolate();
    corner = own;
    const { hostname, port, username, password, pathname } = new URL(own.url);
    cluster = new Cluster('nats', {
      tenants: () => [shop],
      more: ['history-writer'],
      env: {
        ...env,
        HISTORY_ENABLED: 'true',
        VERSIONED_MESSAGES_ENABLED: 'true',
        VERSIONED_MESSAGES_DRIVER: 'postgres',
        DATABASE_POSTGRES_HOST: hostname,
        DATABASE_POSTGRES_PORT: port,
        DATABASE_POSTGRES_USERNAME: decodeURIComponent(username),
        DATABASE_POSTGRES_PASSWORD: decodeURIComponent(password),
        DATABASE_POSTGRES_DATABASE: pathname.slice(1),
      },
    });
    await cluster.start();
  }, 120_000);
  afterAll(async () => {
    await cluster.stop();
    await corner?.end();
  });

  it('reads at another gateway what one had in memory, rewinds there, and gives its pages', async () => {
    const first = await ClientV2.connect(cluster.gateway(0));
    const begun = await first.subscribe('orders');
    expect(begun).toMatchObject({ serial: 0, data: '{"attach_serial":0}' });
    const begin = positionOf(begun);
    await publish(cluster, 'orders', 1, 4);
    expect(told(await messages(first, 4))).toEqual(inOrder(1, 4));
    await cluster.gateway(0).process.kill();
    for (const format of FORMATS) {
      const client = await ClientV2.connect(cluster.gateway(0), { format });
      await client.resume({ orders: { ...begin, serial: 1 } });
      await client.subscribe('orders', { rewind: 2 });
      const frames = await client.through('service:resume_success');
      expect(told(frames)).toEqual(inOrder(2, 4));
      const rewound = await client.through('service:rewind_complete');
      expect(told(rewound)).toEqual(inOrder(3, 4));
      client.send({
        event: 'service:channel_history',
        data: { channel: 'orders', limit: 2, until_attach: true },
      });
      expect(await client.next()).toMatchObject({
        event: 'service:channel_history',
        data: { items: [{ serial: 4 }, { serial: 3 }], bounds: { attach_serial: 4 } },
      });
    }
  });
});
