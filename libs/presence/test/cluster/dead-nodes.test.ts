import { describe, expect, it, onTestFinished } from 'vitest';
import { REAP } from '../../src/cluster/scripts.js';
import type { StoreLink } from '../../src/cluster/store.js';
import type { PresenceChange } from '../../src/index.js';
import { as, brief, line, LOBBY } from '../samples.js';
import { Cluster, NODE_LEASE_MS, type Node, type NodeOptions } from './nodes.js';
import { wrapped } from './wrapped-link.js';

/** Limit of the time between the end of a lease and its last report. */
const NOTICE_MS = 5000;

/** Link of an older version, whose reaping pages contain no payloads. */
const ofBefore = (link: StoreLink): StoreLink =>
  wrapped(link, {
    call: async (command, ...args) => {
      const answer = await link.call(command, ...args);
      const isPage = args[0] === REAP.sha1 || args[0] === REAP.lua;
      return isPage && Array.isArray(answer) ? answer.slice(0, 4) : answer;
    },
  });

async function scene(options: readonly NodeOptions[]) {
  const cluster = new Cluster('redis');
  const changes: (PresenceChange & { readonly by: number })[] = [];
  const nodes: Node[] = [];
  for (const [by, option] of options.entries()) {
    const node = await cluster.open(option);
    node.presence.observe((change) => changes.push({ ...change, by }));
    nodes.push(node);
  }
  onTestFinished(() => cluster.close());
  const [one, two, three = two] = nodes;
  if (one === undefined || two === undefined || three === undefined) throw new Error('too few nodes');
  return {
    cluster,
    one,
    two,
    three,
    changes,
    told: () => changes.splice(0).map(line),
    toldBriefly: () => changes.splice(0).map(brief),
  };
}

const join = ({ presence }: Node, ...who: Parameters<typeof as>) => presence.join(as(...who), Infinity);
const ids = async ({ presence }: Node) => (await presence.members(LOBBY)).map(({ userId }) => userId);

