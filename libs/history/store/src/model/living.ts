import type {
  AnnotationEvent,
  AnnotationSummary,
  FoundAnnotation,
  FoundSummary,
  NewSummary,
} from './annotation.js';
import { expiry } from './calendar.js';
import { outlivesFragments, reachesBase, type StoredMessage } from './message.js';
import type { StoredRecord } from './record.js';
import { publicationTime, type Stream, type StreamAddress } from './stream.js';

/** Mutable messages that a batch requires. Streams held by other transactions are omitted. */
export interface WantedMessages {
  /** Each once. */
  readonly states: readonly WantedMessage[];
  /** Operations that may be repeated, by their hashes. */
  readonly operations: readonly { readonly address: StreamAddress; readonly hash: string }[];
  /** Annotations to be deleted; the summaries of their types are returned too. */
  readonly annotations: readonly { readonly address: StreamAddress; readonly annotationSerial: string }[];
  readonly summaries: readonly {
    readonly address: StreamAddress;
    readonly messageSerial: string;
    readonly type: string;
  }[];
  /** Summaries that need not be read when this annotation changed them last. */
  readonly known: readonly KnownSummary[];
}

export interface KnownSummary {
  readonly streamKey: string;
  readonly messageSerial: string;
  readonly type: string;
  readonly lastNo: number;
}

export interface WantedMessage {
  readonly address: StreamAddress;
  readonly messageSerial: string;
  /** Whether its data is needed. Otherwise it is read only if the appends cause a new snapshot. */
  readonly whole: boolean;
  readonly appends: number;
  readonly bytes: number;
  /** Longest retention of the new versions. Null: unlimited. */
  readonly keepMs: number | null;
}

/** Whether a batch needs the data of a message because it writes a new snapshot. */
export const needsData = (
  message: StoredMessage,
  { whole, keepMs, ...appended }: WantedMessage,
  { stream, nowMs }: { readonly stream: Stream; readonly nowMs: number },
): boolean =>
  whole ||
  reachesBase(message, appended) ||
  outlivesFragments(message, expiry(publicationTime(stream, nowMs), keepMs));

/** An operation that was done before. */
export interface FoundOperation {
  readonly streamKey: string;
  readonly hash: string;
  readonly fingerprint: string;
  readonly deliverySerial: number;
  readonly versionSerial: string;
  readonly atMs: number;
}

/** Stored messages, including those that have become unreadable: readers filter them. */
export interface FoundMessages {
  readonly states: readonly StoredMessage[];
  readonly operations: readonly FoundOperation[];
  readonly annotations: readonly FoundAnnotation[];
  readonly summaries: readonly FoundSummary[];
  /** Annotation types of each message that is annotated with a type for the first time. */
  readonly types: readonly AnnotationTypes[];
}

/** The number of types that a message has annotations of, or had. */
export interface AnnotationTypes {
  readonly streamKey: string;
  readonly messageSerial: string;
  readonly count: number;
}

/** An event of an annotation as it is written. */
export interface NewAnnotation extends AnnotationEvent {
  readonly keepUntilMs: number;
}

/** Message rows that a batch writes. */
export interface MessageChanges {
  readonly states: readonly StoredMessage[];
  readonly annotations: readonly NewAnnotation[];
  readonly summaries: readonly NewSummary[];
}

/** Messages of one stream in their latest state, with their data. */
export interface MessagesQuery {
  readonly streamKey: string;
  readonly generation: number;
  /** Purged below it. */
  readonly floorMessageSerial: number;
  readonly nowMs: number;
  readonly messageSerials: readonly string[];
}

/** Versions of one message, in the requested order. */
export interface VersionsQuery {
  readonly streamKey: string;
  readonly generation: number;
  readonly messageSerial: string;
  /** Older ones are over; null: none is. */
  readonly sinceMs: number | null;
  readonly newestFirst: boolean;
  /** A version serial, exclusive; null: from the end. */
  readonly after: string | null;
  readonly limit: number;
}

/** Events of annotations, oldest first. */
export interface AnnotationsQuery {
  readonly streamKey: string;
  /** Null: all messages of the stream, including unreadable ones. */
  readonly messageSerial: string | null;
  /** Null: of every type. */
  readonly type: string | null;
  /** Older ones are over; null: none is. */
  readonly sinceMs: number | null;
  /** Exclusive. */
  readonly afterNo: number;
  readonly limit: number;
}

/** Summaries of messages of one stream that can be read, the one that changed last first. */
export interface SummariesQuery {
  readonly streamKey: string;
  readonly generation: number;
  readonly floorMessageSerial: number;
  readonly nowMs: number;
  /** Changed before this annotation; null: at any time. */
  readonly belowNo: number | null;
  /** Restricts the result to these messages. Absent: all. */
  readonly messageSerials?: readonly string[];
  readonly limit: number;
}

/** Open messages of a lane without activity since a given time. */
export interface IdleStreamsQuery {
  readonly lane: number;
  readonly lanes: number;
  readonly idleSinceMs: number;
  readonly limit: number;
}

/** An open stream of an answer. */
export interface OpenStream {
  readonly address: StreamAddress;
  readonly message: StoredMessage;
}

/** Reads of mutable messages. */
export interface MessageReads {
  messages(query: MessagesQuery): Promise<readonly StoredMessage[]>;
  versions(query: VersionsQuery): Promise<readonly StoredRecord[]>;
  annotations(query: AnnotationsQuery): Promise<readonly AnnotationEvent[]>;
  summaries(query: SummariesQuery): Promise<readonly AnnotationSummary[]>;
  /** Longest idle first; their data is not read. */
  idleStreams(query: IdleStreamsQuery): Promise<readonly OpenStream[]>;
}

/** Whether a message can be read at a moment: it is of this stream, not purged, and not over. */
export const isReadableMessage = (
  { generation, historySerial, keepUntilMs }: StoredMessage,
  stream: { readonly generation: number; readonly floorMessageSerial: number },
  nowMs: number,
): boolean =>
  generation === stream.generation && historySerial >= stream.floorMessageSerial && keepUntilMs > nowMs;
