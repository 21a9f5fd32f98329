import { ClusterBroker, type ClusterMeters, type ClusterOptions, newNodeId } from '@carillon/broker';
import type { Action, Plan } from '../../plan/plan.js';
import type { World } from '../../run/core.js';
import { appAt, type Env } from '../../run/env.js';
import { SimulatedBroker } from './broker.js';
import { liveEvent } from './events.js';

const TIMEOUT_MS = 1500;
/** Clocks that drift measure it by at most this much differently. */
const EXACTNESS = 0.99;
/** When, after the last fault, everything must be in order again. */
const PROBE_AFTER_MS = 25_000;

const OPTIONS: ClusterOptions = {
  routing: 'interest',
  isWatching: true,
  heartbeatIntervalMs: 300,
  nodeTimeoutMs: TIMEOUT_MS,
  cleanupIntervalMs: 400,
  discovery: { maxWaitMs: 1000, idleWaitMs: 150 },
  lingerMs: 50,
  confirmTimeoutMs: 2000,
  coalesceMs: 5,
  coalesceMax: 512,
  requestTimeoutMs: 1000,
  quickTimeoutMinMs: 200,
  nodesNumber: null,
  maxMessageBytes: 256 * 1024,
  maxReconnects: null,
};

interface Node {
  readonly broker: ClusterBroker;
  /** When a heartbeat of another node came last, by node id. */
  readonly heardAtMs: Map<string, number>;
  readonly wanted: Set<string>;
  /** The last event of a publisher that was delivered, by publisher and channel. */
  readonly delivered: Map<string, number>;
  readonly probes: Set<string>;
  isReceiving: boolean;
}

const nothing = (): void => undefined;
const METERS = new Proxy({} as ClusterMeters, { get: () => nothing });

/** Nodes with sockets that know each other through a broker. */
export class MembershipWorld implements World {
  readonly #nodes = new Map<number, Node>();
  readonly #broker: SimulatedBroker;
  #published = 0;

  constructor(
    private readonly env: Env,
    private readonly plan: Plan,
  ) {
    this.#broker = new SimulatedBroker(env, (node, bytes) => this.#heard(node, bytes));
  }

  started(node: number): void {
    const { simulation } = this.env;
    const state: Node = {
      broker: new ClusterBroker({
        wire: this.#broker.wire(node),
        options: OPTIONS,
        newNodeId: () => newNodeId(`gw${node}`),
        onFault: (error) => simulation.fail(error),
        meters: () => METERS,
        log: { info: (text, fields) => this.#logged(node, text, fields), warn: nothing, error: nothing },
      }),
      heardAtMs: new Map(),
      wanted: new Set(),
      delivered: new Map(),
      probes: new Set(),
      isReceiving: false,
    };
    this.#nodes.set(node, state);
    state.broker.listen({
      deliver: ({ eventId, appId, channel }) => this.#delivered(node, eventId, `${appId}/${channel}`),
      answer: () => {
        throw new Error('no question is asked here');
      },
    });
  }

  killed(node: number): void {
    this.#broker.drop(node);
    this.#nodes.delete(node);
  }

  act({ name, args }: Action): void {
    const [at = 0, app = 0, channel = 0] = args;
    const node = at % this.plan.nodes;
    if (!this.env.simulation.isUp(node)) return;
    const place = `c${channel % this.plan.channels}`;
    this.env.simulation.deliver(node, 0, `${name} ${appAt(app)}/${place}`, () =>
      this.#do(name, node, appAt(app), place),
    );
  }

  calm(): void {
    const { simulation, plan } = this.env;
    simulation.after(PROBE_AFTER_MS, 'probe', () => {
      for (let node = 0; node < plan.nodes; node += 1)
        simulation.deliver(node, 0, 'probe', () => {
          for (let channel = 0; channel < plan.channels; channel += 1)
            this.#publish(node, appAt(0), `c${channel}`, 'probe');
        });
    });
  }

  finish(): void {
    const living = [...this.#nodes];
    const ids = living.map(([, { broker }]) => broker.nodeId).sort();
    for (const [node, { broker, wanted, probes }] of living) {
      const expected = ids.filter((id) => id !== broker.nodeId).join(' ');
      const actual = [...broker.peers].sort().join(' ');
      if (actual !== expected) this.#report('peers-converge', 'G5', `node ${node} knows ${expected}`, actual);
      for (const [other] of living)
        for (const name of wanted) {
          const probe = `${other} ${name}`;
          if (name.startsWith(`${appAt(0)}/`) && !probes.has(probe))
            this.#report(
              'confirmed-delivery',
              'G1',
              `probe of node ${other} at node ${node}`,
              `none of ${name}`,
            );
        }
    }
  }

  #do(name: string, node: number, app: string, channel: string): void {
    const state = this.#nodes.get(node);
    if (state === undefined) return;
    switch (name) {
      case 'publish':
        return this.#publish(node, app, channel, 'event');
      case 'subscribe':
        if (state.wanted.has(`${app}/${channel}`)) return;
        state.wanted.add(`${app}/${channel}`);
        void state.broker.subscribe(app, channel)?.catch(nothing);
        return;
      case 'unsubscribe':
        if (state.wanted.delete(`${app}/${channel}`)) state.broker.unsubscribe(app, channel);
        return;
      case 'leave':
        void this.#leave(node, state);
    }
  }

