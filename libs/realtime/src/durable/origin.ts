import type { StreamAddress } from '@carillon/history-store';
import type { Gap, Head, Ordered, Refetched } from './stream-order.js';

/** Head of a stream, and how its missing records are read. */
export interface OriginHead<Record extends Ordered> extends Head {
  /** Returns the records in any order. */
  readonly read: (gap: Gap) => Promise<readonly Refetched<Record>[]>;
}

/** Source of the followed streams. Every call settles. */
export interface Origin<Record extends Ordered> {
  /**
   * Returns the heads in the order of the addresses; null: the stream does not exist. With `make` missing streams are
   * created.
   */
  heads(addresses: readonly StreamAddress[], make: boolean): Promise<readonly (OriginHead<Record> | null)[]>;
  /** Returns one head synchronously if possible; undefined or absent: only `heads` can. */
  headNow?(address: StreamAddress): OriginHead<Record> | undefined;
}
