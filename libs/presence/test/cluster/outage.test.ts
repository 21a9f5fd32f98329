import { engine, type EngineHandle } from '@carillon/test-backends';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { as, brief, LOBBY } from '../samples.js';
import { Cluster, NODE_LEASE_MS, type Node } from './nodes.js';
import { openStoreLink } from './store-link.js';

const join = ({ presence }: Node, ...who: Parameters<typeof as>) => presence.join(as(...who), Infinity);
const ids = async ({ presence }: Node) => (await presence.members(LOBBY)).map(({ userId }) => userId).sort();

/** Time after which every process has written its users again and unowned ones are removed. */
const SAID_AGAIN_MS = 20_000;

/** Resolves when both processes are connected and have written their users again. */
async function back(cluster: Cluster, nodes: readonly Node[]): Promise<void> {
  for (const { presence } of nodes) while ((await presence.health()) !== null) await sleep(20);
  await cluster.pass(2000);
}

describe('while the store is away', () => {
  let redis: EngineHandle;
  beforeAll(async () => {
    redis = await engine('redis', { own: true });
  });
  afterAll(() => redis.release());

  async function ask(command: string): Promise<void> {
    const link = await openStoreLink('redis', redis);
    await link.call(command);
    link.close();
  }

  async function scene() {
    const cluster = new Cluster('redis', redis);
    const nodes = [await cluster.open(), await cluster.open()] as const;
    const told: string[] = [];
    for (const { presence } of nodes) presence.observe((change) => told.push(brief(change)));
    onTestFinished(() => cluster.close());
    // Exactly one process, whichever, reports the removal of a dead name.
    const counted = () => nodes.flatMap((node) => node.counted.splice(0)).map(({ kind }) => kind);
    return { cluster, one: nodes[0], two: nodes[1], told: () => told.splice(0), counted };
  }

  it('everything is refused and nobody is told; who left meanwhile is gone when it is back', async () => {
    const { cluster, one, two, told } = await scene();
    await join(one, 'ada', '1.1');
    await join(one, 'bo', '1.2');
    await join(two, 'bo', '2.1');
    await ask('save');
    told();
    await redis.kill();
    const refused = [
      join(one, 'cy', '1.3'),
      one.presence.leave(as('ada', '1.1'), 0, 'left'),
      one.presence.leave(as('bo', '1.2'), 0, 'left'),
      two.presence.update(as('bo', '2.1')),
      two.presence.members(LOBBY),
      two.presence.memberCounts('shop', [LOBBY.channel]),
      two.presence.present(LOBBY, ['ada']),
      two.counts.occupied('shop', ''),
    ];
    const outcomes = await Promise.allSettled(refused);
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && String(outcome.reason))).toEqual(
      refused.map(() => 'ServiceError: Presence is not available, retry'),
    );
    expect(await one.presence.health()).not.toBeNull();
    expect(told()).toEqual([]);
    await redis.restart();
    await back(cluster, [one, two]);
    expect(told()).toEqual([]);
    await cluster.pass(SAID_AGAIN_MS);
    expect([await ids(one), await ids(two), told()]).toEqual([['bo'], ['bo'], ['-ada']]);
    await two.presence.leave(as('bo', '2.1'), 0, 'left');
    expect(told()).toEqual(['-bo']);
  });

  it('and comes back after everybody’s lease: nobody is taken for dead who comes back too', async () => {
    const { cluster, one, two, told } = await scene();
    await join(one, 'ada', '1.1');
    await join(two, 'bo', '2.1');
    await ask('save');
    told();
    await redis.kill();
    await cluster.pass(2 * NODE_LEASE_MS);
    await redis.restart();
    await back(cluster, [one, two]);
    await cluster.pass(NODE_LEASE_MS);
    expect([await ids(one), told()]).toEqual([['ada', 'bo'], []]);
  });

  it('and comes back empty: every process says again whom it has, once', async () => {
    const { cluster, one, two, told } = await scene();
    await join(one, 'ada', '1.1');
    await join(one, 'ada', '1.2');
    await join(two, 'bo', '2.1');
    await join(two, 'ada', '2.2');
    await one.counts.set('shop', 'news', 2);
    await two.counts.set('shop', 'news', 5);
    await one.quota.take('shop', 2);
    await ask('flushall');
    told();
    await cluster.pass(NODE_LEASE_MS + 5000);
    expect(told().sort()).toEqual(['+ada', '+bo']);
    expect([await ids(one), await ids(two)]).toEqual([
      ['ada', 'bo'],
      ['ada', 'bo'],
    ]);
    expect(await one.presence.memberCounts('shop', [LOBBY.channel])).toEqual([2]);
    expect(await one.counts.occupied('shop', '')).toEqual(new Map([['news', 7]]));
    expect(await two.quota.take('shop', 1)).toBe(false);
    await one.presence.leave(as('ada', '1.1'), 0, 'left');
    await one.presence.leave(as('ada', '1.2'), 0, 'left');
    await two.presence.leave(as('ada', '2.2'), 0, 'left');
    await two.presence.leave(as('bo', '2.1'), 0, 'left');
    expect(told()).toEqual(['-ada', '-bo']);
  });

  it('and comes back empty: what happens before that is noticed is told once it is', async () => {
    const { cluster, one, two, told, counted } = await scene();
    await join(one, 'ada', '1.1', { info: 'mine' });
    await join(one, 'bo', '1.2');
    await join(one, 'bo', '1.3');
    await join(two, 'cy', '2.1');
    await one.counts.set('shop', 'news', 2);
    await ask('flushall');
    told();
    counted();
    await join(one, 'ada', '1.1', { info: 'again' });
    await one.presence.leave(as('bo', '1.2'), 0, 'left');
    await two.presence.leave(as('cy', '2.1'), 0, 'left');
    await one.counts.set('shop', 'news', 0);
    expect(await one.presence.members(LOBBY)).toEqual([
      { userId: 'ada', userInfoText: '"mine"', socketId: '1.1' },
      { userId: 'bo', userInfoText: '{"from":"1.3"}', socketId: '1.2' },
      { userId: 'cy', userInfoText: '{"from":"2.1"}', socketId: '2.1' },
    ]);
    expect(told()).toEqual(['+ada', '+bo']);
    expect(await one.counts.occupied('shop', '')).toEqual(new Map());
    await cluster.pass(NODE_LEASE_MS + 5000);
    expect(counted()).toEqual(['counted', 'vacated']);
    expect([await ids(two), told()]).toEqual([['ada', 'bo'], ['-cy']]);
    // Nothing of it is left under the name that the store has forgotten.
    await one.presence.leave(as('ada', '1.1'), 0, 'left');
    await one.presence.leave(as('bo', '1.3'), 0, 'left');
    expect([await ids(two), told()]).toEqual([[], ['-ada', '-bo']]);
  });

  it('and comes back empty: who leaves one process and is on another is not told to have gone', async () => {
    const { cluster, one, two, told } = await scene();
    await join(one, 'ada', '1.1');
    await join(two, 'ada', '2.1');
    await ask('flushall');
    told();
    await one.presence.leave(as('ada', '1.1'), 0, 'left');
    await cluster.pass(NODE_LEASE_MS + 10_000);
    expect([await ids(two), told()]).toEqual([['ada'], []]);
    await two.presence.leave(as('ada', '2.1'), 0, 'left');
    expect(told()).toEqual(['-ada']);
  });

  it('and comes back empty: who leaves where it was noticed first, and is on another process, stays', async () => {
    const { cluster, one, two, told } = await scene();
    await join(one, 'ada', '1.1');
    await join(two, 'ada', '2.1');
    await join(two, 'bo', '2.2');
    await one.counts.set('shop', 'news', 1);
    await two.counts.set('shop', 'news', 1);
    await ask('flushall');
    told();
    one.counted.length = 0;
    one.ledger.restored();
    await cluster.settle();
    // Unknown to this process before, but known to the other one.
    await join(one, 'bo', '1.2');
    await one.presence.leave(as('ada', '1.1'), 0, 'left');
    await one.presence.leave(as('bo', '1.2'), 0, 'left');
    await one.counts.set('shop', 'news', 0);
    await cluster.pass(NODE_LEASE_MS + 10_000);
    expect([await ids(two), told()]).toEqual([
      ['ada', 'bo'],
      ['+ada', '+bo'],
    ]);
    expect(await one.counts.occupied('shop', '')).toEqual(new Map([['news', 1]]));
    await two.presence.leave(as('ada', '2.1'), 0, 'left');
    await two.counts.set('shop', 'news', 0);
    expect(told()).toEqual(['-ada']);
    const kinds = [...one.counted, ...two.counted].map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'vacated')).toHaveLength(1);
  });

  it('and comes back with an older copy: it is brought into line with what is', async () => {
    const { cluster, one, two, told } = await scene();
    await join(one, 'ada', '1.1');
    await join(two, 'bo', '2.1');
    await ask('save');
    await one.presence.leave(as('ada', '1.1'), 0, 'left');
    await join(one, 'cy', '1.2');
    await join(two, 'dee', '2.2', { place: { appId: 'shop', channel: 'presence-hall' } });
    await redis.kill();
    await redis.restart();
    told();
    await back(cluster, [one, two]);
    expect(await one.presence.memberCounts('shop', ['presence-hall'])).toEqual([1]);
    expect(told().sort()).toEqual(['+cy', '+dee']);
    await cluster.pass(SAID_AGAIN_MS);
    expect([await ids(two), told()]).toEqual([['bo', 'cy'], ['-ada']]);
  });
});
