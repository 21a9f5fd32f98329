import type { SqlSession } from '@carillon/database';
import type { AnnotationEvent, AnnotationSummary } from '../model/annotation.js';
import type { PresenceCheckpoint } from '../model/checkpoint.js';
import type {
  AnnotationsQuery,
  IdleStreamsQuery,
  MessageReads,
  MessagesQuery,
  OpenStream,
  SummariesQuery,
  VersionsQuery,
} from '../model/living.js';
import type { StoredMessage } from '../model/message.js';
import type { MemberThere, PresenceEvent } from '../model/presence.js';
import type { StoredRecord } from '../model/record.js';
import type { Stream } from '../model/stream.js';
import type {
  CheckpointQuery,
  DegradedQuery,
  HistoryStore,
  MembersQuery,
  PageQuery,
  PresenceEvents,
  PresentMembers,
  RangeQuery,
  Retained,
} from '../port.js';
import { readCheckpoint } from './checkpoints.js';
import { readDegraded } from './degraded.js';
import { asStoreFailure } from './failure-of.js';
import { readMembersThere } from './members.js';
import type { MessageDialect } from './message-dialect.js';
import { readAnnotations, readIdleStreams, readMessages, readSummaries, readVersions } from './messages.js';
import { readPage, readPresenceEvents, readRange } from './read.js';
import { readRetained } from './retained.js';
import type { Names } from './shown.js';
import { RememberedSums } from './sums.js';

type Reads = MessageReads &
  Pick<HistoryStore, 'degraded' | 'page' | 'range' | 'retained'> &
  PresenceEvents &
  PresentMembers;

type Work<Result> = (session: SqlSession) => Promise<Result>;

/** Reads common to both databases. Subclasses supply the tables and the snapshot isolation. */
export abstract class SqlReads implements Reads {
  readonly #sums = new RememberedSums();

  protected abstract readonly table: Names;
  /** SQL dialect for reading many messages at once. */
  protected abstract readonly messageDialect: MessageDialect;
  /** The index of degraded streams, for a database that would not find it. */
  protected readonly degradedHint: string = '';

  protected abstract read<Result>(work: Work<Result>): Promise<Result>;

  /** Runs reads in one snapshot. */
  protected abstract readHistory<Result>(work: Work<Result>): Promise<Result>;

  /** Runs reads over the connections of the lanes. */
  protected abstract readForLane<Result>(work: Work<Result>): Promise<Result>;

  degraded(query: DegradedQuery): Promise<readonly Stream[]> {
    return this.#read((session) => readDegraded(session, this.table, query, this.degradedHint));
  }

  range(query: RangeQuery): Promise<readonly StoredRecord[]> {
    const work: Work<StoredRecord[]> = (session) => readRange(session, this.table, query);
    return query.overLanes === true ? asStoreFailure(() => this.readForLane(work)) : this.#read(work);
  }

  page(query: PageQuery): Promise<readonly StoredRecord[]> {
    return this.#readHistory((session) => readPage(session, this.table, query, this.#sums));
  }

  retained(stream: Stream, nowMs: number): Promise<Retained> {
    return this.#readHistory((session) => readRetained(session, this.table, stream, nowMs, this.#sums));
  }

  presenceEvents(query: PageQuery): Promise<readonly PresenceEvent[]> {
    return this.#readHistory((session) => readPresenceEvents(session, this.table, query, this.#sums));
  }

  presenceCheckpoint(query: CheckpointQuery): Promise<PresenceCheckpoint | null> {
    return this.#read((session) => readCheckpoint(session, this.table, query));
  }

  membersThere(query: MembersQuery): Promise<readonly MemberThere[]> {
    return this.#read((session) => readMembersThere(session, this.table, query));
  }

  messages(query: MessagesQuery): Promise<readonly StoredMessage[]> {
    return this.#readHistory((session) => readMessages(session, this.table, query, this.messageDialect));
  }

  versions(query: VersionsQuery): Promise<readonly StoredRecord[]> {
    return this.#readHistory((session) => readVersions(session, this.table, query));
  }

  annotations(query: AnnotationsQuery): Promise<readonly AnnotationEvent[]> {
    return this.#readHistory((session) => readAnnotations(session, this.table, query));
  }

  summaries(query: SummariesQuery): Promise<readonly AnnotationSummary[]> {
    return this.#readHistory((session) => readSummaries(session, this.table, query));
  }

  idleStreams(query: IdleStreamsQuery): Promise<readonly OpenStream[]> {
    return this.#read((session) => readIdleStreams(session, this.table, query));
  }

  #read<Result>(work: Work<Result>): Promise<Result> {
    return asStoreFailure(() => this.read(work));
  }

  #readHistory<Result>(work: Work<Result>): Promise<Result> {
    return asStoreFailure(() => this.readHistory(work));
  }
}
