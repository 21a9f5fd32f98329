import type { Tables } from './tables.js';

/** Where it is recorded which migrations have run; TypeORM makes it, and empty where a room has no tables yet. */
export const RECORDS_TABLE = 'service_migrations';

export const RECORDS: Tables = { name: 'migrations', owned: { tables: [RECORDS_TABLE] }, migrations: [] };
