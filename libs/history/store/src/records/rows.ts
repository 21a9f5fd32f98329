import type { PresenceStanding } from '../model/checkpoint.js';
import type { PresenceEvent, PresenceMember } from '../model/presence.js';
import type { FoundReceipt, Receipt } from '../model/receipt.js';
import type { RecordAction, StoredRecord } from '../model/record.js';

/** Owner of the row. */
export interface RowOwner {
  readonly streamKey: string;
  readonly generation: number;
}

/** A delivery record with the other members of its row. */
export interface RecordRow extends StoredRecord {
  /** Bytes of the history of this generation up to this row. */
  readonly sumBytes: number;
  /** Hash of the repeatable operation; null: none. */
  readonly operationHash: string | null;
}

/** A presence event with the other members of its row. */
export interface EventRow extends PresenceEvent {
  readonly sumBytes: number;
}

const ACTIONS: readonly RecordAction[] = ['plain', 'create', 'update', 'delete', 'append'];

/** Text is appended after the fields, so that it is not escaped twice. Null: no line break, hence no text. */
const withText = (fields: readonly unknown[], text: string | null): string =>
  text === null ? JSON.stringify(fields) : `${JSON.stringify(fields)}\n${text}`;

function apart(value: string): { readonly fields: unknown; readonly text: string | null } {
  const end = value.indexOf('\n');
  return end === -1
    ? { fields: JSON.parse(value), text: null }
    : { fields: JSON.parse(value.slice(0, end)), text: value.slice(end + 1) };
}

type RecordFields = ReturnType<typeof recordFields>;

const recordFields = (row: RecordRow) =>
  [
    row.historySerial,
    row.rootHistorySerial,
    row.publishedAtMs,
    row.historyUntilMs,
    row.keepUntilMs,
    ACTIONS.indexOf(row.action),
    row.messageSerial,
    row.versionSerial,
    row.messageId,
    row.eventName,
    row.actorClientId,
    row.payloadSize,
    row.tombstone ? 1 : 0,
    row.sumBytes,
    row.operationHash,
  ] as const;

export const encodeRecord = (row: RecordRow): string => withText(recordFields(row), row.payload);

export function decodeRecord(owner: RowOwner, deliverySerial: number, value: string): RecordRow {
  const { fields: stored, text } = apart(value);
  const fields = stored as RecordFields;
  return {
    streamKey: owner.streamKey,
    generation: owner.generation,
    deliverySerial,
    historySerial: fields[0],
    rootHistorySerial: fields[1],
    publishedAtMs: fields[2],
    historyUntilMs: fields[3],
    keepUntilMs: fields[4],
    action: ACTIONS[fields[5]] ?? 'plain',
    messageSerial: fields[6],
    versionSerial: fields[7],
    messageId: fields[8],
    eventName: fields[9],
    actorClientId: fields[10],
    payload: text,
    payloadSize: fields[11],
    tombstone: fields[12] === 1,
    sumBytes: fields[13],
    operationHash: fields[14],
  };
}

/** A record as readers get it. */
export const asRecord = ({ sumBytes: _sum, operationHash: _hash, ...record }: RecordRow): StoredRecord =>
  record;

/** A record whose content was erased by a purge. */
export const erasedRecord = (row: RecordRow): RecordRow => ({
  ...row,
  payload: null,
  payloadSize: 0,
  tombstone: true,
  eventName: null,
  messageId: null,
  actorClientId: null,
  operationHash: null,
});

type EventFields = ReturnType<typeof eventFields>;

const eventFields = (row: EventRow) =>
  [
    row.atMs,
    row.event,
    row.cause,
    row.userId,
    row.connectionId,
    row.deadNodeId,
    row.bodySize,
    row.keepUntilMs,
    row.sumBytes,
  ] as const;

export const encodeEvent = (row: EventRow): string => withText(eventFields(row), row.body);

export function decodeEvent(owner: RowOwner, serial: number, value: string): EventRow {
  const { fields: stored, text } = apart(value);
  const fields = stored as EventFields;
  return {
    streamKey: owner.streamKey,
    generation: owner.generation,
    serial,
    atMs: fields[0],
    event: fields[1],
    cause: fields[2],
    userId: fields[3],
    connectionId: fields[4],
    deadNodeId: fields[5],
    body: text ?? 'null',
    bodySize: fields[6],
    keepUntilMs: fields[7],
    sumBytes: fields[8],
  };
}

export const asEvent = ({ sumBytes: _sum, ...event }: EventRow): PresenceEvent => event;

export const encodeMember = ({ present, lastNo, lastSerial }: PresenceMember): string =>
  JSON.stringify([present ? 1 : 0, lastNo, lastSerial]);

export function decodeMember(owner: RowOwner, userId: string, value: string): PresenceMember {
  const [present, lastNo, lastSerial] = JSON.parse(value) as [number, number | null, number];
  return {
    streamKey: owner.streamKey,
    generation: owner.generation,
    userId,
    present: present === 1,
    lastNo,
    lastSerial,
  };
}

export const encodeCheckpoint = (members: readonly PresenceStanding[]): string =>
  JSON.stringify(members.map(({ userId, event, serial, atMs }) => [userId, event, serial, atMs]));

export const decodeCheckpoint = (value: string): PresenceStanding[] =>
  (JSON.parse(value) as [string, PresenceStanding['event'], number, number][]).map(
    ([userId, event, serial, atMs]) => ({ userId, event, serial, atMs }),
  );

/** Copy of record members in a receipt row, so that an answer needs no read of the record. */
export type ReceiptRecord = Pick<
  StoredRecord,
  'historySerial' | 'messageSerial' | 'publishedAtMs' | 'rootHistorySerial' | 'versionSerial'
>;

/** `record` is null if another batch wrote it or it does not exist. */
export const encodeReceipt = (receipt: Receipt, record: ReceiptRecord | null): string =>
  JSON.stringify([
    receipt.pubId,
    receipt.atMs,
    receipt.untilMs,
    receipt.generation,
    receipt.deliverySerial,
    receipt.fingerprint,
    receipt.extra,
    record?.historySerial ?? record?.rootHistorySerial ?? null,
    record?.publishedAtMs ?? null,
    record?.messageSerial ?? null,
    record?.versionSerial ?? null,
  ]);

export function decodeReceipt(streamKey: string, scope: string, value: string): FoundReceipt {
  const fields = JSON.parse(value) as [
    pubId: string,
    atMs: number,
    untilMs: number,
    generation: number,
    deliverySerial: number | null,
    fingerprint: string | null,
    extra: string | null,
    historySerial: number | null,
    publishedAtMs: number | null,
    messageSerial: string | null,
    versionSerial: string | null,
  ];
  return {
    scope,
    streamKey,
    pubId: fields[0],
    atMs: fields[1],
    untilMs: fields[2],
    generation: fields[3],
    deliverySerial: fields[4],
    fingerprint: fields[5],
    extra: fields[6],
    historySerial: fields[7],
    publishedAtMs: fields[8],
    messageSerial: fields[9],
    versionSerial: fields[10],
  };
}
