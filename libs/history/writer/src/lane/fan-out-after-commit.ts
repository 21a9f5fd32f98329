import type { FanOutRecordBody } from '@carillon/contracts';
import { type Stream, streamName, type Watermark } from '@carillon/history-store';
import type { ToSendAgain } from '../evaluate/answers.js';
import type { Settled } from './entry.js';
import { fanOutAgain, fanOutOf } from './fan-out.js';
import type { HandedOver } from './handed-over.js';
import type { LaneOptions, LaneParts } from './parts.js';

/** Interval of saving the progress of idle streams; the store lags by at most twice this time. */
const LOOK_EVERY_MS = 500;
/** Minimum interval of marking the lane as served in the store; relevant once it exceeds a tail. */
const SEEN_EVERY_MS = 20_000;
/** Limit of a fan-out, or of a read it waits for. */
const HAND_OVER_MS = 1000;
/** A tail is looked for among the streams written in this time at least. */
const TAIL_MS = 60_000;
/** Limit of a tail: of longer ones only the newest records are sent, and gateways fetch the rest. */
const MAX_TAIL = 1000;

/** Limit of suspect streams, oldest evicted first: their missing records are found by the search for stuck records. */
const MAX_DOUBTED = 1000;

/** Range of a stream to be sent again, inclusive. */
interface Tail {
  readonly stream: Stream;
  readonly fromSerial: number;
  readonly toSerial: number;
}

/** Fan-out after commits: sends the records to the gateways in order and saves the progress. */
export class FanOutAfterCommit {
  #last: Promise<void> = Promise.resolve();
  #pending = 0;
  #timer: (() => void) | null = null;
  /** Time at which the lane was last marked as served, on the monotonic clock; null: never. */
  #seenMs: number | null = null;
  readonly #doubted = new Set<string>();
  /** Since when something could not be handed over; null: everything was. */
  #stuckSinceMs: number | null = null;

  constructor(
    private readonly parts: LaneParts,
    private readonly options: LaneOptions,
    private readonly handedOver: HandedOver,
  ) {}

  /**
   * Marks a stream as suspect: a record may have been committed whose commit got no answer and whose publisher gave
   * up. The next record of the stream reveals it.
   */
  doubt(stream: string): void {
    const [oldest] = this.#doubted;
    if (oldest !== undefined && this.#doubted.size >= MAX_DOUBTED) this.#doubted.delete(oldest);
    this.#doubted.add(stream);
  }

  /** Number of batches waiting for fan-out. */
  get pending(): number {
    return this.#pending;
  }

  /** Fans out the records of a batch after those of earlier batches; resolves when its publishers may be answered. */
  batch(settled: readonly Settled[], written: readonly Stream[]): Promise<void> {
    const { clock, events } = this.parts;
    const committedMs = clock.elapsed();
    return this.#inTurn(async () => {
      for (const { verdict } of settled) {
        if (verdict.again === null) continue;
        const { stream, serial } = verdict.again;
        this.#count(stream, serial, await this.#again(verdict.again));
      }
      const streams = new Map(written.map((stream) => [stream.streamId, stream]));
      const records = settled.map(fanOutOf).filter((record) => record !== null);
      if (this.#doubted.size > 0) await this.#fillUp(records, written);
      const handed = await this.#send(records);
      if (handed && records.length > 0) events.handedOver(records.length, clock.elapsed() - committedMs);
      for (const { stream_id: streamId, serial } of records) {
        const stream = streams.get(streamId ?? '');
        if (stream !== undefined && typeof serial === 'number') this.#count(stream, serial, handed);
      }
      for (const { streamKey, generation, fannedOutSerial: serial } of written)
        this.handedOver.raised({ streamKey, generation, serial });
      this.#raiseSoon();
    });
  }

