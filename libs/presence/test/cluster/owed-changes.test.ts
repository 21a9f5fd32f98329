import { describe, expect, it, onTestFinished } from 'vitest';
import type { Owed, OwedChange, Owing } from '../../src/index.js';
import { as, LOBBY } from '../samples.js';
import { Cluster, NODE_LEASE_MS, type Node } from './nodes.js';

/** Longest time between the end of a lease and the takeover of the owed notifications. */
const TAKEOVER_MS = 5000;
const ORDERS = 'orders';

/** A consumer of pending changes that settles them on request. */
class Consumer implements Owing {
  readonly recoveredChanges: OwedChange[] = [];
  readonly open: Owed[] = [];
  isWanted = true;

  isOwed(): boolean {
    return this.isWanted;
  }

  recovered(change: OwedChange): void {
    this.recoveredChanges.push(change);
    this.open.push(change.owed);
  }

  /** Settles everything that is open. */
  settle(): void {
    for (const owed of this.open.splice(0)) owed.settle();
  }

  get brief(): string[] {
    return this.recoveredChanges
      .map(({ kind, channel, userId }) => `${kind} ${channel} ${userId ?? ''}`.trim())
      .sort();
  }
}

async function scene(driver: 'redis' | 'redis-cluster', count: number) {
  const cluster = new Cluster(driver);
  const nodes: { readonly node: Node; readonly consumer: Consumer }[] = [];
  for (let at = 0; at < count; at += 1) {
    const consumer = new Consumer();
    const node = await cluster.open();
    const keep = ({ owed }: { readonly owed?: Owed }): void => void (owed && consumer.open.push(owed));
    node.presence.observe(keep, undefined, consumer);
    node.counts.observe(keep, consumer);
    nodes.push({ node, consumer });
  }
  onTestFinished(() => cluster.close());
  const [one, two, three = two] = nodes;
  if (one === undefined || two === undefined || three === undefined) throw new Error('too few nodes');
  return { cluster, one, two, three };
}

/** A member and a subscriber come and go. */
async function passBy({ node: { presence, counts } }: { readonly node: Node }): Promise<void> {
  await presence.join(as('ada', '1.1'), Infinity);
  await counts.set('shop', ORDERS, 1);
  await presence.leave(as('ada', '1.1'), 0, 'left');
  await counts.set('shop', ORDERS, 0);
}

const ALL = [
  `added ${LOBBY.channel} ada`,
  `added ${ORDERS}`,
  `removed ${LOBBY.channel} ada`,
  `removed ${ORDERS}`,
].sort();

describe.each(['redis', 'redis-cluster'] as const)('changes that a node owes (%s)', (driver) => {
  it('are taken over once by another node when their node dies', async () => {
    const { cluster, one, two } = await scene(driver, 2);
    await passBy(one);
    one.node.kill();
    await cluster.pass(NODE_LEASE_MS + TAKEOVER_MS);
    expect(two.consumer.brief).toEqual(ALL);
    await cluster.pass(TAKEOVER_MS);
    expect(two.consumer.brief).toEqual(ALL);
    two.consumer.settle();
    await cluster.pass(TAKEOVER_MS);
    expect((await cluster.keys()).filter((key) => key.includes('owed'))).toEqual([]);
  });

  it('are taken over by a third node when the second dies before it settled them', async () => {
    const { cluster, one, two, three } = await scene(driver, 3);
    await passBy(one);
    one.node.kill();
    await cluster.pass(NODE_LEASE_MS + TAKEOVER_MS);
    const first = [two, three].find(({ consumer }) => consumer.brief.length > 0);
    expect(first?.consumer.brief).toEqual(ALL);
    first?.node.kill();
    await cluster.pass(NODE_LEASE_MS + TAKEOVER_MS);
    const second = first === two ? three : two;
    expect(second.consumer.brief).toEqual(ALL);
  });

  it('are left to nobody when they were settled', async () => {
    const { cluster, one, two } = await scene(driver, 2);
    await passBy(one);
    one.consumer.settle();
    await cluster.settle();
    one.node.kill();
    await cluster.pass(NODE_LEASE_MS + TAKEOVER_MS);
    expect(two.consumer.brief).toEqual([]);
  });

  it('are taken over at once when their node leaves in order', async () => {
    const { cluster, one, two } = await scene(driver, 2);
    await passBy(one);
    await one.node.presence.close();
    await cluster.pass(TAKEOVER_MS);
    expect(two.consumer.brief).toEqual(ALL);
  });

  it('of a dead node are owed by it until they are settled', async () => {
    const { cluster, one, two, three } = await scene(driver, 3);
    await one.node.presence.join(as('ada', '1.1'), Infinity);
    one.consumer.settle();
    await cluster.settle();
    one.node.kill();
    await cluster.pass(NODE_LEASE_MS + TAKEOVER_MS);
    const first = [two, three].find(({ consumer }) => consumer.open.length > 0);
    expect(first?.consumer.brief).toEqual([]);
    first?.node.kill();
    await cluster.pass(NODE_LEASE_MS + TAKEOVER_MS);
    expect((first === two ? three : two).consumer.brief).toEqual([`removed ${LOBBY.channel} ada`]);
  });

  it('are not kept when the app does not follow them', async () => {
    const { cluster, one } = await scene(driver, 2);
    one.consumer.isWanted = false;
    await passBy(one);
    expect((await cluster.keys()).filter((key) => key.includes('owed'))).toEqual([]);
    expect(one.consumer.open).toEqual([]);
  });
});
