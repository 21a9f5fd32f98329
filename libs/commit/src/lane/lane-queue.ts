import { streamName } from '@carillon/history-store';
import { type Chain, travelsAlone } from '../evaluate/arrival.js';
import type { Entry } from './entry.js';

/** What one transaction takes at most. */
export const MAX_BATCH_RECORDS = 500;
export const MAX_BATCH_BYTES = 512 * 1024;
/** A stream that somebody else held is asked for again after this long. */
export const HELD_PAUSE_MS = 20;

/** Records in the order of arrival, except that those of a stream that is held let others pass. */
export class LaneQueue {
  #entries: Entry[] = [];
  /** Until when, on the monotonic clock, a stream is not asked for. */
  readonly #held = new Map<string, number>();

  get length(): number {
    return this.#entries.length;
  }

  push(entry: Entry): void {
    this.#entries.push(entry);
  }

  /** Back to where they were taken from, to be tried again a little later. */
  putBack(entries: readonly Entry[], nowMs: number): void {
    for (const { arrival } of entries) this.#held.set(streamName(arrival.address), nowMs + HELD_PAUSE_MS);
    this.#entries.unshift(...entries);
  }

  /** Removes those that nothing may be begun for any more. */
  takeExpired(nowMs: number): Entry[] {
    const expired = this.#entries.filter(({ deadlineMs }) => deadlineMs <= nowMs);
    if (expired.length > 0) this.#entries = this.#entries.filter(({ deadlineMs }) => deadlineMs > nowMs);
    return expired;
  }

  /** The next batch; none when everything that waits belongs to streams that are held. */
  take(nowMs: number): Entry[] {
    for (const [name, untilMs] of this.#held) if (untilMs <= nowMs) this.#held.delete(name);
    const batch: Entry[] = [];
    const left: Entry[] = [];
    const waiting = new Set<Chain>();
    let bytes = 0;
    let full = false;
    for (const entry of this.#entries) {
      const { chain, address, bytes: size } = entry.arrival;
      if (full || this.#held.has(streamName(address)) || (chain !== null && waiting.has(chain))) {
        if (chain !== null) waiting.add(chain);
        left.push(entry);
        continue;
      }
      const alone = travelsAlone(entry.arrival);
      full =
        batch.length > 0 && (alone || batch.length >= MAX_BATCH_RECORDS || bytes + size > MAX_BATCH_BYTES);
      if (full) {
        left.push(entry);
        continue;
      }
      batch.push(entry);
      bytes += size;
      full = alone;
    }
    this.#entries = left;
    return batch;
  }

  /** When the first stream that is held is to be asked for again; null: none is. */
  nextHeldMs(): number | null {
    const moments = [...this.#held.values()];
    return moments.length === 0 ? null : Math.min(...moments);
  }
}
