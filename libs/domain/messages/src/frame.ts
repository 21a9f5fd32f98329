import { positioned, type StoredMessage, type StoredRecord, type Stream } from '@carillon/history-store';
import { omitMembers, rawMember } from '@carillon/protocol';
import { objectText, quoted, versionOf } from './payload.js';

/** Header names that only the service sets. */
export const SERVICE_HEADERS = {
  action: 'service_action',
  messageSerial: 'service_message_serial',
  versionSerial: 'service_version_serial',
  historySerial: 'service_history_serial',
  versionTimestamp: 'service_version_timestamp_ms',
  rollupFrom: 'service_rollup_from_serial',
} as const;

const RESERVED: ReadonlySet<string> = new Set(Object.values(SERVICE_HEADERS));
const EXTRAS: ReadonlySet<string> = new Set(['extras']);
const HEADERS: ReadonlySet<string> = new Set(['headers']);

/**
 * The V2 frame of a stored record, as it goes out live and as it is recovered; null: it was erased. A create keeps the
 * name that it was published under, a change is named for what it does.
 */
export function frameOf(
  record: StoredRecord,
  { address, streamId }: Pick<Stream, 'address' | 'streamId'>,
): string | null {
  const { action, payload, deliverySerial } = record;
  if (payload === null) return null;
  if (action === 'plain') return positioned(payload, streamId, deliverySerial);
  const headers = serviceHeaders(record);
  if (action === 'create') return positioned(withHeaders(payload, headers), streamId, deliverySerial);
  const { name, data, extras, userId } = versionOf(record);
  const frame = objectText([
    ['event', JSON.stringify(`service:message.${action}`)],
    ['channel', JSON.stringify(address.channel)],
    ['name', quoted(name)],
    ['data', data],
    ['user_id', quoted(userId)],
    ['message_id', quoted(record.messageId)],
    ['extras', extrasWith(extras, headers)],
  ]);
  return positioned(frame, streamId, deliverySerial);
}

/**
 * The V2 frame of a message as it is now, for who comes late: all of its data, whatever its latest version did. Null: it is
 * as it was created, and the frame of that record is the one to show.
 */
export function latestFrameOf(
  message: StoredMessage,
  messageId: string | null,
  { address, streamId }: Pick<Stream, 'address' | 'streamId'>,
): string | null {
  if (message.action === 'create') return null;
  // A fragment is of no use to who has not what it is appended to.
  const action = message.action === 'append' ? 'update' : message.action;
  const headers = objectText([
    [SERVICE_HEADERS.action, JSON.stringify(`message.${action}`)],
    [SERVICE_HEADERS.messageSerial, quoted(message.messageSerial)],
    [SERVICE_HEADERS.versionSerial, quoted(message.versionSerial)],
    [SERVICE_HEADERS.historySerial, String(message.historySerial)],
    [SERVICE_HEADERS.versionTimestamp, String(message.atMs)],
  ]);
  const frame = objectText([
    ['event', JSON.stringify(`service:message.${action}`)],
    ['channel', JSON.stringify(address.channel)],
    ['name', quoted(message.name)],
    ['data', message.data?.text ?? null],
    ['user_id', quoted(message.creatorId ?? message.clientId)],
    ['message_id', quoted(messageId)],
    ['extras', extrasWith(message.extras, headers)],
  ]);
  return positioned(frame, streamId, message.deliverySerial);
}

const serviceHeaders = (record: StoredRecord): string =>
  objectText([
    [SERVICE_HEADERS.action, JSON.stringify(`message.${record.action}`)],
    [SERVICE_HEADERS.messageSerial, quoted(record.messageSerial)],
    [SERVICE_HEADERS.versionSerial, quoted(record.versionSerial)],
    [SERVICE_HEADERS.historySerial, String(record.rootHistorySerial ?? record.historySerial)],
    [SERVICE_HEADERS.versionTimestamp, String(record.publishedAtMs)],
  ]);

/** A frame with these headers in its extras; the rest of it stays as written. */
function withHeaders(frame: string, headers: string): string {
  const extras = extrasWith(rawMember(frame, 'extras'), headers);
  const rest = omitMembers(frame, EXTRAS) ?? '{}';
  return `${rest.slice(0, -1)},"extras":${extras}}`;
}

/** Extras of a version that came with earlier ones in one frame: the first serial that it covers is told beside. */
export function rolledUp(extras: string | null, fromSerial: number): string {
  const own = extras === null ? null : rawMember(extras, 'headers');
  const header = `"${SERVICE_HEADERS.rollupFrom}":${fromSerial}`;
  const headers = own?.startsWith('{"') === true ? `${own.slice(0, -1)},${header}}` : `{${header}}`;
  const rest = extras === null ? null : omitMembers(extras, HEADERS);
  return rest === null ? `{"headers":${headers}}` : `${rest.slice(0, -1)},"headers":${headers}}`;
}

/** The message that a version is of, from its extras as delivered; null: it is of none that lives on. */
export function messageSerialOf(extras: string | null): string | null {
  const headers = extras === null ? null : rawMember(extras, 'headers');
  const raw = headers?.startsWith('{') === true ? rawMember(headers, SERVICE_HEADERS.messageSerial) : null;
  return raw === null ? null : (JSON.parse(raw) as string);
}

/** Extras with these headers among their own, whatever those were called. */
export function extrasWith(extras: string | null, headers: string): string {
  const own = extras === null ? null : rawMember(extras, 'headers');
  const kept = own?.startsWith('{') === true ? omitMembers(own, RESERVED) : null;
  const all = kept === null ? headers : `${kept.slice(0, -1)},${headers.slice(1)}`;
  const rest = extras === null ? null : omitMembers(extras, HEADERS);
  return rest === null ? `{"headers":${all}}` : `${rest.slice(0, -1)},"headers":${all}}`;
}
