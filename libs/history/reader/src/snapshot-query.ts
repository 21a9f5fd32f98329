import { type QueryParameters, whole } from './query.js';

/** The moment of a snapshot, inclusive; null: no bound. Both given, both hold. */
export interface SnapshotQuery {
  readonly atSerial: number | null;
  readonly atTimeMs: number | null;
}

/** Reads `at_serial` and `at_time_ms`, which is also called `at`; anything unclear is `invalid_input`. */
export const readSnapshotQuery = (parameters: QueryParameters): SnapshotQuery => ({
  atSerial: whole(parameters, 'at_serial'),
  atTimeMs: whole(parameters, 'at_time_ms', 'at'),
});
