import { ScyllaSession } from '@carillon/scylla';
import type { RecordsOptions } from '../../options.js';
import type { RecordStore } from '../../port.js';
import { ScyllaRecords } from './store.js';

export const openScyllaRecords = ({ config, table }: RecordsOptions): RecordStore =>
  new ScyllaRecords(new ScyllaSession(config.database.scylladb), table);
