import { ScyllaSession } from '@carillon/scylla';
import type { RecordsOptions } from '../../options.js';
import type { RecordStore } from '../../port.js';
import { ScyllaRecords } from './store.js';

/** Three times the limit of one request: a call may be several. */
const TIMEOUT_MS = 15_000;

export const openScyllaRecords = ({ config, table, timeoutMs = TIMEOUT_MS }: RecordsOptions): RecordStore =>
  new ScyllaRecords(new ScyllaSession(config.database.scylladb), { table, timeoutMs });
