import type { RecordStore } from '@carillon/records';
import { StoreFailure } from '../failures.js';
import type { Wanted } from '../model/changes.js';
import { type StreamAddress, streamName } from '../model/stream.js';
import { Draft } from './draft.js';
import { type FoundRows, readWanted } from './found-rows.js';
import { encodeHead, type Head, shownStream } from './head.js';
import { HEAD, type KeyChoice } from './keys.js';
import type { StreamReader, StreamRows } from './reader.js';

/** Keys tried for one address. Two addresses share one with a probability of 1 in 2^63. */
const MAX_ATTEMPTS = 4;
/** Streams whose generation is remembered. */
const MAX_GENERATIONS = 50_000;

/** Finds streams by their addresses. */
export class StreamLocator {
  /** Generations other than the first, so that most reads need one round trip. */
  readonly #generations = new Map<string, number>();

  constructor(
    private readonly reader: StreamReader,
    private readonly records: RecordStore,
    private readonly keyOf: KeyChoice,
  ) {}

  /** The rows that a batch has to know of its stream. */
  async find(wanted: Wanted, address: StreamAddress, create: boolean): Promise<FoundRows> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const streamKey = this.keyOf(address, attempt);
      const guess = { streamKey, generation: this.#generations.get(streamKey) ?? 1 };
      const found = await readWanted(this.reader, wanted, guess);
      this.#remember(streamKey, found.owner.generation);
      const { head } = found;
      if (head === null || isOf(head, address)) return found;
      // Addresses behind this one are found by way of it, so it must stay.
      if (create && !head.isPinned && !(await this.#pin(head))) attempt -= 1;
    }
    throw keysTaken(address);
  }

  /** The streams that exist, in no order. */
  async heads(
    addresses: readonly StreamAddress[],
    attempt = 0,
  ): Promise<(StreamRows & { readonly head: Head })[]> {
    const asked = new Map(addresses.map((address) => [this.keyOf(address, attempt), address]));
    const found = await this.reader.heads([...asked.keys()]);
    const isAsked = ({ head }: { readonly head: Head }): boolean => {
      const address = asked.get(head.stream.streamKey);
      return address !== undefined && isOf(head, address);
    };
    const others = found
      .filter((one) => !isAsked(one))
      .flatMap(({ head }) => asked.get(head.stream.streamKey) ?? []);
    // Two of the addresses may have one key: the map holds the last.
    const hidden = addresses.filter((address) => asked.get(this.keyOf(address, attempt)) !== address);
    if (others.length + hidden.length === 0) return found;
    if (attempt + 1 === MAX_ATTEMPTS) throw keysTaken(others[0] ?? addresses[0]);
    return [
      ...found.filter(isAsked),
      ...(await this.heads(others, attempt + 1)),
      ...(await this.heads(hidden, attempt)),
    ];
  }

  #remember(streamKey: string, generation: number): void {
    if (generation === 1) return;
    if (this.#generations.size >= MAX_GENERATIONS) this.#generations.clear();
    this.#generations.set(streamKey, generation);
  }

  async #pin(head: Head): Promise<boolean> {
    const draft = new Draft(head.stream.streamKey, this.records.limits.valueBytes);
    const pinned = { ...head, isPinned: true, version: head.version + 1 };
    draft.put(HEAD, encodeHead(pinned), { version: pinned.version });
    draft.require(HEAD, head.version);
    return this.records.commit(draft.commit);
  }
}

const isOf = ({ stream }: Head, address: StreamAddress): boolean =>
  streamName(stream.address) === streamName(address);

const keysTaken = (address: StreamAddress | undefined): StoreFailure =>
  new StoreFailure('data', `other streams have all keys of a stream of app "${address?.appId ?? ''}"`);

export const streamOf = ({ head, side }: StreamRows & { readonly head: Head }) => shownStream(head, side);
