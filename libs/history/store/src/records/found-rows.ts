import type { Changes, Wanted } from '../model/changes.js';
import type { ReadRows } from './draft.js';
import type { Head, Side } from './head.js';
import { HEAD, KIND, receiptSort, SIDE, sortOf } from './keys.js';
import { type StreamReader, streamRowsOf } from './reader.js';
import { decodeMessage, decodeSummary, type MessageRow, type SummaryRow } from './message-rows.js';
import { type RowOwner } from './rows.js';

/** Rows of a stream that one batch read. */
export interface FoundRows extends ReadRows {
  readonly owner: RowOwner;
  readonly head: Head | null;
  readonly side: Side;
  /** Rows that were not read and must not exist; absent: none. */
  readonly unread?: readonly string[];
}

/** Sorts of the rows that a batch has to know, if the stream is of that generation. */
function wantedSorts({ receipts, members, messages }: Wanted, generation: number): string[] {
  const of = (kind: (typeof KIND)[keyof typeof KIND], ...parts: readonly (string | number)[]): string =>
    sortOf(generation, kind, ...parts);
  return [
    HEAD,
    SIDE,
    ...new Set([
      ...receipts.scopes.map(receiptSort),
      ...members.map(({ userId }) => of(KIND.member, userId)),
      ...(messages?.states ?? []).map(({ messageSerial }) => of(KIND.message, messageSerial)),
      ...(messages?.operations ?? []).map(({ hash }) => of(KIND.operation, hash)),
      ...(messages?.summaries ?? []).map(({ messageSerial, type }) => of(KIND.summary, messageSerial, type)),
    ]),
  ];
}

/** Reads them in one round trip, or in two where the stream is of another generation than it was thought to be. */
export async function readWanted(reader: StreamReader, wanted: Wanted, guess: RowOwner): Promise<FoundRows> {
  const { streamKey } = guess;
  const asked = wantedSorts(wanted, guess.generation);
  const rows = await reader.get(streamKey, asked);
  const { head, side } = streamRowsOf(rows);
  const generation = head?.stream.generation ?? 1;
  const owner = { streamKey, generation };
  if (generation === guess.generation) return { owner, head, side, rows, asked: new Set(asked) };
  return readWanted(reader, wanted, owner);
}

/** Returns the rows of messages and summaries that changes replace and the batch did not request. */
export async function withReplaced(
  reader: StreamReader,
  found: FoundRows,
  changes: Changes,
): Promise<FoundRows> {
  const { streamKey, generation } = found.owner;
  const { states = [], summaries = [] } = changes.messages ?? {};
  const missing = [
    ...states.map(({ messageSerial }) => sortOf(generation, KIND.message, messageSerial)),
    ...summaries.map(({ messageSerial, type }) => sortOf(generation, KIND.summary, messageSerial, type)),
  ].filter((sort) => !found.asked.has(sort));
  // A create replaces no row, and changes name the rows of their messages in the query.
  const isNew = states.every(({ action }) => action === 'create') && summaries.length === 0;
  if (missing.length === 0 || isNew) return found;
  const more = await reader.get(streamKey, missing);
  return { ...found, rows: new Map([...found.rows, ...more]), asked: new Set([...found.asked, ...missing]) };
}

export function messageRow({ owner, rows }: FoundRows, messageSerial: string): MessageRow | null {
  const row = rows.get(sortOf(owner.generation, KIND.message, messageSerial));
  return row === undefined ? null : decodeMessage(owner, messageSerial, row);
}

export function summaryRow(
  { owner, rows }: FoundRows,
  messageSerial: string,
  type: string,
): SummaryRow | null {
  const row = rows.get(sortOf(owner.generation, KIND.summary, messageSerial, type));
  return row === undefined ? null : decodeSummary(row.value);
}
