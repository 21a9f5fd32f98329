import type { Json } from '@carillon/contracts';
import type { Subscriber } from '@carillon/realtime';
import { TailLimiter } from './limiter.js';
import { FORGET_MS, type TailStart } from './options.js';
import type { Trace } from './trace.js';

const BATCH_MS = 50;
const BATCH_BYTES = 64 * 1024;
/** Estimated bytes of a trace beside its payload and channel. */
const TRACE_BYTES = 320;

/** Fields of a trace that its kind adds. */
export type TraceFields = Readonly<Record<string, boolean | number | string | null>>;

/** Sends a batch to the observer. */
export type SendTraces = (observer: string, body: Json) => void;

interface Batched {
  readonly kind: Trace['kind'];
  readonly direction: Trace['direction'];
  readonly at_ms: number;
  readonly fields: TraceFields;
}

/** One tail on one node: selects, limits and batches traces before they are serialized. */
export class NodeTail {
  readonly #limiter: TailLimiter;
  #batch: Batched[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | null = null;
  #renewedMs = performance.now();

  constructor(
    private current: TailStart,
    private readonly send: SendTraces,
  ) {
    const options = current;
    this.#limiter = new TailLimiter({ eventsPerSecond: options.max_events_per_second });
  }

  get options(): TailStart {
    return this.current;
  }

  get isOverdue(): boolean {
    return performance.now() - this.#renewedMs > FORGET_MS;
  }

  /** Whether it is about single connections: those of a user, or one. */
  get isOfConnections(): boolean {
    const { user_id, socket_id } = this.options.target;
    return user_id !== undefined || socket_id !== undefined;
  }

  get isOfApp(): boolean {
    const { channel, user_id, socket_id } = this.options.target;
    return channel === undefined && user_id === undefined && socket_id === undefined;
  }

  /** The observer may have another node id by now. */
  renew(options: TailStart): void {
    this.current = options;
    this.#renewedMs = performance.now();
  }

  /** Whether it selects events of a channel, whoever causes them. */
  selectsChannel(channel: string | null): boolean {
    const { target } = this.options;
    return target.channel === undefined ? this.isOfApp : target.channel === channel;
  }

  /** Whether it selects this connection in particular. */
  selectsConnection(subscriber: Subscriber): boolean {
    const { socket_id: socketId, user_id: userId } = this.options.target;
    if (socketId !== undefined) return subscriber.id === socketId;
    if (userId === undefined) return false;
    return subscriber.traits.userId === userId || subscriber.presenceUserId === userId;
  }

  /** `fields` is called only if the trace is within the limits. `size`: bytes of the payload and the channel. */
  offer(kind: Trace['kind'], direction: Trace['direction'], size: number, fields: () => TraceFields): void {
    const { payload, max_data_bytes: max } = this.options;
    const bytes = TRACE_BYTES + (payload === 'full' ? Math.min(size, max) : 0);
    if (this.#limiter.admits(bytes)) {
      this.#batch.push({ kind, direction, at_ms: Date.now(), fields: fields() });
      this.#bytes += bytes;
    }
    if (this.#bytes >= BATCH_BYTES) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), BATCH_MS).unref();
  }

  /** Sends what is batched, with the numbers left out. `always`: also if there is nothing. */
  flush(always = false): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#batch.length === 0 && !this.#limiter.hasDropped && !always) return;
    const traces = this.#batch.map((one) => ({ ...one }));
    this.#batch = [];
    this.#bytes = 0;
    const { tail_id, reply_to } = this.options;
    this.send(reply_to, { tail_id, traces, dropped: { ...this.#limiter.takeDropped() } });
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
