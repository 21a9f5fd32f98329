import { Held } from './held.js';
import type { Head, OrderedRecord, Step } from './step.js';

/** So many records that came too early are kept; with more a gap is given up. */
const MAX_HELD = 1000;
/** How long a missing record may be under way before it is read from the store, and read again. */
const FETCH_AFTER_MS = 250;
/** How long a gap may last. */
const GIVE_UP_AFTER_MS = 2000;

interface Gap {
  readonly sinceMs: number;
  fetchAtMs: number;
}

type Early<Item> =
  | { readonly kind: 'record'; readonly record: Item }
  | { readonly kind: 'reset'; readonly oldStreamId: string; readonly streamId: string };

export interface ChannelOrderOptions {
  /** The id of the message delivered last at a serial; undefined: not known any more. */
  readonly delivered: (serial: number) => string | null | undefined;
}

/**
 * The order of one channel at one gateway, as a pure machine: it is told what came and what time it is, and says what
 * to do. Whatever is lost, doubled or out of order on the way, no serial is delivered after a higher one of its stream,
 * none twice, and none is left out before it was given up aloud.
 */
export class ChannelOrder<Item extends OrderedRecord> {
  /** Null: the head is being read, and what comes waits. */
  #streamId: string | null = null;
  #next = 1;
  /** Of the current stream. */
  readonly #held = new Held<Item>();
  #early: Early<Item>[] = [];
  /** A record of an unknown stream has come; the head tells whether it is the current one by now. */
  #foreign: Item[] = [];
  #gap: Gap | null = null;
  /** What the head says is there, although it may not have come. */
  #known = 0;
  #inStep = false;
  #regressedAt = 0;

  constructor(private readonly options: ChannelOrderOptions) {}

  /** Whether everything committed until the last check was delivered, and nothing is known to be missing. */
  get inStep(): boolean {
    return this.#inStep && this.#gap === null;
  }

  /** What was delivered last; null: nothing is known yet. */
  get position(): Head | null {
    return this.#streamId === null ? null : { streamId: this.#streamId, serial: this.#next - 1 };
  }

  /** When `passed` has something to do; null: not until something else happens. */
  get dueMs(): number | null {
    return this.#gap === null ? null : Math.min(this.#gap.fetchAtMs, this.#gap.sinceMs + GIVE_UP_AFTER_MS);
  }