  async #leave(node: number, { broker }: Node): Promise<void> {
    const { simulation } = this.env;
    const incarnation = simulation.incarnation(node);
    await broker.close();
    if (simulation.incarnation(node) !== incarnation) return;
    this.env.stop(node, 1000);
  }

  #publish(node: number, app: string, channel: string, kind: string): void {
    const state = this.#nodes.get(node);
    if (state === undefined) return;
    this.#published += 1;
    const publisher = `${kind}:${node}:${this.env.simulation.incarnation(node)}`;
    void state.broker.publish(liveEvent(app, channel, `${publisher}:${this.#published}`))?.catch(nothing);
  }

  #delivered(node: number, eventId: string, channel: string): void {
    const state = this.#nodes.get(node);
    const [kind = '', from = '', incarnation = '', number = ''] = eventId.split(':');
    if (state === undefined) return;
    if (kind === 'probe') state.probes.add(`${from} ${channel}`);
    const key = `${kind}:${from}:${incarnation} ${channel}`;
    const last = state.delivered.get(key) ?? 0;
    if (Number(number) === last) this.#report('live-once', 'G2', `${eventId} once at node ${node}`, 'twice');
    if (Number(number) < last) this.#report('live-order', 'G2', `events after ${last} of ${key}`, number);
    state.delivered.set(key, Number(number));
  }

  #heard(node: number, bytes: Uint8Array): void {
    const state = this.#nodes.get(node);
    if (state === undefined) return;
    state.isReceiving = true;
    // The message is taken within this step; timers run in others.
    queueMicrotask(() => (state.isReceiving = false));
    const found = /"type":"heartbeat".*"node_id":"([^"]+)"|"node_id":"([^"]+)".*"routing"/.exec(
      Buffer.from(bytes).toString(),
    );
    const id = found?.[1] ?? found?.[2];
    if (id !== undefined)
      state.heardAtMs.set(
        id,
        this.env.simulation.inside(node, () => this.env.simulation.elapsedMs),
      );
  }

  #logged(node: number, text: string, fields: { readonly node_id?: unknown } | undefined): void {
    const state = this.#nodes.get(node);
    if (text !== 'node died' || state === undefined || state.isReceiving) return;
    const id = String(fields?.node_id);
    const silentMs = this.env.simulation.elapsedMs - (state.heardAtMs.get(id) ?? -Infinity);
    if (silentMs < TIMEOUT_MS * EXACTNESS)
      this.#report(
        'heard-not-dead',
        'G5',
        `${id} silent for ${TIMEOUT_MS} ms at node ${node}`,
        `${Math.round(silentMs)} ms`,
      );
  }

  #report(invariant: string, promise: string, expected: string, actual: string): void {
    this.env.report({ invariant, promise, expected, actual });
  }
}
