import { isOver, streamStatus } from './status.js';

/** A record of a channel on its way to the subscribers of one window. */
export interface RolledRecord {
  readonly serial: number;
  /** Null: not a mutable message. */
  readonly messageSerial: string | null;
  readonly action: 'append' | 'create' | 'delete' | 'other' | 'update';
  /** Fragment of an append. */
  readonly fragment: string;
  /** JSON text; of an append. */
  readonly extrasText: string | null;
}

/** A record to send: unchanged, or the last of several appends with all their fragments. */
export interface Rolled<Item extends RolledRecord> {
  readonly last: Item;
  readonly fragment: string;
  /** The first serial it covers; null: it is one record. */
  readonly fromSerial: number | null;
  /** Number of records it stands for. */
  readonly count: number;
  /** Whether it confirms everything up to its serial: the last of records sent together. */
  readonly tellsPosition: boolean;
}

export interface RollupLimits {
  readonly windowMs: number;
  /** Streams beyond are not held back. */
  readonly maxStreams: number;
  readonly orphanTtlMs: number;
  /** Fragments held back in one channel; beyond, they are sent. */
  readonly maxPendingBytes: number;
}

interface Tracked<Item> {
  deadlineMs: number;
  lastMs: number;
  pending: { first: number; last: Item; fragments: string[]; bytes: number } | null;
}

/**
 * Coalesces the appends of one channel's streams in a window: the first append of a stream is sent immediately, later
 * ones before its deadline are sent together. Pending appends precede any other message of the channel, so that a
 * position never claims unsent messages. Pure: given records and times, it returns the records to send.
 */
export class Rollup<Item extends RolledRecord> {
  readonly #streams = new Map<string, Tracked<Item>>();
  #pendingBytes = 0;

  constructor(private readonly limits: RollupLimits) {}

  get tracked(): number {
    return this.#streams.size;
  }

  /** When something is due; null: never. */
  get dueMs(): number | null {
    let due: number | null = null;
    for (const { deadlineMs, pending } of this.#streams.values())
      if (pending !== null && (due === null || deadlineMs < due)) due = deadlineMs;
    return due;
  }

  /** Returns the records to send because of a record. */
  take(item: Item, nowMs: number): Rolled<Item>[] {
    const { messageSerial } = item;
    const stream = messageSerial === null ? undefined : this.#streams.get(messageSerial);
    if (item.action !== 'append' || messageSerial === null || isOver(streamStatus(item.extrasText))) {
      const sent = this.#flushed();
      if (messageSerial !== null) this.#streams.delete(messageSerial);
      return together([...sent, whole(item)]);
    }
    if (stream !== undefined && nowMs < stream.deadlineMs) {
      this.#hold(stream, item, nowMs);
      return this.#pendingBytes > this.limits.maxPendingBytes ? together(this.#flushed()) : [];
    }
    const sent = together([...this.#flushed(), whole(item)]);
    if (stream === undefined && this.#streams.size >= this.limits.maxStreams) this.#forgetPast(nowMs);
    if (this.limits.windowMs > 0 && (stream !== undefined || this.#streams.size < this.limits.maxStreams))
      this.#streams.set(messageSerial, {
        deadlineMs: nowMs + this.limits.windowMs,
        lastMs: nowMs,
        pending: null,
      });
    return sent;
  }

  /** Returns the records to send because of the time: all pending ones once any is due. */
  tick(nowMs: number): Rolled<Item>[] {
    const due = this.dueMs;
    for (const [serial, { pending, lastMs }] of this.#streams)
      if (pending === null && nowMs - lastMs > this.limits.orphanTtlMs) this.#streams.delete(serial);
    if (due === null || due > nowMs) return [];
    return this.drain();
  }

  /** Returns all pending records; those streams restart their window. */
  drain(): Rolled<Item>[] {
    const held = [...this.#streams].filter(([, { pending }]) => pending !== null).map(([serial]) => serial);
    const sent = together(this.#flushed());
    for (const serial of held) this.#streams.delete(serial);
    return sent;
  }

  /**
   * Removes streams whose window is over and that have nothing pending: their next append is sent immediately anyway.
   */
  #forgetPast(nowMs: number): void {
    for (const [serial, { pending, deadlineMs }] of this.#streams)
      if (pending === null && deadlineMs <= nowMs) this.#streams.delete(serial);
  }

  #hold(stream: Tracked<Item>, item: Item, nowMs: number): void {
    const bytes = Buffer.byteLength(item.fragment);
    stream.pending ??= { first: item.serial, last: item, fragments: [], bytes: 0 };
    stream.pending.last = item;
    stream.pending.fragments.push(item.fragment);
    stream.pending.bytes += bytes;
    stream.lastMs = nowMs;
    this.#pendingBytes += bytes;
  }

  #flushed(): Rolled<Item>[] {
    const sent: Rolled<Item>[] = [];
    for (const stream of this.#streams.values()) {
      const { pending } = stream;
      if (pending === null) continue;
      const isOne = pending.fragments.length === 1;
      sent.push({
        last: pending.last,
        fragment: pending.fragments.join(''),
        fromSerial: isOne ? null : pending.first,
        count: pending.fragments.length,
        tellsPosition: true,
      });
      stream.pending = null;
    }
    this.#pendingBytes = 0;
    return sent.sort((one, other) => one.last.serial - other.last.serial);
  }
}

const whole = <Item extends RolledRecord>(item: Item): Rolled<Item> => ({
  last: item,
  fragment: item.fragment,
  fromSerial: null,
  count: 1,
  tellsPosition: true,
});

/** Marks the last of several frames sent together, which alone carries the position. */
const together = <Item extends RolledRecord>(all: readonly Rolled<Item>[]): Rolled<Item>[] =>
  all.map((one, index) => (index === all.length - 1 ? one : { ...one, tellsPosition: false }));
