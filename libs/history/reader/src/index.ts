export {
  type HistoryItemBody,
  type HistoryPageBody,
  type HistoryStreamBody,
  type RetainedBody,
  type StreamStateBody,
} from './bodies.js';
export { type StateSource } from './observed.js';
export { FaultDesk, type FaultDeskParts, type Faults, type Ruling } from './fault-desk.js';
export { MarkingCommits, type HistoryCommits, type MarkingCommitsParts } from './hints/marking-commits.js';
export { StateHints, type FoundHint, type HintSource, type StateHintsParts } from './hints/state-hints.js';
export {
  HISTORY_COMMITS,
  HISTORY_READER,
  MESSAGE_READER,
  HistoryModule,
  PRESENCE_HISTORY_READER,
  READ_TURNS,
  STREAM_READS,
  type HistorySources,
} from './module.js';
export { type PastMessage, type PastPage } from './past.js';
export { type Fault, type FaultReason } from './page-faults.js';
export {
  type PresenceContinuityBody,
  type PresenceEventBody,
  type PresenceItemBody,
  type PresenceMemberBody,
  type PresencePageBody,
  type PresenceRetainedBody,
  type PresenceSnapshotBody,
  type PresenceStateBody,
  type PresenceStreamBody,
} from './presence-bodies.js';
export {
  PresenceHistoryReader,
  type PresenceHistoryReaderOptions,
  type PresenceHistoryReaderParts,
} from './presence-reader.js';
export {
  readHistoryQuery,
  type HistoryBounds,
  type HistoryDirection,
  type HistoryQuery,
  type QueryParameters,
} from './query.js';
export { ReadTurns, type ReadTurnsOptions } from './read-turns.js';
export {
  HistoryReader,
  type HistoryReaderOptions,
  type HistoryReaderParts,
  type HistoryReads,
} from './reader.js';
export { MessageReader, type MessageReaderParts, type MessageSource } from './message-reader.js';
export { readSnapshotQuery, type SnapshotQuery } from './snapshot-query.js';
