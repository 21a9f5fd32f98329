export { openRecords, RECORDS_DRIVERS, type RecordsOptions } from './drivers.js';
export { MemoryRecords } from './memory.js';
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