  /** Sends all records again that this lane's streams may not have fanned out. Never rejects. */
  resendTail(): Promise<void> {
    return this.#inTurn(async () => {
      try {
        const { store, clock } = this.parts;
        const { lane, lanes } = this.options;
        const recentMs = clock.now() - TAIL_MS;
        const seenMs = await store.laneSeenAtMs(lane);
        const sinceMs = Math.min(recentMs, seenMs ?? recentMs, this.#stuckSinceMs ?? recentMs);
        for (const stream of await store.behind({ lane, lanes, sinceMs })) await this.#resendTailOf(stream);
      } catch (thrown) {
        this.parts.events.handOverFailed(thrown);
      }
      if (!this.handedOver.stuck) this.#stuckSinceMs = null;
      this.#raiseSoon();
    });
  }

  /** Waits for the current fan-out and saves the progress. The next server of the lane searches for the rest. */
  async close(): Promise<void> {
    await this.#last;
    if (this.handedOver.stuck) await this.resendTail();
    this.#timer?.();
    this.#timer = null;
    const marks = this.handedOver.toRaise();
    if (marks.length > 0) await this.#raise(marks);
  }

  async #resendTailOf(stream: Stream): Promise<void> {
    const done = Math.max(stream.fannedOutSerial, this.handedOver.serialOf(stream));
    const toSerial = stream.nextDeliverySerial - 1;
    const tail = { stream, fromSerial: Math.max(done + 1, toSerial - MAX_TAIL + 1), toSerial };
    await this.#sendTails([tail], await this.#readTails([tail]));
  }

  /**
   * Sends the records missing below those of suspect streams, for which gateways would wait in vain. Limited to the
   * time of one fan-out: records read later are left to the search for stuck records.
   */
  async #fillUp(records: readonly FanOutRecordBody[], written: readonly Stream[]): Promise<void> {
    const tails: Tail[] = [];
    let left = MAX_TAIL;
    for (const stream of written.filter(({ address }) => this.#doubted.delete(streamName(address)))) {
      const serial = records.find(({ stream_id: streamId }) => streamId === stream.streamId)?.serial;
      if (typeof serial !== 'number') continue;
      const fromSerial = this.handedOver.firstMissing(stream, serial);
      if (fromSerial === null || serial - fromSerial > left) continue;
      left -= serial - fromSerial;
      tails.push({ stream, fromSerial, toSerial: serial - 1 });
    }
    if (tails.length === 0) return;
    try {
      await this.#sendTails(tails, await this.#inTime(this.#readTails(tails)));
    } catch (thrown) {
      this.parts.events.handOverFailed(thrown);
    }
  }

  async #readTails(tails: readonly Tail[]): Promise<readonly FanOutRecordBody[]> {
    const { store } = this.parts;
    const read = tails.map(async ({ stream, fromSerial, toSerial }) => {
      const { streamKey, generation } = stream;
      const range = {
        streamKey,
        generation,
        fromSerial,
        toSerial,
        limit: MAX_TAIL,
        overLanes: true,
      } as const;
      const records = await store.range(range);
      return records.map((record) => fanOutAgain(record, stream, this.options.writerId));
    });
    return (await Promise.all(read)).flat().filter((record) => record !== null);
  }

  async #sendTails(tails: readonly Tail[], again: readonly FanOutRecordBody[]): Promise<void> {
    if (!(await this.#send(again))) return;
    this.parts.events.resent(again.length);
    for (const { stream, toSerial } of tails) this.handedOver.caughtUp(stream, toSerial);
  }

  #count(stream: Stream, serial: number, handed: boolean): void {
    if (!handed) this.handedOver.failed(stream, serial);
    else if (this.handedOver.handed(stream, serial)) return;
    // Receipts, by which a tail is found, are older than the attempt: by seconds for a publisher that retries.
    this.#stuckSinceMs ??= this.parts.clock.now() - TAIL_MS;
  }

  /** False: it may not have arrived. */
  async #again(owed: ToSendAgain): Promise<boolean> {
    try {
      const again = owed.record ?? (await this.#read(owed));
      if (again === null) return true;
      const arrived = await this.#send([again]);
      if (arrived) this.parts.events.resent(1);
      return arrived;
    } catch (thrown) {
      this.parts.events.handOverFailed(thrown);
      return false;
    }
  }

  /** Null: nothing left to send. */
  async #read({ stream, serial }: ToSendAgain): Promise<FanOutRecordBody | null> {
    const { streamKey, generation } = stream;
    const [record] = await this.parts.store.range({
      streamKey,
      generation,
      fromSerial: serial,
      toSerial: serial,
      limit: 1,
      overLanes: true,
    });
    return record === undefined ? null : fanOutAgain(record, stream, this.options.writerId);
  }

  /** False: they may not have arrived. */
  async #send(records: readonly FanOutRecordBody[]): Promise<boolean> {
    if (records.length === 0) return true;
    const { fanOut, events } = this.parts;
    try {
      await this.#inTime(fanOut(records));
      return true;
    } catch (thrown) {
      events.handOverFailed(thrown);
      return false;
    }
  }

  /** Rejects as well when there is no end to it. */
  async #inTime<Result>(work: Promise<Result>): Promise<Result> {
    const silence: { stop?: () => void } = {};
    const silent = new Promise<never>((_, reject) => {
      silence.stop = this.parts.clock.after(HAND_OVER_MS, () =>
        reject(new Error('the broker or the store did not answer in time')),
      );
    });
    try {
      return await Promise.race([work, silent]);
    } finally {
      silence.stop?.();
    }
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#pending += 1;
    this.#last = this.#last.then(work).finally(() => {
      this.#pending -= 1;
    });
    return this.#last;
  }

  #raiseSoon(): void {
    if (this.#timer !== null || !(this.handedOver.stuck || this.handedOver.behind)) return;
    this.#timer = this.parts.clock.after(LOOK_EVERY_MS, () => {
      this.#timer = null;
      void this.#raise(this.handedOver.resting()).then(() => {
        if (this.handedOver.stuck) return this.resendTail();
        this.#raiseSoon();
        return undefined;
      });
    });
  }

  async #raise(marks: readonly Watermark[]): Promise<void> {
    const { store, clock, events } = this.parts;
    const { lane, writerId } = this.options;
    const isSeen = this.#seenMs !== null && clock.elapsed() - this.#seenMs < SEEN_EVERY_MS;
    if (marks.length === 0 && isSeen) return;
    try {
      // The next server of the lane must search back to the oldest stuck record.
      const nowMs = this.#stuckSinceMs ?? clock.now();
      await store.raiseWatermarks(marks, { lanes: [lane], writerId, nowMs });
      this.#seenMs = clock.elapsed();
      for (const mark of marks) this.handedOver.raised(mark);
    } catch (thrown) {
      events.handOverFailed(thrown);
    }
  }
}
