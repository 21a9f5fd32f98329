import { CommitClient, type LaneEvents, RemoteLanes, systemClock, Writer } from '@carillon/history-writer';
import type { CommitRecord, CommitResult, FanOutRecordBody } from '@carillon/contracts';
import { type Changes, StoreFailure } from '@carillon/history-store';
import type { Action, Plan } from '../../plan/plan.js';
import type { World } from '../../run/core.js';
import { appAt, type Env } from '../../run/env.js';
import { remote } from '../../run/remote.js';
import { SimulatedLanes } from './broker.js';
import { ObservedStore } from './observed-store.js';
import { publishRecord, purgeRecord, resetRecord } from './records.js';

const STORE = 100;
const LANES = 4;
const BUDGET_MS = 5000;
/** Answers come within the budget of the client and one more step of its timers. */
const ANSWER_WITHIN_MS = BUDGET_MS + 1000;
const PROBE_AFTER_MS = 20_000;
const PROBE_AGAIN_MS = 400;

const nothing = (): void => undefined;
const failure = (): Error => new StoreFailure('timeout', 'the store did not answer');
const EVENTS: LaneEvents = {
  retried: nothing,
  recordFailed: nothing,
  committed: nothing,
  arrived: nothing,
  waited: nothing,
  answered: nothing,
  handedOver: nothing,
  resent: nothing,
  handOverFailed: nothing,
};

interface Request {
  readonly isProbe: boolean;
  readonly node: number;
  readonly app: string;
  readonly channel: string;
}

interface LaneNode {
  readonly client: CommitClient;
  readonly writer: Writer;
}

/** Publishers and history writers on every node, over one database and one broker. */
export class LanesWorld implements World {
  readonly store: ObservedStore;
  readonly broker: SimulatedLanes;
  readonly #nodes = new Map<number, LaneNode>();
  /** Publishes without an answer, with the time by which it must come. */
  readonly #open = new Map<string, number>();
  readonly #probes = new Set<string>();
  #published = 0;

  constructor(
    protected readonly env: Env,
    protected readonly plan: Plan,
  ) {
    this.store = new ObservedStore(env, (changes) => this.committed(changes));
    this.broker = new SimulatedLanes(
      env,
      (record) => this.#mustBeCommitted(record),
      (record) => this.store.shadows.get(record.stream_id ?? '')?.handed.add(record.serial ?? 0),
      (node, record) => this.arrived(node, record),
    );
  }

  /** The store as code of a node reaches it. */
  reach(): ObservedStore {
    return remote(this.env, this.store, { server: STORE, failure });
  }

  started(node: number): void {
    const { simulation } = this.env;
    const end = this.broker.open(node);
    const id = `w${node}-${simulation.incarnation(node)}`;
    const store = this.reach();
    const client = new CommitClient(
      { clock: systemClock, transport: new RemoteLanes(end), random: () => Math.random(), resent: nothing },
      { lanes: LANES, nodeId: id, budgetMs: BUDGET_MS, maxRecordBytes: 1 << 20 },
    );
    const writer = new Writer(
      {
        broker: end,
        store,
        clock: systemClock,
        lane: { newStreamId: () => simulation.random.uuid(), events: EVENTS },
        events: {
          taken: nothing,
          released: nothing,
          buried: nothing,
          mismatched: nothing,
          dropped: nothing,
          failed: nothing,
        },
      },
      { lanes: LANES, writerId: id, nodeId: id, queueCapacity: this.plan.capacity ?? 4096 },
    );
    this.#nodes.set(node, { client, writer });
    void this.#begin(node, writer);
  }

