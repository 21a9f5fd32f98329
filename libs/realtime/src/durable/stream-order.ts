import type { FanOutRecordBody } from '@carillon/contracts';
import { RecentIds } from './recent-ids.js';

/** The head of a channel as reported by a store. */
export interface Head {
  readonly streamId: string;
  /** Serial of the next record. */
  readonly next: number;
  /** The store knows that all records before this serial were handed to the gateways. Absent: all before `next`. */
  readonly handedOver?: number;
  /** Newest history serial. Absent: the stream has no history. */
  readonly historySerial?: number;
}

/** A record with a serial in a stream. */
export type Ordered = Pick<
  FanOutRecordBody,
  'history_serial' | 'message_id' | 'old_stream_id' | 'op' | 'serial' | 'stream_id'
>;

/** A delivered message. */
export interface Delivered {
  readonly serial: number;
  readonly messageId: string;
}

/** Range of missing serials, both inclusive. */
export interface Gap {
  readonly fromSerial: number;
  readonly toSerial: number;
}

/** A record read again, or only its serial if its content was purged. */
export type Refetched<Record extends Ordered = FanOutRecordBody> = Record | number;

/** Limit of held records; beyond it the missing ones are given up. */
export const MAX_HELD = 1000;

/**
 * Restores the stream order of the records of one channel, which may be duplicated, late, out of order or lost. Pure:
 * the caller reads heads and ranges and passes the results. The delivered position never decreases within a stream.
 */
export class StreamOrder<Record extends Ordered = FanOutRecordBody> {
  /** Null: the channel had no stream. Undefined: not known yet. */
  #streamId: string | null | undefined;
  #next = 1;
  /** The store has at least the records before this serial. */
  #knownNext = 1;
  /** Records from here up to `#next` may arrive late: they were in flight when the position was set. */
  #lateFrom = 1;
  #historyHead = 0;
  /** Records of the stream that wait for missing ones before them. */
  readonly #held = new Map<number, Record>();
  /** Records received before the position was known, or of an unknown stream. */
  #strange: Record[] = [];
  #gapSinceMs: number | null = null;
  readonly #recent = new RecentIds();
  /** Time of the last input. */
  #nowMs = 0;

  /**
   * `another` is called with the message delivered under a serial that a record of another message arrived with;
   * `givenUp` with the position behind which records are missing for good, before later ones are delivered.
   */
  constructor(
    private readonly deliver: (record: Record) => void,
    private readonly another: (delivered: Delivered) => void = () => undefined,
    private readonly givenUp: (at: Head | null) => void = () => undefined,
  ) {}

  /** Whether the position of the channel is known. */
  get isPlaced(): boolean {
    return this.#streamId !== undefined;
  }

  /** The position, for comparison with later heads. Null: the channel has no stream yet. */
  get position(): Head | null {
    return typeof this.#streamId === 'string' ? { streamId: this.#streamId, next: this.#next } : null;
  }

  /** Id of the last delivered message; null: it has none, or it has expired. */
  get lastMessageId(): string | null {
    return this.#recent.idOf(this.#next - 1, this.#nowMs);
  }

  /** Highest delivered history serial. */
  get historyHead(): number {
    return this.#historyHead;
  }

  /** Whether a record waits for the head to be read. */
  get needsHead(): boolean {
    return !this.isPlaced || this.#strange.length > 0;
  }

