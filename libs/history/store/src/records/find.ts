import type { Below, Found, Inspection, Purgeable, Wanted } from '../model/changes.js';
import { MAX_CHECKPOINT_MEMBERS, type PresenceStanding, reachesCheckpoint } from '../model/checkpoint.js';
import type { PresenceMember } from '../model/presence.js';
import { isReadable } from '../model/readable.js';
import type { FoundReceipt } from '../model/receipt.js';
import { type Stream, streamName } from '../model/stream.js';
import { findMessages } from './find-messages.js';
import type { FoundRows } from './found-rows.js';
import type { Head } from './head.js';
import { KIND, lastNumber, lastPart, rangeOf, receiptSort, serialRange, sortOf } from './keys.js';
import type { StreamReader } from './reader.js';
import { decodeEvent, decodeMember, decodeReceipt, decodeRecord, type RecordRow } from './rows.js';
import { ShownHistory } from './shown.js';

/** A checkpoint of more members would not leave enough of a commit for its events. */
const MAX_CROWD_BYTES = 1_500_000;
/** Bytes of a member in a checkpoint beside its id. */
const STANDING_BYTES = 64;

/** State of a stream as one batch reads it. */
export interface FindParts {
  readonly reader: StreamReader;
  readonly wanted: Wanted;
  readonly found: FoundRows;
  /** Null: it does not exist and is not to be created. */
  readonly stream: Stream | null;
  readonly head: Head | null;
}

/** Everything that `decide` may look at. */
export async function findWanted(parts: FindParts): Promise<Found> {
  const { wanted, stream, found } = parts;
  const [first] = wanted.streams;
  if (first === undefined) throw new RangeError('a batch needs a stream');
  const name = streamName(first.address);
  const held = stream === null ? null : { ...parts, stream };
  const messages =
    wanted.messages === undefined || held === null
      ? wanted.messages && NO_MESSAGES
      : await findMessages(parts.reader, {
          found,
          wanted: wanted.messages,
          stream: held.stream,
          nowMs: wanted.nowMs,
        });
  return {
    streams: new Map([[name, stream]]),
    receipts: await findReceipts(parts),
    members: findMembers(parts),
    crowds: held === null ? new Map() : await findCrowd(held, name),
    purgeable: held === null || wanted.below === null ? null : await findPurgeable(held, wanted.below),
    inspections: held === null || !wanted.inspect ? new Map() : new Map([[name, await inspect(held)]]),
    ...(wanted.messageIdAt === undefined
      ? {}
      : { messageIdAt: await findMessageId(parts, wanted.messageIdAt) }),
    ...(messages === undefined ? {} : { messages }),
  };
}

const NO_MESSAGES = { states: [], operations: [], annotations: [], summaries: [], types: [] };

type Held = FindParts & { readonly stream: Stream };

async function findReceipts(parts: FindParts): Promise<Map<string, FoundReceipt>> {
  const { wanted, found } = parts;
  const receipts = new Map<string, FoundReceipt>();
  for (const scope of wanted.receipts.scopes) {
    const row = found.rows.get(receiptSort(scope));
    if (row === undefined) continue;
    const receipt = decodeReceipt(found.owner.streamKey, scope, row.value);
    if (receipt.atMs >= wanted.receipts.sinceMs) receipts.set(scope, await withRecord(parts, receipt));
  }
  return receipts;
}

/**
 * Returns a receipt with its record's fields: stored in the receipt unless the record belongs to another batch or was
 * lost by a reset.
 */
async function withRecord(parts: FindParts, receipt: FoundReceipt): Promise<FoundReceipt> {
  const nothing = { historySerial: null, publishedAtMs: null, messageSerial: null, versionSerial: null };
  if (receipt.generation !== parts.found.owner.generation) return { ...receipt, ...nothing };
  if (receipt.deliverySerial === null || receipt.publishedAtMs !== null) return receipt;
  const record = await recordAt(parts, receipt.deliverySerial);
  if (record === null) return receipt;
  const { historySerial, rootHistorySerial, publishedAtMs, messageSerial, versionSerial } = record;
  return {
    ...receipt,
    historySerial: historySerial ?? rootHistorySerial,
    publishedAtMs,
    messageSerial,
    versionSerial,
  };
}

async function recordAt({ reader, found: { owner } }: FindParts, serial: number): Promise<RecordRow | null> {
  const sort = sortOf(owner.generation, KIND.record, serial);
  const row = (await reader.get(owner.streamKey, [sort])).get(sort);
  return row === undefined ? null : decodeRecord(owner, serial, row.value);
}

const findMessageId = async (parts: FindParts, serial: number): Promise<string | null> =>
  (await recordAt(parts, serial))?.messageId ?? null;

function findMembers({ wanted, found: { owner, rows } }: FindParts): PresenceMember[] {
  return wanted.members.flatMap(({ userId }) => {
    const row = rows.get(sortOf(owner.generation, KIND.member, userId));
    return row === undefined ? [] : [decodeMember(owner, userId, row.value)];
  });
}

