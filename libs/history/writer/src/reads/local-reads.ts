import {
  type AnnotationEvent,
  type AnnotationsQuery,
  type AnnotationSummary,
  type Changes,
  type CheckpointQuery,
  type MessagesQuery,
  type PageQuery,
  type PresenceCheckpoint,
  type PresenceEvent,
  type RangeQuery,
  type Retained,
  type StoredMessage,
  type StoredRecord,
  type Stream,
  type StreamAddress,
  type SummariesQuery,
  type VersionsQuery,
  streamName,
} from '@carillon/history-store';
import type { ChannelReads, ReadableStore } from './port.js';

const NO_CHANGES: Changes = {
  streams: [],
  records: [],
  receipts: [],
  presenceEvents: [],
  presenceMembers: [],
  presenceCheckpoints: [],
  operatorLog: [],
};

/** Reads from the store of this process. */
export class LocalReads implements ChannelReads {
  constructor(
    private readonly store: ReadableStore,
    private readonly now: () => number,
  ) {}

  async heads(addresses: readonly StreamAddress[], create = false): Promise<ReadonlyMap<string, Stream>> {
    const found = await this.store.heads(addresses);
    const missing = addresses.filter((address) => !found.has(streamName(address)));
    if (!create || missing.length === 0) return found;
    await this.#make(missing);
    return new Map([...found, ...(await this.store.heads(missing))]);
  }

  range(query: RangeQuery): Promise<readonly StoredRecord[]> {
    return this.store.range(query);
  }

  page(query: PageQuery): Promise<readonly StoredRecord[]> {
    return this.store.page(query);
  }

  retained(stream: Stream, nowMs: number): Promise<Retained> {
    return this.store.retained(stream, nowMs);
  }

  presenceEvents(query: PageQuery): Promise<readonly PresenceEvent[]> {
    return this.store.presenceEvents(query);
  }

  presenceCheckpoint(query: CheckpointQuery): Promise<PresenceCheckpoint | null> {
    return this.store.presenceCheckpoint(query);
  }

  messages(query: MessagesQuery): Promise<readonly StoredMessage[]> {
    return this.store.messages(query);
  }

  versions(query: VersionsQuery): Promise<readonly StoredRecord[]> {
    return this.store.versions(query);
  }

  annotations(query: AnnotationsQuery): Promise<readonly AnnotationEvent[]> {
    return this.store.annotations(query);
  }

  summaries(query: SummariesQuery): Promise<readonly AnnotationSummary[]> {
    return this.store.summaries(query);
  }

  /** Batches that write nothing make the streams they are about. */
  async #make(addresses: readonly StreamAddress[]): Promise<void> {
    const most = Math.min(this.store.limits.streams, addresses.length);
    for (let from = 0; from < addresses.length; from += most)
      await this.#makeSome(addresses.slice(from, from + most));
  }

  async #makeSome(addresses: readonly StreamAddress[]): Promise<void> {
    const nowMs = this.now();
    await this.store.commit(
      {
        nowMs,
        streams: addresses.map((address) => ({ address, create: true })),
        receipts: { scopes: [], sinceMs: nowMs },
        members: [],
        crowds: [],
        below: null,
        inspect: false,
      },
      () => ({ changes: NO_CHANGES }),
    );
  }
}