  /** The missing range, bounded by `MAX_HELD`; null: nothing is missing. */
  get gap(): Gap | null {
    const before = this.#held.size > 0 ? Math.min(...this.#held.keys()) : this.#knownNext;
    if (before <= this.#next) return null;
    return { fromSerial: Math.max(this.#next, before - MAX_HELD), toSerial: before - 1 };
  }

  /** Start of the gap; null: nothing is missing. */
  get gapSinceMs(): number | null {
    return this.#gapSinceMs;
  }

  take(record: Record, nowMs: number): void {
    this.#nowMs = nowMs;
    if (record.op === 'reset') this.#reset(record);
    else if (this.#streamId === undefined || this.#isStrange(record)) this.#holdStrange(record);
    else this.#place(record);
    this.#watchGap(nowMs);
  }

  /**
   * Applies a head reported by the store. `askedAt` is the position when it was requested. Returns true if the store
   * has lost records delivered from it.
   */
  head(head: Head | null, askedAt: Head | null, nowMs: number): boolean {
    this.#nowMs = nowMs;
    const lost = this.#takeHead(head, askedAt);
    this.#takeStrange();
    this.#watchGap(nowMs);
    return lost;
  }

  /** Applies the records read for a gap, in any order. */
  refetched(streamId: string, records: readonly Refetched<Record>[], nowMs: number): void {
    if (this.#streamId !== streamId) return;
    this.#nowMs = nowMs;
    for (const record of records) {
      if (typeof record !== 'number') this.#place(record);
      else if (record === this.#next) this.#advance();
    }
    this.#drain();
    this.#watchGap(nowMs);
  }

  /** The head cannot be determined: treats the received records as in order. */
  goOn(nowMs: number): void {
    this.#nowMs = nowMs;
    const [first] = this.#strange;
    if (first?.stream_id !== undefined && first.stream_id !== null) {
      const serials = this.#strange.filter(({ stream_id: id }) => id === first.stream_id).map(serialOf);
      this.#begin(first.stream_id, Math.min(...serials));
    }
    this.#takeStrange();
    this.#watchGap(nowMs);
  }

  /**
   * Gives up missing records if later ones wait behind them. Otherwise there is nothing to continue with: the store's
   * head is forgotten until it is reported again, and records are delivered whenever they arrive.
   */
  skip(nowMs: number): void {
    this.#nowMs = nowMs;
    const { gap } = this;
    if (gap !== null && this.#held.size > 0) {
      this.#goOnAt(gap.toSerial + 1);
      this.#drain();
    } else this.#knownNext = this.#next;
    this.#gapSinceMs = null;
    this.#watchGap(nowMs);
  }

  #goOnAt(next: number): void {
    this.givenUp(this.position);
    this.#next = next;
    this.#lateFrom = next;
  }

  #takeHead(head: Head | null, askedAt: Head | null): boolean {
    if (this.#streamId === undefined) {
      this.#placeAt(head);
      return false;
    }
    if (head === null) return false;
    if (head.streamId !== this.#streamId) {
      // The stream was reset or created without notice. All of its records were published while subscribers existed.
      if (askedAt?.streamId === this.#streamId || this.#streamId === null) this.#begin(head.streamId, 1);
      else return false;
    }
    this.#knownNext = Math.max(this.#knownNext, head.next);
    return askedAt !== null && askedAt.streamId === head.streamId && head.next < askedAt.next;
  }

  /**
   * Sets the position. Records since the subscription began are delivered even if the head was read only after them.
   */
  #placeAt(head: Head | null): void {
    this.#streamId = head?.streamId ?? null;
    if (head === null) return;
    this.#historyHead = head.historySerial ?? 0;
    const early = this.#strange.filter(({ stream_id: id }) => id === head.streamId).map(serialOf);
    this.#next = Math.min(head.next, ...early);
    this.#knownNext = head.next;
    this.#lateFrom = Math.min(this.#next, (head.handedOver ?? head.next) + 1);
  }

  #reset({ stream_id: streamId, old_stream_id: oldId }: Ordered): void {
    if (typeof streamId !== 'string' || streamId === this.#streamId) return;
    if (this.#streamId === oldId || this.#streamId === null) {
      this.#begin(streamId, 1);
      this.#takeStrange();
    }
  }

  #begin(streamId: string, next: number): void {
    this.#streamId = streamId;
    this.#next = next;
    this.#knownNext = next;
    this.#lateFrom = next;
    this.#historyHead = 0;
    this.#recent.clear();
    this.#held.clear();
    this.#gapSinceMs = null;
  }

  /** The first record of a channel without a stream sets the stream id. */
  #isStrange({ stream_id: streamId }: Ordered): boolean {
    if (this.#streamId === null && typeof streamId === 'string') this.#begin(streamId, 1);
    return streamId !== this.#streamId;
  }

  #holdStrange(record: Record): void {
    this.#strange.push(record);
    if (this.#strange.length > MAX_HELD) this.#strange.shift();
  }

  /** Takes held records of unknown streams that belong to the current one; others belong to a stream that has ended. */
  #takeStrange(): void {
    const strange = this.#strange.splice(0).sort((one, other) => serialOf(one) - serialOf(other));
    for (const record of strange) if (!this.#isStrange(record)) this.#place(record);
  }

  #place(record: Record): void {
    const serial = serialOf(record);
    if (serial < this.#lateFrom) return this.#takeAgain(record, serial);
    if (serial < this.#next) return this.#takeLate(record, serial);
    if (serial > this.#next) {
      // The timeout of the gap starts with the first record that waits for it.
      if (this.#held.size === 0) this.#gapSinceMs = null;
      this.#held.set(serial, record);
      if (this.#held.size > MAX_HELD) this.#goOnAt(Math.min(...this.#held.keys()));
      else return;
    } else {
      this.#send(record);
    }
    this.#drain();
  }

  /**
   * The record was committed before the head was read and arrived after the subscription began: it must be delivered.
   */
  #takeLate(record: Record, serial: number): void {
    this.#lateFrom = serial + 1;
    this.#historyHead = Math.max(this.#historyHead, record.history_serial ?? 0);
    this.#recent.note(serial, record.message_id ?? null, this.#nowMs);
    this.deliver(record);
  }

  /**
   * Handles a serial that was delivered already, mostly a duplicate. A different message proves a contradicting
   * stream, which subscribers have not seen.
   */
  #takeAgain(record: Record, serial: number): void {
    const messageId = this.#recent.otherThan(serial, record.message_id ?? null, this.#nowMs);
    if (messageId === null) return;
    this.another({ serial, messageId });
    this.deliver(record);
  }

  #drain(): void {
    for (let record = this.#held.get(this.#next); record !== undefined; record = this.#held.get(this.#next)) {
      this.#send(record);
    }
    if (this.#held.size === 0) return;
    for (const serial of this.#held.keys()) if (serial < this.#next) this.#held.delete(serial);
  }

  #send(record: Record): void {
    this.#historyHead = Math.max(this.#historyHead, record.history_serial ?? 0);
    this.#recent.note(this.#next, record.message_id ?? null, this.#nowMs);
    this.#advance();
    this.deliver(record);
  }

  #advance(): void {
    this.#held.delete(this.#next);
    this.#next += 1;
    this.#lateFrom = this.#next;
    this.#knownNext = Math.max(this.#knownNext, this.#next);
  }

  #watchGap(nowMs: number): void {
    if (this.gap === null) this.#gapSinceMs = null;
    else this.#gapSinceMs ??= nowMs;
  }
}

const serialOf = ({ serial }: Ordered): number => serial ?? 0;
