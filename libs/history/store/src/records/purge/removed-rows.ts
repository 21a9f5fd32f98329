import type { RecordStore } from '@carillon/records';
import { Draft, type StoredRow } from '../draft.js';
import { KIND, lastNumber, NEVER, rangeOf, type SortRange, sortOf } from '../keys.js';
import type { StreamReader } from '../reader.js';
import { decodeSummary } from '../message-rows.js';
import { type RowOwner } from '../rows.js';
import type { PurgeParts } from './scope.js';

/** Rows that one commit deletes beside its condition. */
const rowsAtOnce = ({ limits }: RecordStore): number => Math.max(1, limits.rows - 10);

/** Rows of a message that point to two others each. */
const POINTING = 3;

/** Deletes a bounded number of unreadable rows and returns how many. */
export async function deleteRange(
  { reader, records }: PurgeParts,
  streamKey: string,
  range: SortRange,
  also: (row: StoredRow) => readonly string[] = () => [],
  share = 1,
): Promise<number> {
  const limit = Math.max(1, Math.floor(rowsAtOnce(records) / share));
  const rows = await reader.range(streamKey, range, { limit });
  for (let from = 0; from < rows.length;) {
    const draft = new Draft(streamKey, records.limits.valueBytes);
    draft.require(NEVER, null);
    for (; from < rows.length && draft.rows < rowsAtOnce(records); from += 1) {
      const row = rows[from];
      if (row === undefined) break;
      draft.deleteStored(row);
      for (const sort of also(row)) draft.delete(sort);
    }
    await records.commit(draft.commit);
  }
  return rows.length;
}

/** Deletes everything that hangs on a message but the row of the message itself, in as many commits as it takes. */
export async function deleteChildren(
  parts: PurgeParts,
  owner: RowOwner,
  messageSerial: string,
): Promise<number> {
  const { streamKey, generation } = owner;
  const numbers = (row: StoredRow): string[] => {
    const number = lastNumber(row.sort);
    return [sortOf(generation, KIND.annotation, number), sortOf(generation, KIND.deletedBy, number)];
  };
  const latest = ({ value }: StoredRow): string[] => [
    sortOf(generation, KIND.summaryByNo, decodeSummary(value).lastNo),
  ];
  const all: readonly (readonly [kind: string, range: SortRange, also?: (row: StoredRow) => string[]])[] = [
    ['events', rangeOf(generation, KIND.annotationEvent, messageSerial), numbers],
    ['summaries', rangeOf(generation, KIND.summary, messageSerial), latest],
    ['texts', rangeOf(generation, KIND.summaryText, messageSerial)],
    ['data', rangeOf(generation, KIND.data, messageSerial)],
    ['versions', rangeOf(generation, KIND.version, messageSerial)],
  ];
  let removed = 0;
  for (const [, range, also] of all)
    for (let count = Infinity; count > 0; removed += count)
      count = await deleteRange(parts, streamKey, range, also, also === undefined ? 1 : POINTING);
  return removed;
}

/** Presence checkpoints below a serial: they go with their events. */
export async function deleteCheckpoints(
  reader: StreamReader,
  draft: Draft,
  { streamKey, generation }: RowOwner,
  below: number,
  limit: number,
): Promise<void> {
  const { from } = rangeOf(generation, KIND.checkpoint);
  const to = sortOf(generation, KIND.checkpoint, below);
  for (const row of await reader.range(streamKey, { from, to }, { limit })) draft.deleteStored(row);
}
