import { earlierGenerations, HEAD, KIND, lastNumber, rangeOf, serialRange, SIDE, sortOf } from '../keys.js';
import { decodeMessage } from '../message-rows.js';
import { decodeRecord, encodeRecord, erasedRecord, type RecordRow } from '../rows.js';
import { deleteChildren, deleteRange } from './removed-rows.js';
import {
  commitSide,
  draftOf,
  type PurgeDone,
  type PurgeScope,
  RECORDS_AT_ONCE,
  REMOVED_NOTHING,
} from './scope.js';

/** Deletes rows from before a reset; null: none left. */
export async function removeEarlier(scope: PurgeScope): Promise<PurgeDone | null> {
  const { streamKey, generation } = scope.stream;
  if (generation === 1) return null;
  const removed = await deleteRange(scope, streamKey, earlierGenerations(generation));
  return removed === 0 ? null : { removed, evicted: [] };
}

/**
 * Erases rows removed by an operator purge, in the order of delivery serials: contents of records, whose numbers stay
 * as tombstones, and messages with their annotations. Null: all of it is erased.
 */
export async function eraseBelowFloor(scope: PurgeScope): Promise<PurgeDone | null> {
  const { reader, head, side, stream } = scope;
  if (head.purges === 0) return null;
  if (stream.address.kind === 'presence') return sweepAgain(scope);
  const from = side.erasing === head.purges ? side.erasedTo : 0;
  if (from >= head.eraseTo) return null;
  const range = serialRange(stream.generation, KIND.record, from, head.eraseTo - 1);
  const rows = await reader.range(stream.streamKey, range, { limit: RECORDS_AT_ONCE });
  const draft = draftOf(scope);
  const messages = new Set<string>();
  let removed = 0;
  for (const row of rows) {
    const record = decodeRecord(stream, lastNumber(row.sort), row.value);
    if (!isBelow(scope, record)) continue;
    if (record.messageSerial !== null) messages.add(record.messageSerial);
    if (record.tombstone) continue;
    draft.deleteStored(row);
    draft.put(row.sort, encodeRecord(erasedRecord(record)));
    if (record.operationHash !== null)
      draft.delete(sortOf(stream.generation, KIND.operation, record.operationHash));
    removed += 1;
  }
  for (const messageSerial of messages) removed += await removeMessage(scope, messageSerial);
  const last = rows.at(-1);
  const erasedTo =
    rows.length < RECORDS_AT_ONCE || last === undefined ? head.eraseTo : lastNumber(last.sort) + 1;
  const isDone = await commitSide(scope, draft, { erasing: head.purges, erasedTo });
  return isDone ? { removed, evicted: [] } : REMOVED_NOTHING;
}

/** Has the sweep look at all events again: those below the floor go, however long they were to be kept. */
async function sweepAgain(scope: PurgeScope): Promise<PurgeDone | null> {
  const { purges } = scope.head;
  if (scope.side.erasing === purges) return null;
  await commitSide(scope, draftOf(scope), { erasing: purges, sweepFrom: 0 });
  return REMOVED_NOTHING;
}

function isBelow({ stream }: PurgeScope, { action, historySerial, rootHistorySerial }: RecordRow): boolean {
  const serial = rootHistorySerial ?? historySerial;
  const floor = action === 'plain' ? stream.floorHistorySerial : stream.floorMessageSerial;
  return serial !== null && serial < floor;
}

/** Deletes a purged message with everything that hangs on it; returns the number of rows. */
async function removeMessage(scope: PurgeScope, messageSerial: string): Promise<number> {
  const { reader, records, stream } = scope;
  const { streamKey, generation } = stream;
  const sort = sortOf(generation, KIND.message, messageSerial);
  const row = (await reader.get(streamKey, [sort])).get(sort);
  if (row === undefined) return 0;
  const { state, version } = decodeMessage(stream, messageSerial, row);
  if (state.historySerial >= stream.floorMessageSerial) return 0;
  const removed = await deleteChildren(scope, stream, messageSerial);
  const draft = draftOf(scope);
  draft.deleteStored(row);
  draft.require(sort, version);
  draft.delete(sortOf(generation, KIND.open, messageSerial));
  await records.commit(draft.commit);
  return removed + 1;
}

/** Deletes a stream that holds nothing and was not used since; false: it stays. */
export async function removeUnused(scope: PurgeScope, unusedMs: number): Promise<boolean> {
  const { reader, records, request, head, side, stream } = scope;
  const { streamKey, generation, updatedAtMs } = stream;
  if (head.isPinned || updatedAtMs >= request.nowMs - unusedMs) return false;
  for (const kind of [KIND.record, KIND.event, KIND.message]) {
    const [row] = await reader.range(streamKey, rangeOf(generation, kind), { limit: 1 });
    if (row !== undefined) return false;
  }
  for await (const { value } of reader.each(streamKey, rangeOf(generation, KIND.member), { limit: Infinity }))
    if (isPresent(value)) return false;
  while ((await deleteRange(scope, streamKey, earlierGenerations(generation + 1))) > 0);
  const draft = draftOf(scope);
  draft.require(HEAD, head.version);
  draft.delete(HEAD);
  if (side.version > 0) draft.require(SIDE, side.version);
  draft.delete(SIDE);
  return records.commit(draft.commit);
}

const isPresent = (member: string): boolean => {
  const [present] = JSON.parse(member) as [number];
  return present === 1;
};
