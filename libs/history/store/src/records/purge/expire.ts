import { FOREVER_MS } from '../../model/calendar.js';
import { sumEvicted } from '../../retention.js';
import type { Draft, StoredRow } from '../draft.js';
import { HistoryEntries } from '../entries.js';
import { KIND, lastNumber, serialRange, sortOf } from '../keys.js';
import { removedAfterMs } from '../removal.js';
import { decodeMessage } from '../message-rows.js';
import { decodeEvent, decodeMember, decodeRecord, type RowOwner } from '../rows.js';
import { deleteCheckpoints, deleteChildren } from './removed-rows.js';
import {
  commitSide,
  draftOf,
  type PurgeDone,
  type PurgeScope,
  RECORDS_AT_ONCE,
  REMOVED_NOTHING,
} from './scope.js';

/** A row in the order of delivery, as far as its removal needs it. */
interface Aged {
  readonly row: StoredRow;
  readonly deliverySerial: number;
  /** Null: not a row of the history. */
  readonly historySerial: number | null;
  readonly size: number;
  readonly removedAfterMs: number;
  /** Null: no version of a message. */
  readonly messageSerial: string | null;
  readonly versionSerial: string | null;
  readonly operationHash: string | null;
  /** Null: not a leave event. */
  readonly leftBy: string | null;
}

/** Result of a sweep: a commit, or nothing to remove until `nextMs`. */
export type Swept = { readonly done: PurgeDone } | { readonly nextMs: number | null };

/** Checkpoints that one commit deletes. */
const CHECKPOINTS = 2;
/** Pages of rows that never expire that one sweep passes over. */
const MAX_PAGES = 20;

/**
 * Removes rows that have expired, oldest first, with their part in the counters. It passes over rows that never expire
 * and ends at the first that expires later: rows behind it with a shorter life stay until it goes.
 */
export async function sweepExpired(scope: PurgeScope): Promise<Swept> {
  const limit = Math.min(RECORDS_AT_ONCE, Math.max(1, scope.request.batch));
  const { from, rows } = await pastForever(scope, limit);
  const stop = rows.findIndex((row) => row.removedAfterMs < FOREVER_MS && !isOver(scope, row));
  const [passed, over] = firstOver(scope, stop === -1 ? rows : rows.slice(0, stop), limit);
  if (over.length > 0) return { done: await remove(scope, over, passed) };
  const sweepFrom = (passed.at(-1)?.deliverySerial ?? from - 1) + 1;
  if (sweepFrom === scope.side.sweepFrom) return { nextMs: rows[0]?.removedAfterMs ?? null };
  await commitSide(scope, draftOf(scope), { sweepFrom });
  return { done: REMOVED_NOTHING };
}

/** The next rows, and the serial from which they were read: behind rows that never expire. */
async function pastForever(
  scope: PurgeScope,
  limit: number,
): Promise<{ readonly from: number; readonly rows: readonly Aged[] }> {
  const { reader, stream, side } = scope;
  for (let from = side.sweepFrom, pages = 1; ; pages += 1) {
    const range = serialRange(stream.generation, kindOf(scope), from, stream.nextDeliverySerial);
    const read = await reader.range(stream.streamKey, range, { limit: limit + 1 });
    const rows = read.map((row) => agedOf(scope, row));
    const last = rows.at(-1);
    const isForever = rows.every((row) => row.removedAfterMs >= FOREVER_MS && !isOver(scope, row));
    if (last === undefined || !isForever || pages === MAX_PAGES) return { from, rows };
    from = last.deliverySerial + 1;
  }
}

/** Returns the rows up to the last of at most `limit` expired ones, and the expired ones among them. */
function firstOver(scope: PurgeScope, rows: readonly Aged[], limit: number): readonly [Aged[], Aged[]] {
  const passed: Aged[] = [];
  const over: Aged[] = [];
  for (const row of rows) {
    if (over.length === limit) break;
    passed.push(row);
    if (isOver(scope, row)) over.push(row);
  }
  return [passed, over];
}

const kindOf = ({ stream }: PurgeScope): typeof KIND.event | typeof KIND.record =>
  stream.address.kind === 'presence' ? KIND.event : KIND.record;

function isOver({ request, stream }: PurgeScope, { removedAfterMs: ms, historySerial }: Aged): boolean {
  const isPurged = stream.address.kind === 'presence' && (historySerial ?? 0) < stream.floorHistorySerial;
  return ms <= request.nowMs || isPurged;
}

function agedOf(scope: PurgeScope, row: StoredRow): Aged {
  const owner: RowOwner = scope.stream;
  const serial = lastNumber(row.sort);
  if (kindOf(scope) === KIND.event) {
    const event = decodeEvent(owner, serial, row.value);
    return {
      row,
      deliverySerial: serial,
      historySerial: serial,
      size: event.bodySize,
      removedAfterMs: event.keepUntilMs,
      messageSerial: null,
      versionSerial: null,
      operationHash: null,
      leftBy: event.event === 'member_removed' ? event.userId : null,
    };
  }
  const record = decodeRecord(owner, serial, row.value);
  return {
    row,
    deliverySerial: serial,
    historySerial: record.historySerial,
    size: record.payloadSize,
    removedAfterMs: removedAfterMs(record),
    messageSerial: record.messageSerial,
    versionSerial: record.versionSerial,
    operationHash: record.operationHash,
    leftBy: null,
  };
}

