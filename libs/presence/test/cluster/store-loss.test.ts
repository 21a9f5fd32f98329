import { describe, expect, it, onTestFinished } from 'vitest';
import { APPLY, NOTE } from '../../src/cluster/scripts.js';
import type { StoreLink } from '../../src/cluster/store.js';
import { as, line, LOBBY } from '../samples.js';
import { ForgetfulStore } from './forgetful-store.js';
import { Cluster, type Node } from './nodes.js';
import { openStoreLink } from './store-link.js';
import { wrapped } from './wrapped-link.js';

const BEAT_MS = 10_000;
/** Time after which every process has written its holdings again and unowned ones are removed. */
const LONG_MS = 40_000;

const ADDED = 'shop presence-lobby: ada added {"from":"1.1"} by 1.1';

const join = ({ presence }: Node, ...who: Parameters<typeof as>) => presence.join(as(...who), Infinity);
const leave = ({ presence }: Node, ...who: Parameters<typeof as>) => presence.leave(as(...who), 0, 'left');

async function scene() {
  const cluster = new Cluster('redis');
  const store = new ForgetfulStore(await openStoreLink('redis'), cluster.prefix);
  onTestFinished(async () => {
    await cluster.close();
    await store.close();
  });
  const told: string[] = [];
  let onNote: (() => void) | null = null;
  let onApplied: (() => Promise<void>) | null = null;
  const noting = (link: StoreLink): StoreLink =>
    wrapped(link, {
      call: async (command, ...args) => {
        if (args[0] === NOTE.sha1) onNote?.();
        const reply = await link.call(command, ...args);
        if (args[0] === APPLY.sha1 || args[0] === APPLY.lua) await onApplied?.();
        return reply;
      },
    });
  const open = async (): Promise<Node> => {
    const node = await cluster.open({ wrap: (link) => noting(store.seenBy(link)) });
    node.presence.observe((change) => told.push(line(change)));
    return node;
  };
  const notice = async ({ ledger }: Node): Promise<void> => {
    ledger.restored();
    await cluster.settle();
  };
  const nodes = [await open(), await open(), await open()] as const;
  return {
    cluster,
    store,
    nodes,
    notice,
    told: () => told.splice(0),
    /** Runs a callback when a process next registers a shard. */
    whenNoted: (happens: () => void) => {
      onNote = () => {
        onNote = null;
        happens();
      };
    },
    /** Runs a callback between the next change of the store and its answer. */
    beforeAnswer: (happens: () => Promise<void>) => {
      onApplied = () => {
        onApplied = null;
        return happens();
      };
    },
  };
}

/** Ada was there, and stays on a lease. */
async function leased() {
  const all = await scene();
  const [one] = all.nodes;
  await join(one, 'ada', '1.1');
  await one.presence.leave(as('ada', '1.1'), 15_000, 'connection_lost');
  all.told();
  return all;
}

/** Ada was there, and left after a copy was made. */
async function leftBehind() {
  const all = await scene();
  const [one] = all.nodes;
  await join(one, 'ada', '1.1');
  await all.store.copy();
  await leave(one, 'ada', '1.1');
  all.told();
  return all;
}

