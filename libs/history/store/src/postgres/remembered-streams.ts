import { type Stream, type StreamAddress, streamName } from '../model/stream.js';

/** A stream as this process wrote it last. */
export interface RememberedStream {
  readonly stream: Stream;
  /** Transaction that wrote the row; as long as the row has this number, no other process has written it. */
  readonly writtenBy: string;
  /**
   * Number of the period in which the entry was remembered; no other process has written it since the beginning of
   * that period.
   */
  readonly spell: number;
}

/** Minimum number of remembered streams, least recently written evicted first. */
const MIN_STREAMS = 10_000;

type Known = Map<string, RememberedStream | null>;

/**
 * Stream state that need not be read, as long as the write is conditional on it. Unused streams are evicted a
 * generation at a time, and a removed one leaves a tombstone: maps that shrink keep the garbage collector busy.
 */
export class RememberedStreams {
  /** Null: removed or outdated. */
  #young: Known = new Map();
  #old: Known = new Map();
  #spells = 0;

  /** Takes them out, so that no two batches start from the same; null: not all of them are known, and all stay. */
  take(addresses: readonly StreamAddress[]): readonly RememberedStream[] | null {
    const names = addresses.map(streamName);
    const found: RememberedStream[] = [];
    for (const name of names) {
      const one = this.#find(name);
      if (one === null) return null;
      found.push(one);
    }
    for (const name of names) this.#set(name, null);
    return found;
  }

  /** After the transaction was committed, with those that it went on from. Those of nothing begin a spell together. */
  keep(
    streams: readonly Stream[],
    writtenBy: string,
    before: readonly RememberedStream[] = [],
  ): readonly RememberedStream[] {
    this.#spells += 1;
    const spells = new Map(before.map(({ stream, spell }) => [stream.streamKey, spell]));
    return streams.map((stream) => {
      const kept = { stream, writtenBy, spell: spells.get(stream.streamKey) ?? this.#spells };
      this.#set(streamName(stream.address), kept);
      return kept;
    });
  }

  /**
   * Forgets everything after an unreliable outcome: the server may have been replaced, with its own transaction
   * numbers.
   */
  forget(): void {
    this.#young = new Map();
    this.#old = new Map();
  }

  /** An entry of the young generation, removed or not, hides the old one. */
  #find(name: string): RememberedStream | null {
    const young = this.#young.get(name);
    return (young === undefined ? this.#old.get(name) : young) ?? null;
  }

  #set(name: string, one: RememberedStream | null): void {
    this.#young.set(name, one);
    if (this.#young.size < MIN_STREAMS) return;
    this.#old = this.#young;
    this.#young = new Map();
  }
}
