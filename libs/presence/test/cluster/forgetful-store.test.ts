import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { as, LOBBY } from '../samples.js';
import { ForgetfulStore } from './forgetful-store.js';
import { Cluster, NODE_LEASE_MS, type Node } from './nodes.js';
import { NODES, someConnection as connection, socketOf } from './some-connections.js';
import { openStoreLink } from './store-link.js';

/** Time after which every process has written its holdings again and unowned ones are removed. */
const LONG_MS = NODE_LEASE_MS + 20_000;

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('join' as const), ...connection }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('leave' as const), ...connection }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('count' as const),
      node: connection.node,
      count: fc.nat({ max: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('copy' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('loss' as const) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('notice' as const), node: connection.node }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(2000, 20_000) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Actual state: connections by user, and channel counts by process. Reports must never contradict it. */
class Truth {
  readonly #connections = new Map<string, Set<string>>();
  readonly #believed = new Map<string, { isThere: boolean; serial: number }>();
  /** Counts by process. */
  readonly counts = Array.from({ length: NODES }, () => 0);
  readonly wrong: string[] = [];

  come(user: string, socketId: string): void {
    const known = this.#connections.get(user) ?? new Set();
    this.#connections.set(user, known.add(socketId));
  }

  go(user: string, socketId: string): void {
    this.#connections.get(user)?.delete(socketId);
  }

  /** Present users. */
  get present(): string[] {
    return [...this.#connections].flatMap(([user, sockets]) => (sockets.size > 0 ? [user] : [])).sort();
  }

  /** Present users according to reports. */
  get believed(): string[] {
    return [...this.#believed].flatMap(([user, { isThere }]) => (isThere ? [user] : [])).sort();
  }

  get total(): number {
    return this.counts.reduce((sum, count) => sum + count, 0);
  }

  vacated(): void {
    if (this.total > 0) this.wrong.push('vacated while occupied');
  }

  /** Applies the result of a refresh for unreported users. */
  look(users: readonly string[], serial: number): void {
    for (const user of users) this.tell(user, true, serial);
  }

  /** The change with the highest serial is how it is. */
  tell(user: string, isThere: boolean, serial: number): void {
    if (serial <= (this.#believed.get(user)?.serial ?? 0)) return;
    if (!isThere && this.present.includes(user)) this.wrong.push(`${user} removed while there`);
    this.#believed.set(user, { isThere, serial });
  }
}

async function look({ presence }: Node, truth: Truth): Promise<void> {
  const { members, serial } = await presence.look(LOBBY);
  truth.look(
    members.map(({ userId }) => userId),
    serial,
  );
}

async function take(step: Step, { cluster, store, nodes, truth }: Scene): Promise<void> {
  const node = 'node' in step ? nodes[step.node] : undefined;
  if (step.kind === 'join' && node !== undefined) {
    await node.presence.join(as(step.user, socketOf(step)), Infinity);
    truth.come(step.user, socketOf(step));
  } else if (step.kind === 'leave' && node !== undefined) {
    truth.go(step.user, socketOf(step));
    await node.presence.leave(as(step.user, socketOf(step)), 0, 'left');
  } else if (step.kind === 'count' && node !== undefined) {
    truth.counts[step.node] = step.count;
    await node.counts.set('shop', 'news', step.count);
  } else if (step.kind === 'notice') {
    node?.ledger.restored();
    await cluster.settle();
  } else if (step.kind === 'copy' || step.kind === 'loss') {
    // After all lost holdings have been written again.
    if (store.isLossy) await cluster.pass(LONG_MS);
    store.isLossy = false;
    await (step.kind === 'copy' ? store.copy() : store.lose());
  } else if (step.kind === 'pass') await cluster.pass(step.ms);
}

interface Scene {
  readonly cluster: Cluster;
  readonly store: ForgetfulStore;
  readonly nodes: Node[];
  readonly truth: Truth;
  readonly looking: Promise<void>[];
}

async function scene(): Promise<Scene> {
  const cluster = new Cluster('redis');
  const store = new ForgetfulStore(await openStoreLink('redis'), cluster.prefix);
  const truth = new Truth();
  const nodes: Node[] = [];
  const looking: Promise<void>[] = [];
  for (let at = 0; at < NODES; at += 1) {
    const node = await cluster.open({ wrap: (link) => store.seenBy(link) });
    node.presence.observe(
      (change) => {
        if (change.kind === 'added') truth.tell(change.member.userId, true, change.serial);
        else if (change.kind === 'removed') truth.tell(change.userId, false, change.serial);
      },
      () => void looking.push(look(node, truth)),
    );
    nodes.push(node);
  }
  return { cluster, store, nodes, truth, looking };
}

function checkCounts({ nodes, truth }: Scene): void {
  for (const { counted } of nodes) {
    for (const { kind } of counted.splice(0)) if (kind === 'vacated') truth.vacated();
  }
}

describe('a store that loses what it had confirmed', () => {
  it('makes nobody seem to go who is there, whoever notices first', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30, size: 'max' }), async (steps) => {
        const at = await scene();
        const { cluster, store, nodes, truth, looking } = at;
        try {
          for (const next of steps) {
            await take(next, at);
            checkCounts(at);
            expect(truth.wrong).toEqual([]);
          }
          await cluster.pass(LONG_MS);
          await Promise.all(looking);
          checkCounts(at);
          expect(await nodes[0]?.counts.counts('shop', ['news'])).toEqual([truth.total]);
          expect(truth.wrong).toEqual([]);
          expect(truth.believed).toEqual(truth.present);
          for (const { presence } of nodes) {
            const members = await presence.members(LOBBY);
            expect(members.map(({ userId }) => userId).sort()).toEqual(truth.present);
          }
        } finally {
          await cluster.close();
          await store.close();
        }
      }),
      { numRuns: 40 },
    );
  }, 120_000);
});
