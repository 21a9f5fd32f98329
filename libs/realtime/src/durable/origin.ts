import type { StreamAddress } from '@carillon/history-store';
import type { Gap, Head, Ordered, Refetched } from './stream-order.js';

/** Head of a stream, and how its missing records are read. */
export interface OriginHead<Record extends Ordered> extends Head {
  /** In any order. */
  readonly read: (gap: Gap) => Promise<readonly Refetched<Record>[]>;
}

/** Source of the followed streams. Every call settles. */
export interface Origin<Record extends Ordered> {
  /** In the order asked; null: there is no stream, which with `make` is made first. */
  heads(addresses: readonly StreamAddress[], make: boolean): Promise<readonly (OriginHead<Record> | null)[]>;
  /** The same of one, where nothing has to be waited for; undefined, or absent: it has to be. */
  headNow?(address: StreamAddress): OriginHead<Record> | undefined;
}
