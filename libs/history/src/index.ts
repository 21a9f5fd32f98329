export {
  type HistoryItemBody,
  type HistoryPageBody,
  type HistoryStreamBody,
  type RetainedBody,
  type StateSource,
  type StreamStateBody,
} from './bodies.js';
export {
  readHistoryQuery,
  type HistoryBounds,
  type HistoryDirection,
  type HistoryQuery,
  type QueryParameters,
} from './query.js';
export { HistoryReader, type HistoryReaderOptions, type HistoryReaderParts } from './reader.js';
export { ChannelOrder, type ChannelOrderOptions } from './ordering/channel-order.js';
export { type Head, type OrderedRecord, type Step } from './ordering/step.js';
