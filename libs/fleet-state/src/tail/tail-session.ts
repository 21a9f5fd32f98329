import type { ObservedMessage } from '@carillon/broker';
import type { Metrics } from '@carillon/runtime';
import { TailLimiter } from './limiter.js';
import { messageFields } from './message-fields.js';
import type { TailStart } from './options.js';
import type { TailReader } from './reader.js';
import { isSampled } from './sampling.js';
import { DROP_REASONS, shownData, type TailTraces, type Trace } from './trace.js';

/** Why a tail ended; null: the reader disconnected, which is told to nobody. */
export type TailEnd = 'app_deleted' | 'draining' | 'session_ended' | 'time';

const PING_MS = 15_000;
/** Longest time until left out traces are told when no further ones follow. */
const GAP_MS = 1000;
/** Bytes around the JSON of an event. */
const EVENT_BYTES = 40;

/** One tail as its reader sees it: limits the traces of all nodes together and numbers them. */
export class TailSession {
  readonly #limiter: TailLimiter;
  readonly #pinging: NodeJS.Timeout;
  readonly #gaps: NodeJS.Timeout;
  #id = 0;
  #nodes: Set<string>;
  #missing: Set<string>;

  constructor(
    readonly options: TailStart,
    private readonly reader: TailReader,
    private readonly metrics: Pick<Metrics, 'counter'>,
    covers: {
      readonly nodes: readonly string[];
      readonly missing: readonly string[];
      readonly expiresAtMs: number;
    },
  ) {
    this.#limiter = new TailLimiter({ eventsPerSecond: options.max_events_per_second });
    this.#nodes = new Set(covers.nodes);
    this.#missing = new Set(covers.missing);
    const { tail_id, app_id, target, sample, payload } = options;
    const { expiresAtMs: expires_at_ms, nodes, missing: missing_nodes } = covers;
    reader.event('open', { tail_id, app_id, target, sample, payload, expires_at_ms, nodes, missing_nodes });
    this.#pinging = setInterval(() => reader.ping(), PING_MS).unref();
    this.#gaps = setInterval(() => this.#flushGaps(), GAP_MS).unref();
  }

  /** A message of the tailed channel or app was accepted. */
  accepted({ message, socketId, nodeId: node_id }: ObservedMessage): void {
    if (!isSampled(message.messageId, this.options.sample)) return;
    this.#trace({
      kind: 'message',
      direction: 'in',
      at_ms: Date.now(),
      node_id,
      ...messageFields(message, socketId),
      ...shownData(message.dataText, this.options),
    });
  }

  /** Selected messages were left out before the reader was connected. */
  left(count: number): void {
    if (count === 0) return;
    this.#limiter.drop('buffer', count);
    this.#flushGaps();
  }

  /** A node sent a batch. */
  received(nodeId: string, { traces, dropped }: TailTraces): void {
    this.answered(nodeId);
    for (const { kind, direction, at_ms, fields } of traces) {
      if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) continue;
      this.#trace({ ...(fields as object), kind, direction, at_ms, node_id: nodeId } as Trace);
    }
    for (const reason of DROP_REASONS) {
      const count = dropped[reason] ?? 0;
      if (count > 0) this.#limiter.drop(reason, count);
    }
    this.#flushGaps();
  }

  /** A node feeds the tail; it may have joined since the last renewal. */
  answered(nodeId: string): void {
    if (this.#nodes.has(nodeId)) return;
    this.#nodes.add(nodeId);
    this.#missing.delete(nodeId);
    this.#tellNodes();
  }

  /** A gateway left: its traces end. */
  gone(nodeId: string): void {
    const wasKnown = this.#nodes.delete(nodeId);
    if (this.#missing.delete(nodeId) || wasKnown) this.#tellNodes();
  }

  /** Gateways that do not answer now. */
  missing(nodeIds: readonly string[]): void {
    const changed = nodeIds.filter((nodeId) => !this.#missing.has(nodeId));
    if (changed.length === 0) return;
    for (const nodeId of changed) {
      this.#missing.add(nodeId);
      this.#nodes.delete(nodeId);
    }
    this.#tellNodes();
  }

  /** Null: the reader is gone. */
  end(reason: TailEnd | null): void {
    clearInterval(this.#pinging);
    clearInterval(this.#gaps);
    if (reason === null) return;
    this.#flushGaps();
    this.reader.end(reason);
  }

  #tellNodes(): void {
    const nodes = [...this.#nodes].toSorted();
    this.reader.event('nodes', { nodes, missing_nodes: [...this.#missing].toSorted() });
  }

  #trace(trace: Trace): void {
    const bytes = Buffer.byteLength(JSON.stringify(trace)) + EVENT_BYTES;
    if (!this.reader.hasRoom(bytes)) {
      this.#limiter.drop('buffer');
      return;
    }
    if (!this.#limiter.admits(bytes)) return;
    this.#flushGaps();
    this.#id += 1;
    this.reader.event('trace', orderedTrace(trace), this.#id);
    this.metrics.counter('management_traces_total').for().add();
  }

  #flushGaps(): void {
    if (!this.#limiter.hasDropped || !this.reader.hasRoom(EVENT_BYTES)) return;
    const dropped = this.#limiter.takeDropped();
    for (const reason of DROP_REASONS) {
      const count = dropped[reason] ?? 0;
      if (count === 0) continue;
      this.reader.gap(count, reason);
      this.metrics.counter('management_traces_dropped_total').for({ reason }).add(count);
    }
  }
}

/** The members that every trace has come first. */
function orderedTrace({ kind, direction, at_ms, node_id, ...fields }: Trace): object {
  return { kind, direction, at_ms, node_id, ...fields };
}
