import { expect, it } from 'vitest';
import { BRIEF_LIVES, KINDS, NODE_TIMEOUT_MS, onCluster } from '../harness/cluster.js';
import { eventually } from '../harness/eventually.js';
import { memberRemoved, subscriptionCount, watchlist } from '../harness/frames.js';
import { openTenant } from '../harness/tenant.js';

const shop = openTenant('shop', {
  limits: { max_connections: 6 },
  features: { enable_subscription_count_events: true },
});
/** How long after the end of its lease nothing of a process may be left. */
const GRACE_MS = 5000;
const sleep = (ms: number) => new Promise<void>((later) => void setTimeout(later, ms));

onCluster('a gateway that is killed', KINDS, { tenants: () => [shop], env: BRIEF_LIVES }, (cluster) => {
  it('leaves no member, no user, no subscriber and no connection, and each is told of once', async () => {
    const [watcher, lost] = await cluster.both();
    const both = await cluster.connect(1);
    await lost.signin('lost');
    await watcher.signin('w', { watchlist: ['lost'] });
    expect(await watcher.nextText()).toBe(watchlist(['online', ['lost']]));
    await watcher.join('presence-room', 'w');
    await watcher.subscribe('orders');
    const here = await cluster.connect(0);
    await lost.join('presence-room', 'lost');
    for (const client of [both, here]) await client.join('presence-room', 'both');
    for (const client of [lost, both]) client.ask('orders');
    const counts = subscriptionCount('orders', 3);
    const before: string[] = [];
    while (before.length < 3 || !before.includes(counts)) before.push(await watcher.nextText());
    await eventually(async () => expect(await watcher.pending()).toEqual([]));
    expect(await cluster.api().users('presence-room')).toEqual(['both', 'lost', 'w']);

    const victim = cluster.gateway(1);
    await victim.process.kill();
    const texts: string[] = [];
    while (texts.length < 3) texts.push(await watcher.nextText(NODE_TIMEOUT_MS + GRACE_MS));
    expect(texts.sort()).toEqual(
      [
        memberRemoved('presence-room', 'lost'),
        subscriptionCount('orders', 1),
        watchlist(['offline', ['lost']]),
      ].sort(),
    );
    expect(await cluster.api().users('presence-room')).toEqual(['both', 'w']);
    await eventually(async () => {
      const state = await cluster.api().channel('orders', 'subscription_count');
      expect(state).toEqual({ occupied: true, subscription_count: 1 });
    });

    await cluster.add('gateway');
    const replacement = await cluster.connect(1);
    await replacement.join('presence-room', 'late');
    expect(await cluster.api(1).users('presence-room')).toEqual(['both', 'late', 'w']);
    // Places of the dead are free again: six in all, three of them taken.
    for (let place = 0; place < 3; place += 1) await cluster.connect(place % 2 === 0 ? 0 : 1);
    const full = await cluster.gateway(1).socket();
    expect((await full.nextError()).data.code).toBe(4004);
    await sleep(1000);
    const rest = (await watcher.pending()).filter((text) => !text.includes('member_added'));
    expect(rest).toEqual([]);
  });
});
