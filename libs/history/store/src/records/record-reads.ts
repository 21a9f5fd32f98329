import type { RecordStore } from '@carillon/records';
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
import { type Stream, type StreamAddress, streamName } from '../model/stream.js';
import type {
  CheckpointQuery,
  DegradedQuery,
  MembersQuery,
  PageQuery,
  RangeQuery,
  Retained,
  TailQuery,
} from '../port.js';
import { GuardedRecords } from './guarded.js';
import { KIND, type KeyChoice, lastNumber, serialRange, sortOf } from './keys.js';
import { StreamLocator, streamOf } from './locate.js';
import { MessageRows } from './message-reads.js';
import { StreamIndexes } from './indexes.js';
import { StreamReader } from './reader.js';
import { asEvent, asRecord, decodeCheckpoint, decodeRecord, type RecordRow } from './rows.js';
import { ShownHistory } from './shown.js';

const NOTHING: Retained = { oldest: null, newest: null, messages: 0, bytes: 0 };

/** Everything that is read from the partitions of streams and from the indexes over them. */
export class RecordReads {
  protected readonly records: RecordStore;
  protected readonly reader: StreamReader;
  protected readonly locator: StreamLocator;
  protected readonly indexes: StreamIndexes;
  readonly #messages: MessageRows;

  constructor(records: RecordStore, now: () => number, keyOf: KeyChoice) {
    this.records = new GuardedRecords(records);
    this.reader = new StreamReader(this.records);
    this.locator = new StreamLocator(this.reader, this.records, keyOf);
    this.indexes = new StreamIndexes(this.reader, this.records, now);
    this.#messages = new MessageRows(this.reader);
  }

  async heads(addresses: readonly StreamAddress[]): Promise<ReadonlyMap<string, Stream>> {
    const streams = (await this.locator.heads(addresses)).map(streamOf);
    return new Map(streams.map((stream) => [streamName(stream.address), stream]));
  }

  async range({
    streamKey,
    generation,
    fromSerial,
    toSerial,
    limit,
  }: RangeQuery): Promise<readonly StoredRecord[]> {
    const [{ head, side }, rows] = await Promise.all([
      this.reader.streamRows(streamKey),
      this.reader.range(streamKey, serialRange(generation, KIND.record, fromSerial, toSerial), { limit }),
    ]);
    if (head?.stream.generation !== generation) return [];
    const { floorHistorySerial: floor } = streamOf({ head, side });
    return rows.map(({ sort, value }) => {
      const record = asRecord(decodeRecord({ streamKey, generation }, lastNumber(sort), value));
      const serial = record.rootHistorySerial ?? record.historySerial;
      // Rows below the floor read as erased, even before a purge erases them.
      return serial !== null && serial < floor ? { ...record, tombstone: true, payload: null } : record;
    });
  }

  async page(query: PageQuery): Promise<readonly StoredRecord[]> {
    const shown = await this.#shown(query.stream, query.nowMs);
    const entries = (await shown?.page(query)) ?? [];
    const { streamKey, generation } = query.stream;
    const apart = entries.filter(({ record }) => record === undefined);
    const sorts = apart.map(({ deliverySerial }) => sortOf(generation, KIND.record, deliverySerial));
    const rows = await this.reader.get(streamKey, sorts);
    const recordOf = (serial: number): RecordRow | null => {
      const row = rows.get(sortOf(generation, KIND.record, serial));
      return row === undefined ? null : decodeRecord({ streamKey, generation }, serial, row.value);
    };
    return entries.flatMap(({ record, deliverySerial }) => {
      const row = record ?? recordOf(deliverySerial);
      return row === null ? [] : [asRecord(row)];
    });
  }

  async presenceEvents(query: PageQuery): Promise<readonly PresenceEvent[]> {
    const shown = await this.#shown(query.stream, query.nowMs);
    const entries = (await shown?.page(query)) ?? [];
    return entries.flatMap(({ event }) => (event === undefined ? [] : [asEvent(event)]));
  }

  async retained(stream: Stream, nowMs: number): Promise<Retained> {
    return (await (await this.#shown(stream, nowMs))?.retained()) ?? NOTHING;
  }

  async presenceCheckpoint(query: CheckpointQuery): Promise<PresenceCheckpoint | null> {
    const { streamKey, generation, fromSerial, toSerial } = query;
    const range = serialRange(generation, KIND.checkpoint, fromSerial, toSerial);
    const [{ head }, [row]] = await Promise.all([
      this.reader.streamRows(streamKey),
      this.reader.range(streamKey, range, { reverse: true, limit: 1 }),
    ]);
    if (row === undefined || head?.stream.generation !== generation) return null;
    return { serial: lastNumber(row.sort), members: decodeCheckpoint(row.value) };
  }

  membersThere(query: MembersQuery): Promise<readonly MemberThere[]> {
    return this.indexes.membersThere(query);
  }

  behind(query: TailQuery): Promise<readonly Stream[]> {
    return this.indexes.behind(query);
  }

  degraded(query: DegradedQuery): Promise<readonly Stream[]> {
    return this.indexes.degraded(query);
  }

  idleStreams(query: IdleStreamsQuery): Promise<readonly OpenStream[]> {
    return this.indexes.idleStreams(query);
  }

  messages(query: MessagesQuery): Promise<readonly StoredMessage[]> {
    return this.#messages.messages(query);
  }

  versions(query: VersionsQuery): Promise<readonly StoredRecord[]> {
    return this.#messages.versions(query);
  }

  annotations(query: AnnotationsQuery): Promise<readonly AnnotationEvent[]> {
    return this.#messages.annotations(query);
  }

  summaries(query: SummariesQuery): Promise<readonly AnnotationSummary[]> {
    return this.#messages.summaries(query);
  }

  /** Null: the stream was reset or deleted since. */
  async #shown(stream: Stream, nowMs: number): Promise<ShownHistory | null> {
    const { head } = await this.reader.streamRows(stream.streamKey);
    if (head?.stream.generation !== stream.generation) return null;
    return new ShownHistory(this.reader, stream, nowMs, head);
  }
}
