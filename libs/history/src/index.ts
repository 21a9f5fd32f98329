export {
  type HistoryItemBody,
  type HistoryPageBody,
  type HistoryStreamBody,
  type RetainedBody,
  type StateSource,
  type StreamStateBody,
} from './bodies.js';
export { HISTORY_READER, HistoryModule, STREAM_READS, type Claims, type HistorySources } from './module.js';
export {
  readHistoryQuery,
  type HistoryBounds,
  type HistoryDirection,
  type HistoryQuery,
  type QueryParameters,
} from './query.js';
export {
  HistoryReader,
  type HistoryReaderOptions,
  type HistoryReaderParts,
  type HistoryReads,
} from './reader.js';
