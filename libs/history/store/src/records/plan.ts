import { randomUUID } from 'node:crypto';
import { StoreFailure } from '../failures.js';
import { FOREVER_MS } from '../model/calendar.js';
import type { Changes } from '../model/changes.js';
import { routeOf } from '../model/route.js';
import type { Stream } from '../model/stream.js';
import { Draft } from './draft.js';
import { encodeEntry } from './entries.js';
import type { FoundRows } from './found-rows.js';
import {
  encodeHead,
  encodeSide,
  type Head,
  newHead,
  nextVersion,
  shownStream,
  sideFor,
  storedStream,
} from './head.js';
import {
  CAPPED_EVERY_MS,
  cappedHint,
  degradedHint,
  dueHint,
  dueMoment,
  type Hint,
  recentHint,
  slotOf,
  thereHint,
  UNUSED_MS,
} from './hints.js';
import { HEAD, KIND, logSort, receiptSort, SIDE, sortOf } from './keys.js';
import type { PlanOf } from './plan-of.js';
import { planMessages } from './plan-messages.js';
import { isOverCaps, removedAfterMs } from './removal.js';
import { encodeOperation } from './message-rows.js';
import { encodeCheckpoint, encodeEvent, encodeMember, encodeReceipt, encodeRecord } from './rows.js';

/** Receipts outlive their time, for clocks that differ. */
const RECEIPT_GRACE_MS = 3_600_000;
const LOG_KEPT_MS = 365 * 86_400_000;

/** Writes of one batch: index entries first, then one commit. */
export interface Plan {
  readonly hints: readonly Hint[];
  readonly draft: Draft;
  readonly head: Head;
}

/** Plans the commit of a decision. Returns null if it writes nothing. */
export function planCommit(of: PlanOf): Plan | null {
  const { changes, found } = of;
  requireOwn(of);
  if (found.head !== null && isEmpty(changes)) return null;
  const written = changes.streams[0] ?? of.stream;
  const before = found.head ?? newHead(of.stream);
  const draft = new Draft(found.owner.streamKey, of.valueBytes, found);
  const isReset = written.generation !== before.stream.generation;
  const sums = planRows(of, draft, isReset ? { ...newHead(written), ...indexesOf(before) } : before);
  const head: Head = {
    ...sums,
    version: nextVersion(before.version),
    stream: storedStream(written, found.side),
    receiptAtMs: Math.max(before.receiptAtMs, ...changes.receipts.map(({ atMs }) => atMs)),
  };
  const raised = raisesFloors(written, before, found);
  if (raised) requireSide(found, written, draft);
  const erasing = raised ? { purges: head.purges + 1, eraseTo: written.nextDeliverySerial } : {};
  const registered = register(of, { ...head, ...erasing }, isReset || raised);
  const opened = planMessages(of, draft);
  draft.put(HEAD, encodeHead(registered.head), { version: registered.head.version });
  draft.require(HEAD, found.head?.version ?? null);
  for (const sort of found.unread ?? []) draft.require(sort, null);
  return { hints: [...registered.hints, ...opened], draft, head: registered.head };
}

const indexesOf = ({ dueMs, slot, cappedAtMs, degraded, there, isPinned }: Head) => ({
  dueMs,
  slot,
  cappedAtMs,
  degraded,
  there,
  isPinned,
});

const isEmpty = ({ messages, ...lists }: Changes): boolean =>
  Object.values(lists).every((list: readonly unknown[]) => list.length === 0) &&
  (messages === undefined ||
    messages.states.length + messages.annotations.length + messages.summaries.length === 0);

function requireOwn({ changes, found: { owner } }: PlanOf): void {
  const own = [changes.streams, changes.records, changes.receipts, changes.presenceEvents].flat();
  if (own.some(({ streamKey }) => streamKey !== owner.streamKey))
    throw new StoreFailure('data', 'the changes of one commit name more than one stream');
}

/** Whether an operator purge raised a floor: only a retention purge does so without a commit. */
function raisesFloors(written: Stream, before: Head, { side, head }: FoundRows): boolean {
  if (head === null || written.generation !== before.stream.generation) return false;
  const shown = shownStream(before, side);
  return (
    written.floorHistorySerial > shown.floorHistorySerial ||
    written.floorMessageSerial > shown.floorMessageSerial ||
    written.floorDeliverySerial > shown.floorDeliverySerial
  );
}

/** Serializes the commit with retention purges, which count their removals in the side row. */
function requireSide({ side }: FoundRows, stream: Stream, draft: Draft): void {
  draft.put(SIDE, encodeSide(sideFor(side, stream)), { version: nextVersion(side.version) });
  draft.require(SIDE, side.version === 0 ? null : side.version);
}

