import type { SqlRow } from '@carillon/database';
import { FOREVER_MS } from '../model/calendar.js';
import type { PresenceStanding } from '../model/checkpoint.js';
import type {
  MemberThere,
  PresenceCause,
  PresenceEvent,
  PresenceEventName,
  PresenceMember,
} from '../model/presence.js';
import type { FoundReceipt } from '../model/receipt.js';
import type { RecordAction, StoredRecord } from '../model/record.js';
import type { DurableState, Stream, StreamKind } from '../model/stream.js';

/** The numbers that words are stored as. */
export const KINDS: Readonly<Record<StreamKind, number>> = { messages: 1, presence: 2 };
export const ACTIONS: Readonly<Record<RecordAction, number>> = {
  plain: 0,
  create: 1,
  update: 2,
  delete: 3,
  append: 4,
};
export const STATES: Readonly<Record<DurableState, number>> = { healthy: 0, degraded: 1, reset_required: 2 };
export const EVENTS: Readonly<Record<PresenceEventName, number>> = {
  member_added: 1,
  member_updated: 2,
  member_removed: 3,
};
export const CAUSES: Readonly<Record<PresenceCause, number>> = {
  join: 1,
  disconnect: 2,
  timeout: 3,
  forced_disconnect: 4,
  orphan_cleanup: 5,
};

export function wordOf<Word extends string>(words: Readonly<Record<Word, number>>, value: unknown): Word {
  const found = (Object.entries(words) as [Word, number][]).find(([, number]) => number === Number(value));
  if (found === undefined) throw new Error('a stored row holds a number without a meaning');
  return found[0];
}

const SQL_FOREVER = '9223372036854775807';

/** A moment as it is stored. */
export const storedMoment = (ms: number): string => (ms >= FOREVER_MS ? SQL_FOREVER : String(ms));

export const whole = (row: SqlRow, column: string): number => Math.min(Number(row[column]), FOREVER_MS);
/** Absent columns are read as null. */
const valueOf = (row: SqlRow, column: string): unknown => row[column] ?? null;
export const wholeOrNull = (row: SqlRow, column: string): number | null =>
  valueOf(row, column) === null ? null : whole(row, column);
/** MySQL has numbers for these. */
export const flag = (row: SqlRow, column: string): boolean => row[column] === true || row[column] === 1;
export const text = (row: SqlRow, column: string): string => String(row[column]);
export const textOrNull = (row: SqlRow, column: string): string | null =>
  valueOf(row, column) === null ? null : text(row, column);
export const utf8OrNull = (row: SqlRow, column: string): string | null =>
  valueOf(row, column) === null ? null : (row[column] as Buffer).toString('utf8');

/** The columns of a stream as `streamOf` reads them. */
export const STREAM_COLUMNS = `s.stream_key, s.app_id, s.channel, s.kind, s.stream_id, s.generation,
  s.next_delivery_serial, s.next_history_serial, s.next_annotation_no, s.fanned_out_serial, s.last_cache_serial,
  s.floor_delivery_serial, s.floor_history_serial, s.floor_message_serial, s.open_stream_count, s.retained_messages, s.retained_bytes, s.newest_published_at_ms,
  s.last_annotation_serial, s.last_keep_day::text as last_keep_day, s.max_messages, s.max_bytes, s.durable_state,
  s.state_reason, s.state_node, s.state_changed_at_ms, s.updated_at_ms`;

export function streamOf(row: SqlRow): Stream {
  return {
    address: {
      appId: text(row, 'app_id'),
      channel: text(row, 'channel'),
      kind: wordOf(KINDS, row['kind']),
    },
    streamKey: text(row, 'stream_key'),
    streamId: text(row, 'stream_id'),
    generation: whole(row, 'generation'),
    nextDeliverySerial: whole(row, 'next_delivery_serial'),
    nextHistorySerial: whole(row, 'next_history_serial'),
    nextAnnotationNo: whole(row, 'next_annotation_no'),
    fannedOutSerial: whole(row, 'fanned_out_serial'),
    lastCacheSerial: whole(row, 'last_cache_serial'),
    floorDeliverySerial: whole(row, 'floor_delivery_serial'),
    floorHistorySerial: whole(row, 'floor_history_serial'),
    floorMessageSerial: whole(row, 'floor_message_serial'),
    openStreams: whole(row, 'open_stream_count'),
    retainedMessages: whole(row, 'retained_messages'),
    retainedBytes: whole(row, 'retained_bytes'),
    newestPublishedAtMs: wholeOrNull(row, 'newest_published_at_ms'),
    lastAnnotationSerial: textOrNull(row, 'last_annotation_serial'),
    lastKeepDay: textOrNull(row, 'last_keep_day'),
    maxMessages: wholeOrNull(row, 'max_messages'),
    maxBytes: wholeOrNull(row, 'max_bytes'),
    durable: {
      state: wordOf(STATES, row['durable_state']),
      reason: textOrNull(row, 'state_reason'),
      nodeId: textOrNull(row, 'state_node'),
      changedAtMs: wholeOrNull(row, 'state_changed_at_ms'),
    },
    updatedAtMs: whole(row, 'updated_at_ms'),
  };
}