describe('a process that dies', () => {
  it('is named by whoever tells that its users are gone', async () => {
    const { cluster, one, changes } = await scene([{}, {}]);
    await join(one, 'ada', '1.1');
    one.kill();
    await cluster.pass(NODE_LEASE_MS + NOTICE_MS);
    const names = changes.map((change) => (change.kind === 'removed' ? change.deadNodeId : null));
    expect(names).toEqual([null, expect.stringMatching(/^.+-/)]);
  });

  it('leaves no ghost: its users are removed once, after its lease and before 5 s more', async () => {
    const { cluster, one, two, three, told } = await scene([{}, {}, {}]);
    await join(one, 'ada', '1.1');
    await join(one, 'bo', '1.2');
    await join(two, 'bo', '2.1');
    await join(three, 'cy', '3.1');
    told();
    one.kill();
    await cluster.pass(NODE_LEASE_MS - 11_000);
    expect([await ids(two), told()]).toEqual([['ada', 'bo', 'cy'], []]);
    await cluster.pass(11_000 + NOTICE_MS);
    expect(await ids(two)).toEqual(['bo', 'cy']);
    expect(await ids(three)).toEqual(['bo', 'cy']);
    expect(told()).toEqual(['shop presence-lobby: ada removed {"from":"1.1"}, orphan_cleanup']);
  });

  it('says nothing of a user with a connection elsewhere, whose last one then counts', async () => {
    const { cluster, one, two, three, toldBriefly } = await scene([{}, {}, {}]);
    await join(one, 'ada', '1.1');
    await join(two, 'ada', '2.1');
    one.kill();
    await cluster.pass(NODE_LEASE_MS + NOTICE_MS);
    expect(toldBriefly()).toEqual(['+ada']);
    two.kill();
    await cluster.pass(NODE_LEASE_MS + NOTICE_MS);
    expect(toldBriefly()).toEqual(['-ada']);
    expect(await ids(three)).toEqual([]);
  });

  it('may be cleared up after by a process of before, which leaves no word of what its users said', async () => {
    const { cluster, one, changes } = await scene([{}, { wrap: ofBefore }]);
    await join(one, 'ada', '1.1');
    one.kill();
    await cluster.pass(NODE_LEASE_MS + NOTICE_MS);
    expect(changes.at(-1)).toMatchObject({ kind: 'removed', cameBy: '1.1', userInfoText: null });
  });

  it('leaves the leases it had begun to others, who end them in time and say why', async () => {
    const { cluster, one, two, told } = await scene([{}, {}]);
    await join(one, 'ada', '1.1');
    await join(one, 'bo', '1.2');
    await one.presence.leave(as('ada', '1.1'), 15_000, 'connection_lost');
    await one.presence.leave(as('bo', '1.2'), 60_000, 'connection_lost');
    one.kill();
    told();
    await cluster.pass(NODE_LEASE_MS + NOTICE_MS);
    expect(told()).toEqual(['shop presence-lobby: ada removed {"from":"1.1"}, connection_lost']);
    expect(await ids(two)).toEqual(['bo']);
    await cluster.pass(60_000 - NODE_LEASE_MS);
    expect(told()).toEqual(['shop presence-lobby: bo removed {"from":"1.2"}, connection_lost']);
  });

  it('gives way at once when it takes its leave, and leases go on', async () => {
    const { cluster, one, two, toldBriefly } = await scene([{}, {}]);
    for (const user of ['ada', 'bo', 'cy']) await join(one, user, '1.1');
    await one.presence.leave(as('ada', '1.1'), 15_000, 'connection_lost');
    await one.presence.leave(as('cy', '1.1'), 0, 'left');
    await one.presence.close();
    toldBriefly();
    await cluster.pass(3000);
    expect(toldBriefly()).toEqual(['-bo']);
    await cluster.pass(16_000);
    expect([toldBriefly(), await ids(two)]).toEqual([['-ada'], []]);
  });

  it('is cleared up after in every place, however many', async () => {
    const { cluster, one, two, changes } = await scene([{}, {}]);
    const places = Array.from({ length: 700 }, (_, n) => ({ appId: 'shop', channel: `presence-${n}` }));
    const users = Array.from({ length: 1200 }, (_, n) => `u${n}`);
    await Promise.all(places.map((place) => join(one, 'ada', '1.1', { place })));
    await Promise.all(users.map((user, n) => join(one, user, `1.${n}`)));
    changes.length = 0;
    one.kill();
    await cluster.pass(NODE_LEASE_MS + NOTICE_MS);
    expect(changes).toHaveLength(1900);
    expect(new Set(changes.map(line)).size).toBe(1900);
    expect(await ids(two)).toEqual([]);
  });

  it('leaves nothing in the store', async () => {
    const { cluster, one, two } = await scene([{}, {}]);
    await join(one, 'ada', '1.1');
    await one.counts.set('shop', 'news', 3);
    await one.quota.take('shop', 5);
    one.kill();
    await cluster.pass(NODE_LEASE_MS + NOTICE_MS);
    await two.presence.close();
    const lasting = (await cluster.keys()).filter((key) => !/:last:node-0-/.test(key));
    expect(lasting).toEqual(['cluster:v1:{nodes}:watched']);
  });

  it('while it clears up after another one: the next tells what it did not come to tell', async () => {
    let hasReaped = false;
    const victim: { node: Node | null } = { node: null };
    const dying = (link: StoreLink): StoreLink =>
      wrapped(link, {
        call: async (command, ...args) => {
          const answer = await link.call(command, ...args);
          if (args[0] !== REAP.sha1 && args[0] !== REAP.lua) return answer;
          hasReaped = true;
          victim.node?.kill();
          throw new Error('the process has died');
        },
      });
    const { cluster, one, two, toldBriefly } = await scene([{}, { wrap: dying }]);
    victim.node = two;
    await join(one, 'ada', '1.1');
    one.kill();
    await cluster.pass(NODE_LEASE_MS + NOTICE_MS);
    expect([hasReaped, toldBriefly()]).toEqual([true, ['+ada']]);
    const heir = await cluster.open();
    const told: string[] = [];
    heir.presence.observe((change) => told.push(line(change)));
    await cluster.pass(NODE_LEASE_MS + NOTICE_MS + 6000);
    expect(told).toEqual(['shop presence-lobby: ada removed {"from":"1.1"}, orphan_cleanup']);
    expect(await heir.presence.members(LOBBY)).toEqual([]);
  });

  it('is told of by one, however many look at the same time', async () => {
    const { cluster, one, changes } = await scene([{}, {}, {}, {}, {}]);
    const users = Array.from({ length: 50 }, (_, n) => `u${n}`);
    await Promise.all(users.map((user) => join(one, user, '1.1')));
    changes.length = 0;
    one.kill();
    await cluster.pass(NODE_LEASE_MS + NOTICE_MS);
    expect(changes.map(brief).sort()).toEqual(users.map((user) => `-${user}`).sort());
  });
});

