import { fragmentOf, type StoredRecord } from '@carillon/history-store';
import { versionOf } from './payload.js';

/** Result of the versions of a message. */
export interface Folded {
  readonly name: string | null;
  readonly data: string | null;
  readonly extras: string | null;
}

/** Folds the versions of a message, oldest first; every reader's result must equal it. Null: no versions. */
export function foldVersions(records: readonly StoredRecord[]): Folded | null {
  let folded: Folded | null = null;
  for (const record of records) {
    const { name, data, extras } = versionOf(record);
    if (record.action !== 'append') folded = { name, data, extras };
    else {
      const begun: unknown = JSON.parse(folded?.data ?? '""');
      const fragment = fragmentOf(record.payload ?? '{}');
      folded = { name, extras, data: JSON.stringify(`${typeof begun === 'string' ? begun : ''}${fragment}`) };
    }
  }
  return folded;
}
