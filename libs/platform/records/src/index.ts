export { openRecords, RECORDS_DRIVERS } from './drivers.js';
export { MemoryRecords } from './memory.js';
export { type RecordsOptions } from './options.js';
export {
  RecordsUnavailable,
  type Commit,
  type CommitLimits,
  type Condition,
  type RangeQuery,
  type RecordStore,
  type Row,
  type RowKey,
} from './port.js';