/** Puts the rows of records, events and receipts; returns the head with their sums. */
function planRows(of: PlanOf, draft: Draft, before: Head): Head {
  const { changes, nowMs, expiresAt } = of;
  let head = before;
  for (const { operation, ...record } of changes.records) {
    const { generation, deliverySerial, historySerial, messageSerial, versionSerial } = record;
    if (historySerial !== null)
      head = counted(head, historySerial, record.historyUntilMs ?? 0, record.payloadSize, deliverySerial);
    const row = { ...record, sumBytes: head.sumBytes, operationHash: operation?.hash ?? null };
    draft.put(sortOf(generation, KIND.record, deliverySerial), encodeRecord(row));
    if (historySerial !== null && head.firstShifted !== null)
      draft.put(sortOf(generation, KIND.history, historySerial), encodeEntry(row));
    if (messageSerial !== null)
      draft.put(sortOf(generation, KIND.version, messageSerial, versionSerial ?? ''), String(deliverySerial));
    if (operation !== undefined) {
      const { streamKey, publishedAtMs: atMs } = record;
      const done = { streamKey, ...operation, deliverySerial, versionSerial: versionSerial ?? '', atMs };
      draft.put(sortOf(generation, KIND.operation, operation.hash), encodeOperation(done));
    }
  }
  for (const event of changes.presenceEvents) {
    head = counted(head, event.serial, event.keepUntilMs, event.bodySize, event.serial);
    draft.put(
      sortOf(event.generation, KIND.event, event.serial),
      encodeEvent({ ...event, sumBytes: head.sumBytes }),
    );
  }
  for (const member of changes.presenceMembers)
    draft.put(sortOf(member.generation, KIND.member, member.userId), encodeMember(member));
  for (const { generation, serial, members } of changes.presenceCheckpoints)
    draft.put(sortOf(generation, KIND.checkpoint, serial), encodeCheckpoint(members));
  const records = new Map(changes.records.map((record) => [record.deliverySerial, record]));
  for (const receipt of changes.receipts) {
    const record = receipt.deliverySerial === null ? undefined : records.get(receipt.deliverySerial);
    const keptMs = Math.max(receipt.untilMs, receipt.atMs) - nowMs + RECEIPT_GRACE_MS;
    draft.put(receiptSort(receipt.scope), encodeReceipt(receipt, record ?? null), {
      expiresAtMs: expiresAt(keptMs),
    });
  }
  for (const entry of changes.operatorLog)
    draft.put(logSort(entry.atMs, randomUUID()), JSON.stringify(entry), {
      expiresAtMs: expiresAt(LOG_KEPT_MS),
    });
  return head;
}

function counted(head: Head, serial: number, untilMs: number, size: number, deliverySerial: number): Head {
  const shifted = head.firstShifted ?? (serial === deliverySerial ? null : serial);
  return {
    ...head,
    sumBytes: head.sumBytes + size,
    maxUntilMs: Math.max(head.maxUntilMs, untilMs),
    mixedTo: untilMs < head.maxUntilMs ? serial : head.mixedTo,
    firstShifted: shifted,
  };
}

/** Registers the stream in the indexes that it is not registered in as the commit needs it. */
function register(
  of: PlanOf,
  head: Head,
  needsPurge: boolean,
): { readonly head: Head; readonly hints: Hint[] } {
  const { changes, nowMs, found } = of;
  const { streamKey, address, durable } = head.stream;
  const shown = shownStream(head, found.side);
  const hints: Hint[] = [];
  let next = head;
  const due = dueOf(of, needsPurge);
  const side = sideFor(found.side, head.stream);
  const known = Math.min(
    ...[head.dueMs, side.dueMs].map((ms) => (ms === null || ms < nowMs ? Infinity : ms)),
  );
  if (due !== null && due < known) {
    hints.push(dueHint(streamKey, due));
    next = { ...next, dueMs: due };
  }
  if (address.kind === 'messages' && changes.receipts.length > 0 && slotOf(nowMs) !== head.slot) {
    hints.push(recentHint(streamKey, routeOf(address.appId, address.channel), slotOf(nowMs)));
    next = { ...next, slot: slotOf(nowMs) };
  }
  if (isOverCaps(shown) && (head.cappedAtMs === null || nowMs - head.cappedAtMs >= CAPPED_EVERY_MS)) {
    hints.push(cappedHint(streamKey));
    next = { ...next, cappedAtMs: nowMs };
  }
  const isDegraded = address.kind === 'messages' && durable.state === 'degraded';
  if (isDegraded && head.degraded === null) {
    const degraded = randomUUID();
    hints.push(degradedHint(streamKey, degraded, nowMs));
    next = { ...next, degraded };
  } else if (!isDegraded) next = { ...next, degraded: null };
  if (changes.presenceMembers.length > 0 && head.there === null) {
    const there = randomUUID();
    hints.push(thereHint(streamKey, there, nowMs));
    next = { ...next, there };
  }
  return { head: next, hints };
}

/** Returns the time at which the written rows make the stream due for a purge; null if they do not. */
function dueOf({ changes, found, nowMs }: PlanOf, needsPurge: boolean): number | null {
  if (needsPurge) return dueMoment(nowMs, nowMs);
  const ends = [
    ...changes.records.map(removedAfterMs),
    ...changes.presenceEvents.map(({ keepUntilMs }) => keepUntilMs),
    ...(changes.messages?.states ?? []).filter(({ isOpen }) => isOpen).map(({ keepUntilMs }) => keepUntilMs),
  ];
  const first = Math.min(found.head === null ? nowMs + UNUSED_MS : FOREVER_MS, ...ends);
  return first >= FOREVER_MS ? null : dueMoment(first, nowMs);
}
