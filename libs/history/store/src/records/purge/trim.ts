import type { Entry } from '../entries.js';
import { KIND, sortOf } from '../keys.js';
import { isOverCaps } from '../removal.js';
import { ShownHistory } from '../shown.js';
import { decodeRecord } from '../rows.js';
import { deleteCheckpoints } from './removed-rows.js';
import {
  commitSide,
  draftOf,
  type PurgeDone,
  type PurgeScope,
  RECORDS_AT_ONCE,
  REMOVED_NOTHING,
} from './scope.js';

/** Younger rows may still be requested by a gateway that has missed them. */
const TRIMMED_AFTER_MS = 15_000;
/** Checkpoints that one commit deletes. */
const CHECKPOINTS = 2;

/** Raises the floor towards where the caps put it and removes rows below; null: nothing may go now. */
export async function trimCapped(scope: PurgeScope): Promise<PurgeDone | null> {
  const { reader, request, stream, head, side } = scope;
  if (!isOverCaps(stream)) return null;
  const history = new ShownHistory(reader, stream, request.nowMs, head);
  const over = await overCaps(scope, history);
  const last = over.at(-1);
  if (last === undefined) return null;
  const { nextHistorySerial, nextDeliverySerial, floorDeliverySerial, address } = stream;
  const first = await history.entries.first(last.serial + 1, nextHistorySerial - 1);
  const draft = draftOf(scope);
  const removed = await deletePlain(scope, draft, over);
  if (address.kind === 'presence')
    await deleteCheckpoints(reader, draft, stream, last.serial + 1, CHECKPOINTS);
  const bytes = over.reduce((sum, { size }) => sum + size, 0);
  const isDone = await commitSide(scope, draft, {
    removedMessages: side.removedMessages + over.length,
    removedBytes: side.removedBytes + bytes,
    floorHistory: last.serial + 1,
    floorDelivery: Math.max(floorDeliverySerial, first?.deliverySerial ?? nextDeliverySerial),
  });
  if (!isDone) return REMOVED_NOTHING;
  const { appId, kind } = address;
  return { removed: Math.max(1, removed), evicted: [{ appId, kind, records: over.length, bytes }] };
}

/** The oldest rows over the caps that were handed over, or whose receipts answer no more. */
async function overCaps({ request, stream }: PurgeScope, history: ShownHistory): Promise<Entry[]> {
  const { nowMs, receiptsKeptMs, batch } = request;
  const limit = Math.min(RECORDS_AT_ONCE, Math.max(1, batch));
  const wanted = await history.floor();
  const over: Entry[] = [];
  for await (const entry of history.entries.each(stream.floorHistorySerial, wanted - 1, { atOnce: limit })) {
    const isHandedOver = stream.address.kind === 'presence' || entry.deliverySerial <= stream.fannedOutSerial;
    const mayGo =
      entry.atMs < nowMs - TRIMMED_AFTER_MS && (isHandedOver || entry.atMs < nowMs - receiptsKeptMs);
    if (!mayGo || over.length === limit) break;
    over.push(entry);
  }
  return over;
}

/** Versions of messages stay until their own retention ends, also after their history row is removed. */
async function deletePlain(
  { reader, stream, head }: PurgeScope,
  draft: ReturnType<typeof draftOf>,
  over: readonly Entry[],
): Promise<number> {
  const { streamKey, generation, address } = stream;
  const kind = address.kind === 'presence' ? KIND.event : KIND.record;
  const sorts = over.map(({ deliverySerial }) => sortOf(generation, kind, deliverySerial));
  const rows = await reader.get(streamKey, sorts);
  let removed = 0;
  over.forEach(({ serial, deliverySerial }, index) => {
    const row = rows.get(sorts[index] ?? '');
    if (row === undefined) return;
    if (kind === KIND.record && decodeRecord(stream, deliverySerial, row.value).action !== 'plain') return;
    draft.deleteStored(row);
    if (kind === KIND.record && head.firstShifted !== null && serial >= head.firstShifted)
      draft.delete(sortOf(generation, KIND.history, serial));
    removed += 1;
  });
  return removed;
}