describe('after a store has lost what it had confirmed', () => {
  it('who had gone after its copy was made and comes again is told to have come', async () => {
    const { store, nodes, notice, told } = await leftBehind();
    const [one] = nodes;
    await store.lose();
    await notice(one);
    await join(one, 'ada', '1.1');
    expect(told()).toEqual([ADDED]);
  });

  it('a process looks at what is left of its own before it says anything', async () => {
    const { store, nodes, told } = await leftBehind();
    const [one] = nodes;
    await store.lose();
    await join(one, 'ada', '1.1');
    expect(told()).toEqual([ADDED]);
  });

  it('who stays for a while after going does so, and is told to be gone in the end', async () => {
    const { cluster, store, nodes, notice, told } = await leased();
    const [one, two] = nodes;
    await store.lose();
    await notice(one);
    expect([await two.presence.present(LOBBY, ['ada']), told()]).toEqual([new Set(['ada']), []]);
    await cluster.pass(LONG_MS);
    expect(told()).toEqual(['shop presence-lobby: ada removed {"from":"1.1"}, connection_lost']);
    expect(await two.presence.present(LOBBY, ['ada'])).toEqual(new Set());
  });

  it('again while it is told, nothing of it is different', async () => {
    const { cluster, store, nodes, notice, told, whenNoted } = await leased();
    const [one, two] = nodes;
    await store.lose();
    whenNoted(() => (store.losses += 1));
    await notice(one);
    await cluster.pass(LONG_MS);
    expect(told()).toEqual(['shop presence-lobby: ada removed {"from":"1.1"}, connection_lost']);
    expect(await two.presence.present(LOBBY, ['ada'])).toEqual(new Set());
  });

  it('and no connection was lost over it, a process that finds itself forgotten waits for the others', async () => {
    const { cluster, store, nodes, told } = await scene();
    const [one, two] = nodes;
    await join(one, 'ada', '1.1');
    await join(two, 'ada', '2.1');
    told();
    two.freeze();
    await store.lose({ isUnseen: true });
    await cluster.pass(BEAT_MS);
    await leave(one, 'ada', '1.1');
    two.thaw();
    await cluster.pass(LONG_MS);
    expect(told()).toEqual([ADDED]);
    expect(await one.presence.present(LOBBY, ['ada'])).toEqual(new Set(['ada']));
  });

  it('whoever a process added under the name that was forgotten is told of', async () => {
    const { cluster, store, nodes, told, beforeAnswer } = await scene();
    const [one] = nodes;
    await store.lose({ isUnseen: true });
    const { nodeId } = one.ledger;
    beforeAnswer(async () => {
      one.ledger.restored();
      while (one.ledger.nodeId === nodeId) await new Promise((later) => setImmediate(later));
    });
    await join(one, 'ada', '1.1');
    await cluster.pass(LONG_MS);
    expect(told()).toEqual([ADDED]);
    expect(await one.presence.present(LOBBY, ['ada'])).toEqual(new Set(['ada']));
  });

  it('what a dead process had is taken back once the others have said what they have', async () => {
    const { cluster, store, nodes, notice, told } = await scene();
    const [one, two, dead] = nodes;
    await join(dead, 'ada', '3.1');
    await join(dead, 'bo', '3.2');
    dead.kill();
    await cluster.pass(2 * BEAT_MS);
    await store.copy();
    await join(two, 'ada', '2.1');
    await cluster.pass(BEAT_MS);
    told();
    await store.lose();
    await notice(one);
    await cluster.pass(LONG_MS);
    expect(told()).toEqual(['shop presence-lobby: bo removed {"from":"3.2"}, orphan_cleanup']);
    expect(await one.presence.present(LOBBY, ['ada', 'bo'])).toEqual(new Set(['ada']));
  });

  it('in part, a process that dies later is cleared up after all the same', async () => {
    const { cluster, store, nodes, notice, told } = await scene();
    const [one] = nodes;
    await join(one, 'ada', '1.1');
    told();
    await store.loseNotes();
    await notice(one);
    one.kill();
    await cluster.pass(LONG_MS);
    expect(told()).toEqual(['shop presence-lobby: ada removed {"from":"1.1"}, orphan_cleanup']);
  });

  it('whoever remembers who is there is asked to look, when everything has been said again', async () => {
    const cluster = new Cluster('redis');
    onTestFinished(() => cluster.close());
    const one = await cluster.open();
    let looks = 0;
    one.presence.observe(
      () => {},
      () => (looks += 1),
    );
    one.ledger.restored();
    await cluster.pass(BEAT_MS);
    expect(looks).toBe(0);
    await cluster.pass(BEAT_MS);
    expect(looks).toBe(1);
  });
});
