import type { SqlRow } from '@carillon/database';
import type {
  AnnotationAction,
  AnnotationEvent,
  AnnotationSummary,
  Contribution,
} from '../model/annotation.js';
import type { FoundOperation } from '../model/living.js';
import type { DataKind, StoredMessage } from '../model/message.js';
import { ACTIONS, flag, text, textOrNull, utf8OrNull, whole, wholeOrNull, wordOf } from './rows.js';

/** The numbers that words are stored as. */
export const DATA_KINDS: Readonly<Record<DataKind, number>> = { none: 0, string: 1, json: 2, bytes: 3 };
export const ANNOTATION_ACTIONS: Readonly<Record<AnnotationAction, number>> = { create: 1, delete: 2 };

/** Separately stored fields of the latest version: client, description, metadata. */
interface StoredVersion {
  readonly client_id?: string;
  readonly description?: string;
  readonly metadata?: string;
  readonly base: string;
  /** See `StoredMessage.isJsonText`. Kept here, where processes of earlier versions pass over it. */
  readonly json?: true;
}

export const storedVersion = ({
  clientId,
  description,
  metadata,
  baseVersionSerial,
  isJsonText,
}: StoredMessage): string =>
  JSON.stringify({
    ...(clientId === null ? {} : { client_id: clientId }),
    ...(description === null ? {} : { description }),
    ...(metadata === null ? {} : { metadata }),
    base: baseVersionSerial,
    ...(isJsonText === true ? { json: true } : {}),
  } satisfies StoredVersion);

/** The columns of a message as `messageOf` reads them, without its data. */
export const MESSAGE_COLUMNS = `m.stream_key, m.message_serial, m.generation, m.history_serial, m.original_client_id,
  m.latest_version_serial, m.latest_delivery_serial, m.latest_action, m.version, m.name, m.data_kind, m.data_bytes,
  m.extras, m.base_delivery_serial, m.append_count, m.is_open, m.last_activity_ms, m.keep_until_ms`;

export function messageOf(row: SqlRow): StoredMessage {
  const version = JSON.parse(utf8OrNull(row, 'version') ?? '{"base":""}') as StoredVersion;
  const action = wordOf(ACTIONS, row['latest_action']);
  return {
    streamKey: text(row, 'stream_key'),
    generation: whole(row, 'generation'),
    messageSerial: text(row, 'message_serial'),
    historySerial: whole(row, 'history_serial'),
    creatorId: textOrNull(row, 'original_client_id'),
    versionSerial: text(row, 'latest_version_serial'),
    deliverySerial: whole(row, 'latest_delivery_serial'),
    action: action === 'plain' ? 'create' : action,
    atMs: whole(row, 'last_activity_ms'),
    clientId: version.client_id ?? null,
    description: version.description ?? null,
    metadata: version.metadata ?? null,
    name: textOrNull(row, 'name'),
    extras: utf8OrNull(row, 'extras'),
    data: null,
    dataKind: wordOf(DATA_KINDS, row['data_kind']),
    ...(version.json === true ? { isJsonText: true } : {}),
    dataBytes: whole(row, 'data_bytes'),
    baseSerial: whole(row, 'base_delivery_serial'),
    baseVersionSerial: version.base,
    appends: whole(row, 'append_count'),
    isOpen: flag(row, 'is_open'),
    keepUntilMs: whole(row, 'keep_until_ms'),
  };
}

export const ANNOTATION_COLUMNS = `a.stream_key, a.annotation_no, a.annotation_serial, a.message_serial, a.type,
  a.action, a.annotation_id, a.target_no, a.name, a.client_id, a.count_value, a.data, a.encoding, a.at_ms,
  a.actor_client_id, a.actor_socket_id`;

export const annotationOf = (row: SqlRow): AnnotationEvent => ({
  streamKey: text(row, 'stream_key'),
  annotationNo: whole(row, 'annotation_no'),
  annotationSerial: text(row, 'annotation_serial'),
  messageSerial: text(row, 'message_serial'),
  type: text(row, 'type'),
  action: wordOf(ANNOTATION_ACTIONS, row['action']),
  annotationId: text(row, 'annotation_id'),
  targetNo: wholeOrNull(row, 'target_no'),
  name: textOrNull(row, 'name'),
  clientId: textOrNull(row, 'client_id'),
  count: wholeOrNull(row, 'count_value'),
  data: utf8OrNull(row, 'data'),
  encoding: textOrNull(row, 'encoding'),
  atMs: whole(row, 'at_ms'),
  actorClientId: textOrNull(row, 'actor_client_id'),
  actorSocketId: textOrNull(row, 'actor_socket_id'),
});

export const SUMMARY_COLUMNS = `u.stream_key, u.message_serial, u.type, u.summary, u.since, u.last_no, u.changed_at_ms`;

export const summaryOf = (row: SqlRow): AnnotationSummary => ({
  streamKey: text(row, 'stream_key'),
  messageSerial: text(row, 'message_serial'),
  type: text(row, 'type'),
  summary: jsonText(row['summary']),
  since: sinceOf(row) ?? [],
  lastNo: whole(row, 'last_no'),
  changedAtMs: whole(row, 'changed_at_ms'),
});

type StoredContribution = readonly [
  action: number,
  name: string | null,
  clientId: string | null,
  count: number | null,
];

/** Contributions since the stored text, after the number of the last annotation. */
type StoredSince = readonly [lastNo: number, ...StoredContribution[]];

/** Null: nothing. */
export function storedSince({ since, lastNo }: Pick<AnnotationSummary, 'lastNo' | 'since'>): string | null {
  if (since.length === 0) return null;
  const stored: StoredSince = [
    lastNo,
    ...since.map(({ action, name, clientId, count }): StoredContribution => [
      ANNOTATION_ACTIONS[action],
      name,
      clientId,
      count,
    ]),
  ];
  return JSON.stringify(stored);
}

/** Null: a process of an older version wrote the summary since, without the contributions. */
function sinceOf(row: SqlRow): readonly Contribution[] | null {
  const stored = utf8OrNull(row, 'since');
  if (stored === null) return [];
  const [lastNo, ...since] = JSON.parse(stored) as StoredSince;
  if (lastNo !== whole(row, 'last_no')) return null;
  return since.map(([action, name, clientId, count]) => ({
    action: wordOf(ANNOTATION_ACTIONS, action),
    name,
    clientId,
    count,
  }));
}

/** Whether annotations are missing in its text that are nowhere but in their own rows. */
export const isOverwritten = (row: SqlRow): boolean => sinceOf(row) === null;

/** One database gives JSON as it has parsed it, the other as bytes. */
function jsonText(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString('utf8');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Hex digits: one database has bytes, the other digits. */
const hex = (value: unknown): string =>
  Buffer.isBuffer(value) && value.length === 32 ? value.toString('hex') : String(value);

export const operationOf = (row: SqlRow): FoundOperation => ({
  streamKey: text(row, 'stream_key'),
  hash: hex(row['op_hash']),
  fingerprint: hex(row['op_fingerprint']),
  deliverySerial: whole(row, 'delivery_serial'),
  versionSerial: text(row, 'version_serial'),
  atMs: whole(row, 'published_at_ms'),
});
