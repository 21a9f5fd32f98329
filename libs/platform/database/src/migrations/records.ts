import type { Tables } from './tables.js';

/** Migration log; created by TypeORM, empty while no package has tables. */
export const RECORDS_TABLE = 'service_migrations';

export const RECORDS: Tables = { name: 'migrations', owned: { tables: [RECORDS_TABLE] }, migrations: [] };
