import type { Config } from '@carillon/config';

export type ScyllaSettings = Config['database']['scylladb'];

/** Quotes a keyspace or table name, so that its case is kept. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
