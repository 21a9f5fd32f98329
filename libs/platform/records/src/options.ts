import type { Config } from '@carillon/config';

/** Options for opening a store. */
export interface RecordsOptions {
  readonly config: Pick<Config, 'database'>;
  /** Name of the table: a letter, then letters, digits and underscores. Installations that share a server differ in it. */
  readonly table: string;
  /** Limit of each call, in milliseconds. Absent: the default of the driver, 5 s, or 15 s of ScyllaDB. */
  readonly timeoutMs?: number;
}