async function remove(scope: PurgeScope, over: readonly Aged[], passed: readonly Aged[]): Promise<PurgeDone> {
  const { stream, side, reader } = scope;
  const { address, floorHistorySerial: floor } = stream;
  const draft = draftOf(scope);
  for (const row of over) deleteAged(scope, draft, row);
  const gone = new Set(over.map(({ deliverySerial }) => deliverySerial));
  const floorHistory = await firstHistory(scope, new Set(over.map(({ historySerial }) => historySerial)));
  const floorDelivery = await firstDelivery(scope, gone);
  const overStreams = await removeMessages(scope, draft, over);
  await removeAbsent(scope, draft, over);
  if (address.kind === 'presence') await deleteCheckpoints(reader, draft, stream, floorHistory, CHECKPOINTS);
  const counted = over.filter(({ historySerial }) => historySerial !== null && historySerial >= floor);
  const bytes = counted.reduce((sum, { size }) => sum + size, 0);
  const isDone = await commitSide(scope, draft, {
    removedMessages: side.removedMessages + counted.length,
    removedBytes: side.removedBytes + bytes,
    overStreams: side.overStreams + overStreams,
    floorHistory,
    floorDelivery,
    sweepFrom: (passed.at(-1)?.deliverySerial ?? 0) + 1,
  });
  if (!isDone) return REMOVED_NOTHING;
  const { appId, kind } = address;
  const evicted = counted.length === 0 ? [] : [{ appId, kind, records: counted.length, bytes }];
  return { removed: over.length, evicted: sumEvicted(evicted) };
}

function deleteAged({ head, stream }: PurgeScope, draft: Draft, aged: Aged): void {
  const { generation } = stream;
  draft.deleteStored(aged.row);
  const { historySerial, messageSerial, versionSerial, operationHash } = aged;
  if (historySerial !== null && head.firstShifted !== null && historySerial >= head.firstShifted)
    draft.delete(sortOf(generation, KIND.history, historySerial));
  if (messageSerial !== null)
    draft.delete(sortOf(generation, KIND.version, messageSerial, versionSerial ?? ''));
  if (operationHash !== null) draft.delete(sortOf(generation, KIND.operation, operationHash));
}

/** The first history serial that stays, at or above the floor. */
async function firstHistory(
  { reader, head, stream }: PurgeScope,
  gone: ReadonlySet<number | null>,
): Promise<number> {
  const { streamKey, generation, address, floorHistorySerial, nextHistorySerial } = stream;
  const of = { streamKey, generation, kind: address.kind, firstShifted: head.firstShifted };
  const entries = new HistoryEntries(reader, of);
  for await (const { serial } of entries.each(floorHistorySerial, nextHistorySerial - 1, {
    atOnce: gone.size + 1,
  }))
    if (!gone.has(serial)) return serial;
  return nextHistorySerial;
}

/** The first delivery serial that stays, at or above the floor. */
async function firstDelivery(scope: PurgeScope, gone: ReadonlySet<number>): Promise<number> {
  const { reader, stream } = scope;
  const range = serialRange(
    stream.generation,
    kindOf(scope),
    stream.floorDeliverySerial,
    stream.nextDeliverySerial,
  );
  const rows = await reader.range(stream.streamKey, range, { limit: gone.size + 1 });
  const stays = rows.map(({ sort }) => lastNumber(sort)).find((serial) => !gone.has(serial));
  return stays ?? Math.max(stream.floorDeliverySerial, stream.nextDeliverySerial);
}

/** Removes messages whose last version goes; returns how many of them were open. */
async function removeMessages(scope: PurgeScope, draft: Draft, over: readonly Aged[]): Promise<number> {
  const { reader, request, stream } = scope;
  const { streamKey, generation, floorMessageSerial } = stream;
  const serials = [...new Set(over.flatMap(({ messageSerial }) => messageSerial ?? []))];
  const sorts = new Map(serials.map((serial) => [sortOf(generation, KIND.message, serial), serial]));
  let open = 0;
  for (const [sort, row] of await reader.get(streamKey, [...sorts.keys()])) {
    const { state, version } = decodeMessage(stream, sorts.get(sort) ?? '', row);
    if (removedAfterMs(state) > request.nowMs) continue;
    await deleteChildren(scope, stream, state.messageSerial);
    draft.deleteStored(row);
    draft.require(sort, version);
    draft.delete(sortOf(generation, KIND.open, state.messageSerial));
    if (state.isOpen && state.historySerial >= floorMessageSerial) open += 1;
  }
  return open;
}

/** Forgets members that left with one of the events. */
async function removeAbsent(
  { reader, stream }: PurgeScope,
  draft: Draft,
  over: readonly Aged[],
): Promise<void> {
  const left = new Map(
    over.flatMap(({ leftBy, deliverySerial }) => (leftBy === null ? [] : [[leftBy, deliverySerial]])),
  );
  const sorts = new Map(
    [...left.keys()].map((userId) => [sortOf(stream.generation, KIND.member, userId), userId]),
  );
  for (const [sort, row] of await reader.get(stream.streamKey, [...sorts.keys()])) {
    const userId = sorts.get(sort) ?? '';
    const { present, lastSerial } = decodeMember(stream, userId, row.value);
    if (present || lastSerial !== left.get(userId)) continue;
    draft.deleteStored(row);
    draft.require(sort, row.version);
  }
}
