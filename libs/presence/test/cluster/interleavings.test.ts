import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PresenceChange } from '../../src/index.js';
import { as, line, LOBBY } from '../samples.js';
import { ClusterModel } from './cluster-model.js';
import { Cluster, NODE_LEASE_MS, type Node } from './nodes.js';
import { NODES, someConnection as connection, socketOf } from './some-connections.js';

/** Time in which every lease of users and dead nodes ends and is reported. */
const LONG_MS = NODE_LEASE_MS + 5000;
const LEASE_MS = 15_000;

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('join' as const), ...connection }) },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('leave' as const), ...connection, leased: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const), node: connection.node }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('absence' as const), node: connection.node }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stop' as const), node: connection.node }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Three processes, of which a dead one is replaced by the next under the same number. */
class Play {
  readonly changes: PresenceChange[] = [];
  readonly #nodes: Node[] = [];

  constructor(private readonly cluster: Cluster) {}

  async open(): Promise<void> {
    for (let at = 0; at < NODES; at += 1) await this.#replace(at);
  }

  get nodes(): readonly Node[] {
    return this.#nodes;
  }

  async take(step: Step, model: ClusterModel): Promise<void> {
    if (step.kind === 'pass') {
      await this.cluster.pass(LONG_MS);
      model.pass();
      return;
    }
    const node = this.#nodes[step.node];
    if (node === undefined) return;
    const { presence } = node;
    switch (step.kind) {
      case 'join':
        await presence.join(as(step.user, socketOf(step)), Infinity);
        model.join(step.node, step.user, socketOf(step));
        return;
      case 'leave':
        await presence.leave(as(step.user, socketOf(step)), step.leased ? LEASE_MS : 0, 'left');
        model.leave(step.node, step.user, socketOf(step), step.leased);
        return;
      case 'kill':
        node.kill();
        model.die(step.node);
        await this.#replace(step.node);
        return;
      case 'stop':
        await presence.close();
        model.die(step.node);
        await this.#replace(step.node);
        await this.cluster.pass(LONG_MS);
        model.pass();
        return;
      case 'absence':
        node.freeze();
        await this.cluster.pass(LONG_MS);
        model.takeForDead(step.node);
        node.thaw();
        await this.cluster.settle();
        model.comeBack(step.node);
        return;
      default:
        step satisfies never;
    }
  }

  async #replace(at: number): Promise<void> {
    const node = await this.cluster.open();
    node.presence.observe((change) => this.changes.push(change));
    this.#nodes[at] = node;
  }
}

describe('processes that come, go, die and come back', () => {
  it('together do as the model, whatever happens in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }), async (steps) => {
        const cluster = new Cluster('redis');
        const play = new Play(cluster);
        const model = new ClusterModel(LOBBY);
        await play.open();
        try {
          for (const next of steps) {
            await play.take(next, model);
            expect(play.changes.splice(0).map(line).sort()).toEqual(model.told());
            for (const { presence } of play.nodes) {
              expect(await presence.members(LOBBY)).toEqual(model.members);
            }
          }
        } finally {
          await cluster.close();
        }
      }),
      { numRuns: 30 },
    );
  });
});
