import type { Json } from '@carillon/contracts';
import type { FleetBus } from '@carillon/broker';
import { NODE_REPORT, type Dependency, type NodeReport } from './report.js';

/** Nodes that are remembered; reports of further ones are ignored. */
const MAX_NODES = 2048;
/** Missed intervals after which a node counts as unresponsive. */
const MISSED = 3;
const FORGET_MS = 60_000;
const DEFAULT_INTERVAL_MS = 5000;

/** A node as the API shows it. */
export interface NodeItem extends Omit<NodeReport, 'interval_ms' | 'state'> {
  readonly state: NodeReport['state'] | 'unresponsive';
  readonly age_ms: number;
}

/** A dependency over all nodes. */
export interface DependencyItem {
  readonly name: string;
  /** The worst of all nodes. */
  readonly state: Dependency['state'];
  readonly error: string | null;
  readonly nodes: readonly {
    readonly node_id: string;
    readonly state: Dependency['state'];
    readonly latency_ms: number | null;
    readonly error: string | null;
  }[];
}

interface Entry {
  readonly report: NodeReport;
  readonly receivedMs: number;
}

const WORST: readonly Dependency['state'][] = ['down', 'degraded', 'up'];

/** The newest reports of all processes. */
export class NodeTable {
  readonly #entries = new Map<string, Entry>();
  readonly #ends: readonly (() => void)[];

  constructor(
    bus: Pick<FleetBus, 'onGone' | 'onNotice'>,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.#ends = [
      bus.onNotice('node_report', (nodeId, body) => this.#received(nodeId, body)),
      bus.onGone((nodeId) => void this.#entries.delete(nodeId)),
    ];
  }

  /** In order of node ids. */
  list(): readonly NodeItem[] {
    this.#forget();
    return [...this.#entries.values()].map((entry) => this.#item(entry)).toSorted(byId);
  }

  /** Null if the node is unknown. */
  one(nodeId: string): NodeItem | null {
    this.#forget();
    const entry = this.#entries.get(nodeId);
    return entry === undefined ? null : this.#item(entry);
  }

  /** In order of names. */
  dependencies(): readonly DependencyItem[] {
    const byName = new Map<string, DependencyItem['nodes'][number][]>();
    for (const { node_id, dependencies } of this.list()) {
      for (const { name, state, latency_ms, error } of dependencies) {
        const nodes = byName.get(name) ?? [];
        byName.set(name, nodes);
        nodes.push({ node_id, state, latency_ms, error });
      }
    }
    return [...byName]
      .map(([name, nodes]) => {
        const state = WORST.find((one) => nodes.some((node) => node.state === one)) ?? 'up';
        const error = nodes.find((node) => node.state === state)?.error ?? null;
        return { name, state, error, nodes };
      })
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  stop(): void {
    for (const end of this.#ends) end();
  }

  #received(nodeId: string, body: Json): void {
    if (NODE_REPORT(body) !== null) return;
    const report = body as unknown as NodeReport;
    const hasRoom = this.#entries.has(nodeId) || this.#entries.size < MAX_NODES;
    if (report.node_id === nodeId && hasRoom) this.#entries.set(nodeId, { report, receivedMs: this.nowMs() });
  }

  #item({ report, receivedMs }: Entry): NodeItem {
    const { interval_ms: intervalMs = DEFAULT_INTERVAL_MS, state, ...rest } = report;
    const age_ms = Math.round(this.nowMs() - receivedMs);
    return { ...rest, state: age_ms > MISSED * intervalMs ? 'unresponsive' : state, age_ms };
  }

  #forget(): void {
    for (const [nodeId, { receivedMs }] of this.#entries)
      if (this.nowMs() - receivedMs > FORGET_MS) this.#entries.delete(nodeId);
  }
}

const byId = (one: NodeItem, other: NodeItem): number => (one.node_id < other.node_id ? -1 : 1);
