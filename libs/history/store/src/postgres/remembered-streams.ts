import { type Stream, type StreamAddress, streamName } from '../model/stream.js';

/** A stream as this process wrote it last. */
export interface RememberedStream {
  readonly stream: Stream;
  /** The number of the transaction that wrote its row; while the row has it, nobody else has written it since. */
  readonly writtenBy: string;
  /** Which of the times it is remembered: from its beginning on nobody else has written it. */
  readonly spell: number;
}

/** So many of those that were written last are remembered at least. */
const MIN_STREAMS = 10_000;

type Known = Map<string, RememberedStream | null>;

/**
 * What need not be asked of the store, as long as it is asked whether it still holds. Streams that are not written any
 * more are forgotten a generation at a time, and one that is taken out leaves its place: maps that lose what they gain
 * keep the collector busy.
 */
export class RememberedStreams {
  /** Null: taken out, or not known any more. */
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

  /** After what cannot be relied upon: the server may be another one now, with numbers of its own. */
  forget(): void {
    this.#young = new Map();
    this.#old = new Map();
  }

  /** A place among the young ones, taken out or not, hides the one among the old. */
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