/** The columns of a record as `recordOf` reads them. */
export const RECORD_COLUMNS = `c.stream_key, c.generation, c.delivery_serial, c.history_serial, c.root_history_serial,
  c.published_at_ms, c.history_until_ms, c.keep_until_ms, c.action, c.message_serial, c.version_serial, c.message_id,
  c.event_name, c.actor_client_id, c.payload, c.payload_size, c.tombstone`;

export function recordOf(row: SqlRow): StoredRecord {
  return {
    streamKey: text(row, 'stream_key'),
    generation: whole(row, 'generation'),
    deliverySerial: whole(row, 'delivery_serial'),
    historySerial: wholeOrNull(row, 'history_serial'),
    rootHistorySerial: wholeOrNull(row, 'root_history_serial'),
    publishedAtMs: whole(row, 'published_at_ms'),
    historyUntilMs: wholeOrNull(row, 'history_until_ms'),
    keepUntilMs: whole(row, 'keep_until_ms'),
    action: wordOf(ACTIONS, row['action']),
    messageSerial: textOrNull(row, 'message_serial'),
    versionSerial: textOrNull(row, 'version_serial'),
    messageId: textOrNull(row, 'message_id'),
    eventName: textOrNull(row, 'event_name'),
    actorClientId: textOrNull(row, 'actor_client_id'),
    payload: utf8OrNull(row, 'payload'),
    payloadSize: whole(row, 'payload_size'),
    tombstone: flag(row, 'tombstone'),
  };
}

export function receiptOf(row: SqlRow): FoundReceipt {
  return {
    scope: text(row, 'scope'),
    pubId: text(row, 'pub_id'),
    atMs: whole(row, 'at_ms'),
    untilMs: whole(row, 'until_ms'),
    streamKey: text(row, 'stream_key'),
    generation: whole(row, 'generation'),
    deliverySerial: wholeOrNull(row, 'delivery_serial'),
    fingerprint: textOrNull(row, 'fingerprint'),
    extra: utf8OrNull(row, 'extra'),
    historySerial: wholeOrNull(row, 'history_serial'),
    publishedAtMs: wholeOrNull(row, 'published_at_ms'),
    messageSerial: textOrNull(row, 'message_serial'),
    versionSerial: textOrNull(row, 'version_serial'),
  };
}

export function memberOf(row: SqlRow): PresenceMember {
  return {
    streamKey: text(row, 'stream_key'),
    generation: whole(row, 'generation'),
    userId: text(row, 'user_id'),
    present: flag(row, 'present'),
    lastNo: wholeOrNull(row, 'last_no'),
    lastSerial: whole(row, 'last_serial'),
  };
}

export const memberThereOf = (row: SqlRow): MemberThere => ({
  appId: text(row, 'app_id'),
  channel: text(row, 'channel'),
  streamKey: text(row, 'stream_key'),
  userId: text(row, 'user_id'),
});

/** A current member, by its last event. */
export const standingOf = (row: SqlRow): PresenceStanding => ({
  userId: text(row, 'user_id'),
  event: wordOf(EVENTS, row['event']) === 'member_updated' ? 'member_updated' : 'member_added',
  serial: whole(row, 'serial'),
  atMs: whole(row, 'at_ms'),
});

/** The columns of an event as `eventOf` reads them. */
export const EVENT_COLUMNS = `c.stream_key, c.generation, c.serial, c.at_ms, c.event, c.cause, c.user_id,
  c.connection_id, c.dead_node_id, c.body, c.body_size, c.keep_until_ms`;

export function eventOf(row: SqlRow): PresenceEvent {
  return {
    streamKey: text(row, 'stream_key'),
    generation: whole(row, 'generation'),
    serial: whole(row, 'serial'),
    atMs: whole(row, 'at_ms'),
    event: wordOf(EVENTS, row['event']),
    cause: wordOf(CAUSES, row['cause']),
    userId: text(row, 'user_id'),
    connectionId: textOrNull(row, 'connection_id'),
    deadNodeId: textOrNull(row, 'dead_node_id'),
    body: utf8OrNull(row, 'body') ?? 'null',
    bodySize: whole(row, 'body_size'),
    keepUntilMs: whole(row, 'keep_until_ms'),
  };
}

/** Table and columns of the rows of a stream kind. */
export interface RowColumns {
  readonly table: 'records' | 'presence_events';
  readonly history: string;
  readonly delivery: string;
  readonly size: string;
  readonly at: string;
}

export const ROWS: Readonly<Record<StreamKind, RowColumns>> = {
  messages: {
    table: 'records',
    history: 'history_serial',
    delivery: 'delivery_serial',
    size: 'payload_size',
    at: 'published_at_ms',
  },
  presence: {
    table: 'presence_events',
    history: 'serial',
    delivery: 'serial',
    size: 'body_size',
    at: 'at_ms',
  },
};