describe('a process that was away for longer than its lease', () => {
  it('was taken for dead, and says again whom it has, under another name', async () => {
    const { cluster, one, two, told, toldBriefly } = await scene([{}, {}]);
    await join(one, 'ada', '1.1', { info: 'mine' });
    await join(one, 'bo', '1.2');
    await join(two, 'bo', '2.1');
    toldBriefly();
    one.freeze();
    await cluster.pass(NODE_LEASE_MS + NOTICE_MS);
    expect(toldBriefly()).toEqual(['-ada']);
    expect(await ids(two)).toEqual(['bo']);
    one.thaw();
    await cluster.settle();
    expect(told()).toEqual(['shop presence-lobby: ada added "mine" by 1.1']);
    expect(await ids(two)).toEqual(['bo', 'ada']);
    await cluster.pass(NODE_LEASE_MS + NOTICE_MS);
    expect(toldBriefly()).toEqual([]);
    await two.presence.leave(as('bo', '2.1'), 0, 'left');
    expect(toldBriefly()).toEqual([]);
    await one.presence.leave(as('bo', '1.2'), 0, 'left');
    expect(toldBriefly()).toEqual(['-bo']);
  });

  it('writes nothing under the name that is dead: what it wants meanwhile comes after its return', async () => {
    const { cluster, one, two, toldBriefly } = await scene([{}, {}]);
    await join(one, 'ada', '1.1');
    await join(one, 'bo', '1.2');
    one.freeze();
    await cluster.pass(NODE_LEASE_MS + NOTICE_MS);
    expect(toldBriefly()).toEqual(['+ada', '+bo', '-ada', '-bo']);
    await expect(join(one, 'cy', '1.3')).rejects.toThrow('Presence is not available');
    await expect(one.presence.leave(as('ada', '1.1'), 0, 'left')).rejects.toThrow('not available');
    await cluster.settle();
    expect(await ids(two)).toEqual(['bo']);
    one.thaw();
    await cluster.pass(NODE_LEASE_MS + NOTICE_MS);
    expect(await ids(two)).toEqual(['bo']);
    // Ada may have come again for a moment, but then she went.
    expect(toldBriefly().filter((change) => change !== '+ada' && change !== '-ada')).toEqual(['+bo']);
  });

  it('is alone: nobody took it for dead, and nothing is told', async () => {
    const cluster = new Cluster('redis');
    onTestFinished(() => cluster.close());
    const one = await cluster.open();
    const told: string[] = [];
    one.presence.observe((change) => told.push(brief(change)));
    await join(one, 'ada', '1.1');
    one.freeze();
    await cluster.pass(2 * NODE_LEASE_MS);
    one.thaw();
    await cluster.settle();
    expect([told, await ids(one)]).toEqual([['+ada'], ['ada']]);
  });
});