/** The present members by their last events, when a checkpoint may become due. */
async function findCrowd(
  { reader, wanted, found: { owner }, stream }: Held,
  name: string,
): Promise<Map<string, PresenceStanding[]>> {
  const crowd = new Map<string, PresenceStanding[]>();
  const [asked] = wanted.crowds;
  if (asked === undefined || !reachesCheckpoint(stream, asked.events)) return crowd;
  const present: number[] = [];
  let bytes = 0;
  const range = rangeOf(owner.generation, KIND.member);
  for await (const row of reader.each(owner.streamKey, range, { limit: Infinity })) {
    const member = decodeMember(owner, lastPart(row.sort), row.value);
    if (!member.present || member.lastSerial < stream.floorHistorySerial) continue;
    present.push(member.lastSerial);
    bytes += Buffer.byteLength(member.userId) + STANDING_BYTES;
    if (present.length > MAX_CHECKPOINT_MEMBERS || bytes > MAX_CROWD_BYTES) return crowd;
  }
  const sorts = present.map((serial) => sortOf(owner.generation, KIND.event, serial));
  const events = [...(await reader.get(owner.streamKey, sorts)).values()];
  return crowd.set(
    name,
    events.flatMap((row) => {
      const { userId, event, serial, atMs } = decodeEvent(owner, lastNumber(row.sort), row.value);
      return event === 'member_removed' ? [] : [{ userId, event, serial, atMs }];
    }),
  );
}

/** Returns the floor of an operator purge, and the rows below it that are visible or stored. */
async function findPurgeable(
  { reader, wanted: { nowMs }, stream, head }: Held,
  below: Below,
): Promise<Purgeable> {
  const shownBy = { firstShifted: head?.firstShifted ?? null, mixedTo: head?.mixedTo ?? 0 };
  const history = new ShownHistory(reader, stream, nowMs, shownBy);
  const { floorHistorySerial: floor, nextHistorySerial: next } = stream;
  const historyFloor = Math.max(floor, await floorBelow(history, stream, below));
  const openStreams = await countOpenBelow(reader, stream, historyFloor);
  if (below.mode === 'all') {
    const { messages, bytes } = await history.retained();
    const stored = { messages: stream.retainedMessages, bytes: stream.retainedBytes };
    return { historyFloor, openStreams, messages, bytes, stored };
  }
  const stored = { messages: 0, bytes: 0 };
  const shown = { messages: 0, bytes: 0 };
  const visible = await history.floor();
  for await (const { serial, size, untilMs } of history.entries.each(
    floor,
    Math.min(historyFloor, next) - 1,
  )) {
    stored.messages += 1;
    stored.bytes += size;
    if (serial < visible || untilMs <= nowMs) continue;
    shown.messages += 1;
    shown.bytes += size;
  }
  return { historyFloor, openStreams, ...shown, stored };
}

/** The first history serial that stays. */
async function floorBelow({ entries }: ShownHistory, stream: Stream, below: Below): Promise<number> {
  const { floorHistorySerial: floor, nextHistorySerial: next } = stream;
  if (below.mode === 'all') return next;
  if (below.mode === 'before_time_ms')
    return entries.firstWhere(floor, next - 1, ({ atMs }) => atMs >= below.timeMs);
  const limit = Math.min(below.serial, next);
  return (await entries.first(Math.max(floor, limit), next - 1))?.serial ?? limit;
}

async function countOpenBelow(reader: StreamReader, stream: Stream, below: number): Promise<number> {
  const { streamKey, generation, floorMessageSerial: floor } = stream;
  if (stream.openStreams === 0) return 0;
  const open = await reader.range(streamKey, rangeOf(generation, KIND.open), { limit: Infinity });
  return open.filter(({ value }) => Number(value) >= floor && Number(value) < below).length;
}

/** Reads every row at or above the floor. Removals are counted, so fewer rows than counted mean a gap. */
async function inspect({
  reader,
  wanted: { nowMs },
  found: { owner },
  stream,
  head,
}: Held): Promise<Inspection> {
  const { floorHistorySerial: floor, retainedMessages, address } = stream;
  const shownBy = { firstShifted: head?.firstShifted ?? null, mixedTo: head?.mixedTo ?? 0 };
  const visible = await new ShownHistory(reader, stream, nowMs, shownBy).floor();
  const serials: number[] = [];
  let unreadable = false;
  const look = (serial: number, untilMs: number, content: string | null): void => {
    if (serial < floor) return;
    serials.push(serial);
    if (serial >= visible && untilMs > nowMs) unreadable ||= !isReadable(content, address.kind);
  };
  const kind = address.kind === 'messages' ? KIND.record : KIND.event;
  const range = serialRange(
    owner.generation,
    kind,
    0,
    Math.max(stream.nextDeliverySerial, stream.nextHistorySerial),
  );
  for await (const { sort, value } of reader.each(owner.streamKey, range, { limit: Infinity })) {
    if (kind === KIND.event) {
      const { serial, keepUntilMs, body } = decodeEvent(owner, lastNumber(sort), value);
      look(serial, keepUntilMs, body);
    } else {
      const { historySerial, historyUntilMs, payload } = decodeRecord(owner, lastNumber(sort), value);
      if (historySerial !== null) look(historySerial, historyUntilMs ?? 0, payload);
    }
  }
  const different = new Set(serials).size;
  return { gap: different < retainedMessages, conflict: different < serials.length, unreadable };
}
