import { expect, it } from 'vitest';
import { ClientV2, type FrameV2 } from '../harness/client-v2.js';
import { onCluster } from '../harness/cluster.js';
import { published } from '../harness/frames.js';
import { openTenant } from '../harness/tenant.js';

const shop = openTenant('shop');
const TEXT = 'what is the same in all of them, and long enough to be worth a difference; '.repeat(4);

const ofEvent = (frames: readonly FrameV2[], event: string): FrameV2[] =>
  frames.filter((frame) => frame.event === event);

/** The next event of a meta channel: its name and how many have the channel. */
async function nextCount(client: ClientV2): Promise<readonly unknown[]> {
  const { event, data } = await client.next();
  return [event, (data as { subscription_count?: number }).subscription_count];
}

onCluster('protocol 2 over several processes', ['nats'], { tenants: () => [shop] }, (cluster) => {
  it('brings what fits a pattern from wherever it is published, once', async () => {
    const [here, there] = [
      await ClientV2.connect(cluster.gateway(0)),
      await ClientV2.connect(cluster.gateway(1)),
    ];
    await here.subscribe('news.*');
    await here.subscribe('news.eu');
    await there.subscribe('*');
    for (const channel of ['news.eu', 'private-news.eu', 'news.us']) {
      await cluster.api().publish(channel, 'e', channel);
    }
    for (const client of [here, there]) {
      expect((await client.until('e')).channel).toBe('news.eu');
      expect((await client.until('e')).channel).toBe('news.us');
    }
    for (const client of [here, there]) expect(ofEvent(await client.pending(), 'e')).toEqual([]);
    there.send({ event: 'service:unsubscribe', data: { channel: '*' } });
    await there.pending();
    await cluster.api().publish('news.eu', 'e', 'again');
    expect((await here.until('e')).data).toBe('again');
    expect(ofEvent(await there.pending(), 'e')).toEqual([]);
  });

  it('tells on a meta channel of who comes and goes in any process', async () => {
    const watcher = await ClientV2.connect(cluster.gateway(0));
    await watcher.subscribe('[meta]orders');
    const [here, there] = await cluster.both();
    await there.subscribe('orders');
    expect(await nextCount(watcher)).toEqual(['service_internal:channel_occupied', 1]);
    expect(await nextCount(watcher)).toEqual(['service_internal:subscription_count', 1]);
    await here.subscribe('orders');
    expect(await nextCount(watcher)).toEqual(['service_internal:subscription_count', 2]);
    there.vanish();
    expect(await nextCount(watcher)).toEqual(['service_internal:subscription_count', 1]);
    here.send({ event: 'pusher:unsubscribe', data: { channel: 'orders' } });
    expect(await nextCount(watcher)).toEqual(['service_internal:channel_vacated', 0]);
  });

  it('sends differences in each process, and protocol 1 beside them hears nothing of it', async () => {
    const old = await cluster.connect(1);
    const [here, there] = [
      await ClientV2.connect(cluster.gateway(0)),
      await ClientV2.connect(cluster.gateway(1)),
    ];
    await old.subscribe('mkt');
    for (const client of [here, there]) await client.subscribe('mkt', { delta: 'xdelta3' });
    for (let n = 0; n < 4; n += 1) await cluster.api().publish('mkt', 'e', `${TEXT}${n}`);
    for (const client of [here, there]) {
      for (let n = 0; n < 2; n += 1) {
        expect(await client.until('e')).toMatchObject({ data: `${TEXT}${n}`, __delta_seq: n });
      }
      for (let n = 2; n < 4; n += 1) {
        const data = { event: 'e', seq: n, base_index: n - 1, algorithm: 'xdelta3' };
        expect((await client.until('service:delta')).data).toMatchObject(data);
      }
    }
    for (let n = 0; n < 4; n += 1) expect(await old.nextText()).toBe(published('mkt', 'e', `${TEXT}${n}`));
  });
});
