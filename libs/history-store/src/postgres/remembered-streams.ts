import { type Stream, type StreamAddress, streamName } from '../model/stream.js';

/** A stream as this process wrote it last. */
export interface RememberedStream {
  readonly stream: Stream;
  /** The number of the transaction that wrote its row; while the row has it, nobody else has written it since. */
  readonly writtenBy: string;
}

/** The one that was written longest ago is forgotten first. */
const MAX_STREAMS = 20_000;

/** What need not be asked of the store, as long as it is asked whether it still holds. */
export class RememberedStreams {
  readonly #streams = new Map<string, RememberedStream>();

  /** Takes them out, so that no two batches start from the same; null: not all of them are known, and all stay. */
  take(addresses: readonly StreamAddress[]): readonly RememberedStream[] | null {
    const names = addresses.map(streamName);
    const found = names.flatMap((name) => this.#streams.get(name) ?? []);
    if (found.length < names.length) return null;
    for (const name of names) this.#streams.delete(name);
    return found;
  }

  /** After the transaction was committed. */
  keep(streams: readonly Stream[], writtenBy: string): void {
    for (const stream of streams) {
      const name = streamName(stream.address);
      this.#streams.delete(name);
      this.#streams.set(name, { stream, writtenBy });
    }
    for (const name of this.#streams.keys()) {
      if (this.#streams.size <= MAX_STREAMS) break;
      this.#streams.delete(name);
    }
  }

  /** After what cannot be relied upon: the server may be another one now, with numbers of its own. */
  forget(): void {
    this.#streams.clear();
  }
}
