import type { IngestEvent } from './event.js';

interface Entry<Position> {
  readonly position: Position;
  readonly atMs: number;
  readonly fetchedAtMs: number;
  readonly bytes: number;
  hasEnded: boolean;
}

/**
 * Positions of the fetched events of one ordered partition, until all before them have ended. The position to store is
 * that of the last event before the first one without an end.
 */
export class Ledger<Position> {
  #entries: Entry<Position>[] = [];
  #head = 0;
  #passed: Position | null = null;
  #open = 0;
  #openBytes = 0;

  /** Events that have not ended. */
  get open(): number {
    return this.#open;
  }

  get openBytes(): number {
    return this.#openBytes;
  }

  /** Events between the stored position and the last fetched one. */
  get length(): number {
    return this.#entries.length - this.#head;
  }

  /** Creation time of the oldest event without an end; null without any. */
  get oldestAtMs(): number | null {
    return this.#entries[this.#head]?.atMs ?? null;
  }

  /** When the oldest event without an end was fetched; null without any. */
  get headFetchedAtMs(): number | null {
    return this.#entries[this.#head]?.fetchedAtMs ?? null;
  }

  /** Adds an event behind all others. The returned function marks its end. */
  add(
    position: Position,
    { atMs, bytes }: Pick<IngestEvent, 'atMs' | 'bytes'>,
    fetchedAtMs: number,
  ): () => void {
    const entry: Entry<Position> = { position, atMs, fetchedAtMs, bytes, hasEnded: false };
    this.#entries.push(entry);
    this.#open += 1;
    this.#openBytes += bytes;
    return () => this.#end(entry);
  }

  /** Takes the position that may be stored, once; null if it is the one taken last. */
  takePassed(): Position | null {
    const passed = this.#passed;
    this.#passed = null;
    return passed;
  }

  /** Puts a position back that could not be stored, unless a later one is known. */
  putBack(position: Position): void {
    this.#passed ??= position;
  }

  #end(entry: Entry<Position>): void {
    if (entry.hasEnded) return;
    entry.hasEnded = true;
    this.#open -= 1;
    this.#openBytes -= entry.bytes;
    let head = this.#entries[this.#head];
    while (head?.hasEnded === true) {
      this.#passed = head.position;
      this.#head += 1;
      head = this.#entries[this.#head];
    }
    // Half of the array is passed: copying the rest costs at most as much as was added.
    if (this.#head > 64 && this.#head * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
  }
}
