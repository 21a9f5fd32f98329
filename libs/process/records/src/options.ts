import type { Config } from '@carillon/config';

/** What a driver needs to open a store. */
export interface RecordsOptions {
  readonly config: Pick<Config, 'database'>;
  /** Name of the table: a letter, then letters, digits and underscores. Installations that share a server differ in it. */
  readonly table: string;
}
