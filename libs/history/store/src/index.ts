export { StoreFailure, type StoreFailureCause } from './failures.js';
export { MemoryHistoryStore } from './memory/memory-store.js';
export {
  type AnnotationAction,
  type AnnotationEvent,
  type AnnotationSummary,
  type Contribution,
  type FoundAnnotation,
  type FoundSummary,
  type NewSummary,
} from './model/annotation.js';
export { expiry, FOREVER_MS, keepDay } from './model/calendar.js';
export {
  type Below,
  type Changes,
  type Found,
  type Inspection,
  type OperatorEntry,
  type Purgeable,
  type Wanted,
} from './model/changes.js';
export {
  CHECKPOINT_EVERY,
  fitsCheckpoint,
  isCheckpoint,
  type NewCheckpoint,
  type PresenceCheckpoint,
  type PresenceStanding,
} from './model/checkpoint.js';
export {
  type AnnotationsQuery,
  type AnnotationTypes,
  type FoundMessages,
  type FoundOperation,
  type KnownSummary,
  type IdleStreamsQuery,
  isReadableMessage,
  type MessageChanges,
  type MessageReads,
  type MessagesQuery,
  type NewAnnotation,
  type OpenStream,
  type SummariesQuery,
  type VersionsQuery,
  type WantedMessage,
  type WantedMessages,
} from './model/living.js';
export { positioned } from './model/frame.js';
export {
  type DataKind,
  fragmentOf,
  type MessageAction,
  type MessageData,
  type StoredMessage,
} from './model/message.js';
export {
  type MemberThere,
  type PresenceCause,
  type PresenceEvent,
  type PresenceEventName,
  type PresenceMember,
} from './model/presence.js';
export { type FoundReceipt, type Receipt } from './model/receipt.js';
export { type NewRecord, type RecordAction, type StoredRecord } from './model/record.js';
export { laneOf } from './model/route.js';
export {
  newStream,
  NOTHING_STORED,
  publicationTime,
  streamName,
  type DurableState,
  type Stream,
  type StreamAddress,
  type StreamKind,
  type StreamState,
} from './model/stream.js';
export { HISTORY_STORE, HistoryStoreModule, keepsHistory, openNow, opensAtStart } from './module.js';
export { MysqlHistoryStore, type MysqlHistoryOptions, ONE_MOMENT } from './mysql/mysql-store.js';
export { mysqlTables } from './mysql/tables.js';
export { HISTORY_BACKENDS } from './open.js';
export {
  type BatchLimits,
  type CheckpointQuery,
  type DegradedQuery,
  type DurableStore,
  type MembersQuery,
  type PresentMembers,
  type HistoryStore,
  type PageQuery,
  type PresenceEvents,
  type RangeQuery,
  type Retained,
  type TailQuery,
  TRANSACTION_LIMITS,
  type Watermark,
} from './port.js';
export { laneConnections } from './postgres/lane-connections.js';
export { PostgresHistoryStore, type PostgresHistoryOptions } from './postgres/postgres-store.js';
export { type RecordHistoryOptions, RecordHistoryStore } from './records/record-store.js';
export { SERVER_SPREAD, SINGLE_SPREAD, type Spread } from './postgres/spread.js';
export { historyTables } from './postgres/tables.js';
export { PurgeModule } from './purge.module.js';
export { PurgeWorker, type PurgeWorkerOptions, type PurgeWorkerParts } from './purge-worker.js';
export {
  type AppSurvey,
  type Evicted,
  type HistoryRetention,
  type PurgeRequest,
  type PurgeStep,
} from './retention.js';
