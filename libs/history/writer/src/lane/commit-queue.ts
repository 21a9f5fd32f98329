import type { BatchLimits } from '@carillon/history-store';
import { type Chain, travelsAlone } from '../evaluate/arrival.js';
import type { Entry, EntryLane } from './entry.js';

/** A batch of so few streams is not made smaller for the sake of another. */
const MIN_SHARED_STREAMS = 16;

/** A stream by its name, or a chain: its records are decided in order, those of one batch never beside another's. */
type Line = string | Chain;

/** A batch, and all its lines. */
interface Out {
  readonly batch: readonly Entry[];
  readonly lines: ReadonlySet<Line>;
}

/**
 * Records of all lanes of a process in order of arrival, except that others pass a record whose stream is delayed, or
 * whose stream or chain is already in a transaction.
 */
export class CommitQueue {
  #entries: Entry[] = [];
  /**
   * The lines of each batch that is in a transaction right now. No set of all: one that is filled and emptied all the
   * time leaves tables behind, which live as long as the oldest of them.
   */
  #out: readonly Out[] = [];
  /** End of the delay of each stream, on the monotonic clock. */
  readonly #held = new Map<string, number>();
  /** Total size of the entries. */
  #bytes = 0;
  /** Number of entries that need a transaction of their own. */
  #alone = 0;
  /** Number of lanes with entries. */
  #lanes = 0;
  /** No deadline is over before. */
  #firstDeadlineMs = Infinity;

  constructor(private readonly limits: BatchLimits) {}

  push(entry: Entry): void {
    this.#entries.push(entry);
    this.#count(entry, 1);
    this.#firstDeadlineMs = Math.min(this.#firstDeadlineMs, entry.deadlineMs);
  }

  /** Removes expired entries. */
  takeExpired(nowMs: number): Entry[] {
    if (nowMs < this.#firstDeadlineMs) return [];
    const expired = this.#entries.filter(({ deadlineMs }) => deadlineMs <= nowMs);
    this.#entries = this.#entries.filter(({ deadlineMs }) => deadlineMs > nowMs);
    for (const entry of expired) this.#count(entry, -1);
    // A deadline may have been put off since.
    this.#firstDeadlineMs = lowest(this.#entries.map(({ deadlineMs }) => deadlineMs));
    return expired;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Whether more waits than one batch takes; where that is few streams, whether anything does. */
  get isCrowded(): boolean {
    const { records, bytes, streams } = this.limits;
    if (this.#entries.length > records || this.#bytes > bytes) return true;
    return streams < Infinity && this.#entries.length > 0;
  }

  /** The next batch; none when everything that waits has to wait for something else, or travels alone. */
  take(nowMs: number): Entry[] {
    let bytes = 0;
    const most = this.#mostStreams();
    const streams = new Set<string>();
    // However much a lane has, the others do not wait for all of it.
    const share = Math.ceil(this.limits.records / this.#lanes);
    const taken = new Map<EntryLane, number>();
    return this.#take(nowMs, ({ arrival, lane }, batch) => {
      const ofLane = taken.get(lane) ?? 0;
      if (travelsAlone(arrival) || ofLane >= share) return 'no';
      if (streams.size >= most && !streams.has(arrival.stream)) return 'no';
      taken.set(lane, ofLane + 1);
      bytes += arrival.bytes;
      if (batch.length >= this.limits.records || (batch.length > 0 && bytes > this.limits.bytes))
        return 'full';
      streams.add(arrival.stream);
      return 'yes';
    });
  }

  /** Removes the next entry that needs a transaction of its own; empty if none is ready. */
  takeAlone(nowMs: number): Entry[] {
    if (this.#alone === 0) return [];
    return this.#take(nowMs, ({ arrival }, batch) => {
      if (batch.length > 0) return 'full';
      return travelsAlone(arrival) ? 'yes' : 'no';
    });
  }

  /** A batch, as it was taken, is in a transaction no more. Some goes back to where it was, and waits until then. */
  bring(taken: readonly Entry[], back: readonly Entry[], untilMs: number): void {
    this.#out = this.#out.filter(({ batch }) => batch !== taken);
    for (const entry of back) {
      this.#held.set(entry.arrival.stream, untilMs);
      this.#count(entry, 1);
      this.#firstDeadlineMs = Math.min(this.#firstDeadlineMs, entry.deadlineMs);
    }
    if (back.length > 0) this.#entries = [...back, ...this.#entries];
  }

  /** Earliest end of a delay; infinite without delays. */
  get nextHeldMs(): number {
    return lowest(this.#held.values());
  }

  /** A batch with all of the streams would leave nothing for the one beside it, and both would wait in turn ever after. */
  #mostStreams(): number {
    if (this.limits.streams < Infinity) return this.limits.streams;
    if (!this.isCrowded || this.#out.length > 0) return Infinity;
    const streams = new Set(this.#entries.map(({ arrival }) => arrival.stream));
    return Math.max(MIN_SHARED_STREAMS, Math.ceil(streams.size / 2));
  }

  /** A waiting entry that is not taken blocks the later entries of its stream and chain. */
  #take(nowMs: number, fits: (entry: Entry, batch: readonly Entry[]) => 'yes' | 'no' | 'full'): Entry[] {
    for (const [stream, untilMs] of this.#held) if (untilMs <= nowMs) this.#held.delete(stream);
    const batch: Entry[] = [];
    let left: Entry[] = [];
    const blocked = new Set<Line>();
    for (const [index, entry] of this.#entries.entries()) {
      const fit = this.#waits(entry, blocked) ? 'no' : fits(entry, batch);
      if (fit === 'full') {
        left = left.concat(this.#entries.slice(index));
        break;
      }
      if (fit === 'yes') batch.push(entry);
      else {
        left.push(entry);
        for (const line of linesOf(entry.arrival)) blocked.add(line);
      }
    }
    if (batch.length === 0) return batch;
    this.#entries = left;
    for (const entry of batch) this.#count(entry, -1);
    const lines = new Set(batch.flatMap(({ arrival }) => linesOf(arrival)));
    this.#out = [...this.#out, { batch, lines }];
    return batch;
  }

  #waits({ lane, arrival: { stream, chain } }: Entry, blocked: ReadonlySet<Line>): boolean {
    if (lane.isBehind || this.#held.has(stream) || this.#isOut(stream) || blocked.has(stream)) return true;
    return chain !== null && (this.#isOut(chain) || blocked.has(chain));
  }

  #isOut(line: Line): boolean {
    return this.#out.some(({ lines }) => lines.has(line));
  }

  #count({ lane, arrival }: Entry, by: 1 | -1): void {
    if (lane.queued === 0) this.#lanes += 1;
    lane.queued += by;
    if (lane.queued === 0) this.#lanes -= 1;
    if (travelsAlone(arrival)) this.#alone += by;
    this.#bytes += by * arrival.bytes;
  }
}

const linesOf = ({ stream, chain }: Entry['arrival']): readonly Line[] =>
  chain === null ? [stream] : [stream, chain];

/** Minimum; infinite if empty. There may be more values than a call accepts arguments. */
function lowest(values: Iterable<number>): number {
  let found = Infinity;
  for (const value of values) found = Math.min(found, value);
  return found;
}