  /** The first head, read after interest was confirmed: what it counts was there before anybody listened. */
  begun({ streamId, serial }: Head, nowMs: number): Step<Item>[] {
    if (this.#streamId !== null) return [];
    this.#streamId = streamId;
    this.#next = serial + 1;
    this.#inStep = true;
    const early = this.#early;
    this.#early = [];
    return early.flatMap((one) =>
      one.kind === 'record' ? this.received(one.record, nowMs) : this.reset(one.oldStreamId, one.streamId),
    );
  }

  /** A record came, by fan-out or from the store. */
  received(record: Item, nowMs: number): Step<Item>[] {
    if (this.#streamId === null) return this.#hold({ kind: 'record', record });
    if (record.streamId !== this.#streamId) return this.#receivedForeign(record);
    if (record.serial < this.#next) return this.#receivedAgain(record);
    this.#held.add(record, nowMs);
    const steps = this.#drain(nowMs);
    if (this.#held.size > MAX_HELD) steps.push(...this.#giveUp(nowMs));
    return steps;
  }

  /** The stream was reset; records of the new one count from 1. */
  reset(oldStreamId: string, streamId: string): Step<Item>[] {
    if (this.#streamId === null) return this.#hold({ kind: 'reset', oldStreamId, streamId });
    if (this.#streamId === oldStreamId) this.#change(streamId);
    return [];
  }

  /** @param positionThen what `position` was when the head was asked for */
  checked(head: Head, positionThen: Head | null, nowMs: number): Step<Item>[] {
    if (this.#streamId === null) return this.begun(head, nowMs);
    const foreign = this.#foreign;
    this.#foreign = [];
    if (head.streamId !== this.#streamId) {
      // It may be older than a reset that came while it was read.
      if (positionThen?.streamId !== this.#streamId) return [];
      this.#change(head.streamId);
    } else if (positionThen?.streamId === head.streamId && head.serial < positionThen.serial)
      return this.#regress(head.streamId);
    this.#known = Math.max(this.#known, head.serial);
    this.#inStep = true;
    const current = foreign.filter(({ streamId }) => streamId === head.streamId);
    return [...current.flatMap((record) => this.received(record, nowMs)), ...this.#drain(nowMs)];
  }

  /** The connection was lost and is back: whatever came meanwhile is missing. */
  reconnected(): Step<Item>[] {
    this.#inStep = false;
    return [{ do: 'read_head' }];
  }

  /** Time has passed; to be called at `dueMs` or later. */
  passed(nowMs: number): Step<Item>[] {
    const gap = this.#gap;
    if (gap === null) return [];
    if (nowMs >= gap.sinceMs + GIVE_UP_AFTER_MS) return this.#giveUp(nowMs);
    if (nowMs < gap.fetchAtMs) return [];
    gap.fetchAtMs = nowMs + FETCH_AFTER_MS;
    return [{ do: 'fetch', fromSerial: this.#next, toSerial: this.#gapEnd }];
  }

  #hold(early: Early<Item>): Step<Item>[] {
    this.#early.push(early);
    // What is lost here is above the head or below it; the head, and then the gap, tell.
    if (this.#early.length > MAX_HELD) this.#early.shift();
    return [];
  }

  #receivedForeign(record: Item): Step<Item>[] {
    const isAsked = this.#foreign.length > 0;
    if (this.#foreign.length < MAX_HELD) this.#foreign.push(record);
    return isAsked ? [] : [{ do: 'read_head' }];
  }

  /** Usually a copy; with another message it is what the store holds now. */
  #receivedAgain(record: Item): Step<Item>[] {
    const before = this.options.delivered(record.serial);
    if (before === undefined || before === null || record.messageId === null) return [];
    if (before === record.messageId) return [];
    return [...this.#regress(record.streamId), { do: 'deliver', record }];
  }

  /** Told once for what was seen by then. */
  #regress(streamId: string): Step<Item>[] {
    const seenSerial = this.#next - 1;
    if (this.#regressedAt >= seenSerial) return [];
    this.#regressedAt = seenSerial;
    return [{ do: 'regressed', streamId, seenSerial }];
  }

  #drain(nowMs: number): Step<Item>[] {
    const steps: Step<Item>[] = [];
    for (let record = this.#held.take(this.#next); record !== null; record = this.#held.take(this.#next)) {
      steps.push({ do: 'deliver', record });
      this.#next += 1;
      // Whatever is still missing is another gap.
      this.#gap = null;
    }
    if (this.#gapEnd < this.#next) this.#gap = null;
    else this.#gap ??= this.#newGap(nowMs);
    return steps;
  }

  #giveUp(nowMs: number): Step<Item>[] {
    const [fromSerial, toSerial] = [this.#next, this.#gapEnd];
    this.#next = toSerial + 1;
    this.#held.dropUpTo(toSerial);
    this.#gap = null;
    return [{ do: 'give_up', fromSerial, toSerial }, ...this.#drain(nowMs)];
  }

  /** A gap is there since the first record behind it came, whatever was missing before. */
  #newGap(nowMs: number): Gap {
    const sinceMs = this.#held.lowest?.sinceMs ?? nowMs;
    return { sinceMs, fetchAtMs: sinceMs + FETCH_AFTER_MS };
  }

  /** The last serial that is missing before the first that is held. */
  get #gapEnd(): number {
    const { lowest } = this.#held;
    return lowest === null ? this.#known : lowest.serial - 1;
  }

  #change(streamId: string): void {
    this.#streamId = streamId;
    this.#next = 1;
    this.#known = 0;
    this.#regressedAt = 0;
    this.#gap = null;
    this.#held.clear();
  }
}
