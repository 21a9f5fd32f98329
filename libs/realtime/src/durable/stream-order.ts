import type { FanOutRecordBody } from '@carillon/contracts';
import { RecentIds } from './recent-ids.js';

/** What a store says of where a channel stands. */
export interface Head {
  readonly streamId: string;
  /** The serial of the record that comes next. */
  readonly next: number;
  /** The store knows that everything up to here was handed to the gateways. Absent: all before the next. */
  readonly handedOver?: number;
  /** The newest history serial. Absent: the stream has no history of its own. */
  readonly historySerial?: number;
}

/** What has a place in a stream. */
export type Ordered = Pick<
  FanOutRecordBody,
  'history_serial' | 'message_id' | 'old_stream_id' | 'op' | 'serial' | 'stream_id'
>;

/** A message that was delivered. */
export interface Delivered {
  readonly serial: number;
  readonly messageId: string;
}

/** Serials that are missing, both inclusive. */
export interface Gap {
  readonly fromSerial: number;
  readonly toSerial: number;
}

/** What of a stream is read again: a record, or only its serial when its content was purged. */
export type Refetched<Record extends Ordered = FanOutRecordBody> = Record | number;

/** Records held back beyond this mean that what is missing is given up. */
export const MAX_HELD = 1000;

/**
 * Brings the records of one channel, which may come twice, late, in any order or not at all, into the one order of
 * their stream. Pure: whoever has it reads heads and ranges and says what they were. What was delivered never goes
 * backwards within a stream.
 */
export class StreamOrder<Record extends Ordered = FanOutRecordBody> {
  /** Null: the channel had no stream. Undefined: nobody has said yet. */
  #streamId: string | null | undefined;
  #next = 1;
  /** What the store has is at least up to here. */
  #knownNext = 1;
  /** From here up to the next, what comes was only on its way when the channel was placed. */
  #lateFrom = 1;
  #historyHead = 0;
  /** Records of the stream that wait for what is missing before them. */
  readonly #held = new Map<number, Record>();
  /** Records that came before it was known where the channel stands, or of a stream nobody has heard of. */
  #strange: Record[] = [];
  #gapSinceMs: number | null = null;
  readonly #recent = new RecentIds();
  /** When the last thing came. */
  #nowMs = 0;

  /**
   * `another` is told which message was delivered with the serial that a record with another one came with; `givenUp`, behind
   * which position something does not come any more, before what is behind that is delivered.
   */
  constructor(
    private readonly deliver: (record: Record) => void,
    private readonly another: (delivered: Delivered) => void = () => undefined,
    private readonly givenUp: (at: Head | null) => void = () => undefined,
  ) {}

  /** Whether it is known where the channel stands. */
  get isPlaced(): boolean {
    return this.#streamId !== undefined;
  }

  /** Where the channel stands, for comparing with what is said of it later. Null: it has no stream yet. */
  get position(): Head | null {
    return typeof this.#streamId === 'string' ? { streamId: this.#streamId, next: this.#next } : null;
  }

  /** The message that was delivered last; null: it has no id, or it is long ago. */
  get lastMessageId(): string | null {
    return this.#recent.idOf(this.#next - 1, this.#nowMs);
  }

  /** The highest history serial that was delivered. */
  get historyHead(): number {
    return this.#historyHead;
  }

  /** Whether a record waits until somebody reads where the channel stands. */
  get needsHead(): boolean {
    return !this.isPlaced || this.#strange.length > 0;
  }

  /** Null: nothing is missing. At most as much as may be held. */
  get gap(): Gap | null {
    const before = this.#held.size > 0 ? Math.min(...this.#held.keys()) : this.#knownNext;
    if (before <= this.#next) return null;
    return { fromSerial: Math.max(this.#next, before - MAX_HELD), toSerial: before - 1 };
  }

  /** Since when something is missing; null: nothing is. */
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
   * The store says where the channel stands. `askedAt` is the position when it was asked. True: the store has lost
   * what was delivered from it.
   */
  head(head: Head | null, askedAt: Head | null, nowMs: number): boolean {
    this.#nowMs = nowMs;
    const lost = this.#takeHead(head, askedAt);
    this.#takeStrange();
    this.#watchGap(nowMs);
    return lost;
  }

  /** What was read of a gap, in any order. */
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

  /** Nobody says where the channel stands: what has come counts as being in order. */
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
   * What is missing is given up where records wait behind it. Where none do there is nothing to go on with: what the store
   * has is forgotten until it says so again, and delivered whenever it comes.
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
      // It was reset, or made, and nobody said so. Whatever it has by now came while somebody was subscribed.
      if (askedAt?.streamId === this.#streamId || this.#streamId === null) this.#begin(head.streamId, 1);
      else return false;
    }
    this.#knownNext = Math.max(this.#knownNext, head.next);
    return askedAt !== null && askedAt.streamId === head.streamId && head.next < askedAt.next;
  }

  /** What has come since somebody is subscribed is for them, also when the store was asked only after it. */
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

  /** The first record of a channel that had no stream says which it has now. */
  #isStrange({ stream_id: streamId }: Ordered): boolean {
    if (this.#streamId === null && typeof streamId === 'string') this.#begin(streamId, 1);
    return streamId !== this.#streamId;
  }

  #holdStrange(record: Record): void {
    this.#strange.push(record);
    if (this.#strange.length > MAX_HELD) this.#strange.shift();
  }

  /** Of those that nobody had heard of, the ones that belong here now; others were of a stream that is over. */
  #takeStrange(): void {
    const strange = this.#strange.splice(0).sort((one, other) => serialOf(one) - serialOf(other));
    for (const record of strange) if (!this.#isStrange(record)) this.#place(record);
  }

  #place(record: Record): void {
    const serial = serialOf(record);
    if (serial < this.#lateFrom) return this.#takeAgain(record, serial);
    if (serial < this.#next) return this.#takeLate(record, serial);
    if (serial > this.#next) {
      // From now on somebody waits for what is missing.
      if (this.#held.size === 0) this.#gapSinceMs = null;
      this.#held.set(serial, record);
      if (this.#held.size > MAX_HELD) this.#goOnAt(Math.min(...this.#held.keys()));
      else return;
    } else {
      this.#send(record);
    }
    this.#drain();
  }

  /** It was committed before the store was asked, and handed over after somebody was subscribed: it is for them. */
  #takeLate(record: Record, serial: number): void {
    this.#lateFrom = serial + 1;
    this.#historyHead = Math.max(this.#historyHead, record.history_serial ?? 0);
    this.#recent.note(serial, record.message_id ?? null, this.#nowMs);
    this.deliver(record);
  }

  /** Mostly one that came twice. With another message the stream has a second past, which subscribers have not seen. */
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
