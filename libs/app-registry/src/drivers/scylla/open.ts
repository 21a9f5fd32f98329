import type { Config } from '@carillon/config';
import { ScyllaSession } from '@carillon/scylla';
import { ScyllaAppStore } from './store.js';

export const openScylla = ({ database: { scylladb } }: Pick<Config, 'database'>): ScyllaAppStore =>
  new ScyllaAppStore(new ScyllaSession(scylladb), scylladb.table_name);
