import { describe, expect, it } from 'vitest';
import { ClientV2, type FrameV2, positionOf, type Position } from '../harness/client-v2.js';
import { BRIEF_LIVES, type Cluster, onCluster } from '../harness/cluster.js';
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
    second.askResume({ far: begin });
    expect(await second.through('service:resume_success')).toHaveLength(1);
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
        client.askResume({ orders: { ...begin, serial: 3 } });
        await client.until('service:resume_success');
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
