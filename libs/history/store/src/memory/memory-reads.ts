import type { AnnotationEvent, AnnotationSummary } from '../model/annotation.js';
import type { PresenceCheckpoint } from '../model/checkpoint.js';
import type {
  AnnotationsQuery,
  IdleStreamsQuery,
  MessagesQuery,
  OpenStream,
  SummariesQuery,
  VersionsQuery,
} from '../model/living.js';
import type { StoredMessage } from '../model/message.js';
import type { MemberThere, PresenceEvent } from '../model/presence.js';
import type { StoredRecord } from '../model/record.js';
import { laneOf } from '../model/route.js';
import { type Stream, type StreamAddress, streamName } from '../model/stream.js';
import type {
  CheckpointQuery,
  DegradedQuery,
  MembersQuery,
  PageQuery,
  RangeQuery,
  Retained,
} from '../port.js';
import { MemoryStreams } from './streams.js';

const byStreamAndUser = (one: MemberThere, other: MemberThere): number =>
  Number(one.streamKey) - Number(other.streamKey) || (one.userId < other.userId ? -1 : 1);

/** Read operations on streams in memory. */
export class MemoryReads {
  protected readonly streams = new MemoryStreams();

  async degraded({ after, limit }: DegradedQuery): Promise<readonly Stream[]> {
    return this.streams
      .degraded()
      .map(Number)
      .filter((key) => key > Number(after ?? 0))
      .sort((one, other) => one - other)
      .flatMap((key) => this.streams.byKey(String(key))?.stream ?? [])
      .slice(0, limit);
  }

  async heads(addresses: readonly StreamAddress[]): Promise<ReadonlyMap<string, Stream>> {
    const found = new Map<string, Stream>();
    for (const address of addresses) {
      const held = this.streams.byAddress(address);
      if (held !== undefined) found.set(streamName(address), held.stream);
    }
    return found;
  }

  async range(query: RangeQuery): Promise<readonly StoredRecord[]> {
    return this.streams.current(query)?.range(query) ?? [];
  }

  async page(query: PageQuery): Promise<readonly StoredRecord[]> {
    return this.streams.current(query.stream)?.page(query) ?? [];
  }

  async presenceEvents(query: PageQuery): Promise<readonly PresenceEvent[]> {
    return this.streams.current(query.stream)?.events(query) ?? [];
  }

  async presenceCheckpoint(query: CheckpointQuery): Promise<PresenceCheckpoint | null> {
    return this.streams.current(query)?.presence.checkpoint(query) ?? null;
  }

  async membersThere({ after, limit }: MembersQuery): Promise<readonly MemberThere[]> {
    const first = Number(after?.streamKey ?? 0);
    return [...this.streams.all()]
      .flatMap((held) => held.presence.there(held.stream))
      .filter(
        ({ streamKey, userId }) =>
          Number(streamKey) > first || (Number(streamKey) === first && userId > (after?.userId ?? '')),
      )
      .sort(byStreamAndUser)
      .slice(0, limit);
  }

  async retained(stream: Stream, nowMs: number): Promise<Retained> {
    return (
      this.streams.current(stream)?.retained(nowMs) ?? { oldest: null, newest: null, messages: 0, bytes: 0 }
    );
  }

  async messages({ messageSerials, nowMs, ...stream }: MessagesQuery): Promise<readonly StoredMessage[]> {
    const held = this.streams.current(stream);
    if (held === undefined) return [];
    return messageSerials.flatMap((serial) => held.messages.readable(serial, held.stream, nowMs) ?? []);
  }

  async versions(query: VersionsQuery): Promise<readonly StoredRecord[]> {
    return (this.streams.current(query)?.messages.versions(query) ?? []).map(
      ({ operation: _known, ...record }) => record,
    );
  }

  async annotations(query: AnnotationsQuery): Promise<readonly AnnotationEvent[]> {
    return this.streams.byKey(query.streamKey)?.messages.annotations(query) ?? [];
  }

  async summaries(query: SummariesQuery): Promise<readonly AnnotationSummary[]> {
    const { nowMs, belowNo, messageSerials, limit, ...stream } = query;
    const held = this.streams.current(stream);
    if (held === undefined) return [];
    const all = held.messages
      .summaries(held.stream, nowMs)
      .filter(
        ({ lastNo, messageSerial }) =>
          (belowNo === null || lastNo < belowNo) && messageSerials?.includes(messageSerial) !== false,
      );
    return all.sort((one, other) => other.lastNo - one.lastNo).slice(0, limit);
  }

  async idleStreams({ lane, lanes, idleSinceMs, limit }: IdleStreamsQuery): Promise<readonly OpenStream[]> {
    const found: OpenStream[] = [];
    for (const { stream, messages } of this.streams.all()) {
      const { address } = stream;
      if (stream.openStreams === 0 || laneOf(address.appId, address.channel, lanes) !== lane) continue;
      for (const message of messages.open())
        if (message.atMs <= idleSinceMs) found.push({ address, message });
    }
    return found.sort((one, other) => one.message.atMs - other.message.atMs).slice(0, limit);
  }
}