  killed(node: number): void {
    this.broker.ends.delete(node);
    this.#nodes.delete(node);
    for (const name of this.#open.keys()) if (name.startsWith(`${node} `)) this.#open.delete(name);
  }

  act({ name, args }: Action): void {
    const [at = 0, app = 0, channel = 0, key = 0] = args;
    const node = at % this.plan.nodes;
    if (!this.env.simulation.isUp(node)) return;
    this.env.simulation.deliver(node, 0, name, () => {
      if (name === 'drain') void this.#drain(node);
      else this.#commit(name, node, appAt(app), `c${channel % this.plan.channels}`, key);
    });
  }

  calm(): void {
    const { simulation, plan } = this.env;
    simulation.after(PROBE_AFTER_MS, 'probe', () => {
      for (let node = 0; node < plan.nodes; node += 1)
        simulation.deliver(node, 0, 'probe', () => {
          for (let channel = 0; channel < plan.channels; channel += 1) {
            this.#probes.add(`${node} c${channel}`);
            this.#commit('probe', node, appAt(channel), `c${channel}`, 1);
          }
        });
    });
  }

  check(): void {
    const [first] = this.#open;
    if (first === undefined) return;
    const [name, untilMs] = first;
    const node = Number(name.split(' ')[0]);
    const isHeldUp =
      this.env.simulation.isFrozen(node) ||
      this.plan.fault === 'process-freeze' ||
      this.plan.fault === 'clock-jump';
    if (this.env.simulation.nowMs > untilMs && !isHeldUp)
      this.report('answered', 'G1', `${name} answered in its budget`, 'no answer');
  }

  finish(): void | Promise<void> {
    for (const probe of this.#probes)
      this.report('lanes-served', 'G1', `probe ${probe} committed`, 'it was not');
    for (const { channel, records, handed, streamId, purgedBelow } of this.store.shadows.values()) {
      const missing = records.find(({ serial }) => serial >= purgedBelow && !handed.has(serial));
      if (missing !== undefined)
        this.report(
          'handed-over',
          'G1',
          `serial ${missing.serial} of ${channel} (${streamId}) handed over`,
          'never',
        );
    }
  }

  protected committed(_changes: Changes): void {}

  protected arrived(_node: number, _record: FanOutRecordBody): void {}

  protected report(invariant: string, promise: string, expected: string, actual: string): void {
    this.env.report({ invariant, promise, expected, actual });
  }

  async #begin(node: number, writer: Writer): Promise<void> {
    for (;;) {
      try {
        return await writer.start();
      } catch {
        if (this.#nodes.get(node)?.writer !== writer) return;
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }

  async #drain(node: number): Promise<void> {
    const { simulation } = this.env;
    const incarnation = simulation.incarnation(node);
    await this.#nodes.get(node)?.writer.leave();
    if (simulation.incarnation(node) === incarnation) this.env.stop(node, 500);
  }

  #commit(name: string, node: number, app: string, channel: string, key: number): void {
    const client = this.#nodes.get(node)?.client;
    if (client === undefined) return;
    this.#published += 1;
    const { random } = this.env.simulation;
    const pubId = random.uuid();
    const isKeyed = name === 'publish' && key % 4 === 0;
    const record: CommitRecord =
      name === 'reset'
        ? resetRecord(app, channel, pubId)
        : name === 'purge'
          ? purgeRecord(app, channel, pubId)
          : publishRecord({
              app,
              channel,
              pubId,
              messageId: isKeyed ? `k${key % 40}` : pubId,
              key: isKeyed ? `k${key % 40}` : null,
            });
    const label = `${node} ${this.#published}`;
    this.#open.set(label, this.env.simulation.nowMs + ANSWER_WITHIN_MS);
    void this.#conclude(client, record, label, { isProbe: name === 'probe', node, app, channel });
  }

  async #conclude(
    client: CommitClient,
    record: CommitRecord,
    label: string,
    { isProbe, node, app, channel }: Request,
  ): Promise<void> {
    const [result] = await client.commit([record]);
    this.#open.delete(label);
    this.#answered(record, result);
    if (!isProbe) return;
    if (result?.status === 'applied') this.#probes.delete(`${node} ${channel}`);
    else setTimeout(() => this.#commit('probe', node, app, channel, 1), PROBE_AGAIN_MS);
  }

  #answered(record: CommitRecord, result: CommitResult | undefined): void {
    const isOk = result?.status === 'applied' || result?.status === 'duplicate';
    if (!isOk || record.op !== 'publish') return;
    const name = `${record.app_id}/${record.channel} ${record.message_id}`;
    const place = `${result.stream_id} ${result.delivery_serial}`;
    const stored = this.store.serials.get(name) ?? [];
    // A reset ends the stream of a receipt, which then names none.
    const isKnown = stored.some(
      (one) => one === place || (result.stream_id === null && one.endsWith(` ${result.delivery_serial}`)),
    );
    if (!isKnown)
      this.report('answered-stored', 'G1', `${name} stored at ${place}`, stored.join(', ') || 'absent');
  }

  #mustBeCommitted({ stream_id: streamId, serial, op }: FanOutRecordBody): void {
    if (op === 'reset' || op === 'purge') return;
    const stream = this.store.shadows.get(streamId ?? '');
    if (stream?.records.some((one) => one.serial === serial) !== true)
      this.report(
        'committed-before-fan-out',
        'G1',
        `serial ${serial} of ${streamId} committed`,
        'handed over before',
      );
  }
}
