import { positioned, type StoredMessage, type StoredRecord, type Stream } from '@carillon/history-store';
import { dataKindMember, extrasWith, omitMembers, rawMember, versionHeaders } from '@carillon/protocol';
import { marksOf, objectText, quoted, versionOf } from './payload.js';

const EXTRAS: ReadonlySet<string> = new Set(['extras']);

/**
 * Returns the V2 frame of a stored record, as sent live and by recovery; null: erased. A create keeps its published
 * name, a change is named after its operation.
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
  const version = versionOf(record);
  const { name, data, extras, userId } = version;
  const frame = objectText([
    ['event', JSON.stringify(`service:message.${action}`)],
    ['channel', JSON.stringify(address.channel)],
    ['name', quoted(name)],
    ['data', data],
    dataKindMember(version),
    ['user_id', quoted(userId)],
    ['message_id', quoted(record.messageId)],
    ['extras', extrasWith(extras, headers)],
    ['version', aboutOf(version)],
  ]);
  return positioned(frame, streamId, deliverySerial);
}

/**
 * Returns the V2 frame of the current state of a message for late subscribers, with all its data. Null: it is
 * unchanged since its create, whose frame applies.
 */
export function latestFrameOf(
  message: StoredMessage,
  messageId: string | null,
  { address, streamId }: Pick<Stream, 'address' | 'streamId'>,
): string | null {
  if (message.action === 'create') return null;
  // A fragment is useless without the data it is appended to.
  const action = message.action === 'append' ? 'update' : message.action;
  const headers = versionHeaders({ ...message, action });
  const frame = objectText([
    ['event', JSON.stringify(`service:message.${action}`)],
    ['channel', JSON.stringify(address.channel)],
    ['name', quoted(message.name)],
    ['data', message.data?.text ?? null],
    dataKindMember(marksOf(message)),
    ['user_id', quoted(message.creatorId ?? message.clientId)],
    ['message_id', quoted(messageId)],
    ['extras', extrasWith(message.extras, headers)],
    ['version', aboutOf(message)],
  ]);
  return positioned(frame, streamId, message.deliverySerial);
}

/** Members of a change besides its headers; null: none. */
function aboutOf({
  clientId,
  description,
  metadata,
}: Pick<StoredMessage, 'clientId' | 'description' | 'metadata'>): string | null {
  if (clientId === null && description === null && metadata === null) return null;
  return objectText([
    ['client_id', quoted(clientId)],
    ['description', quoted(description)],
    ['metadata', metadata],
  ]);
}

const serviceHeaders = (record: StoredRecord): string =>
  versionHeaders({
    action: record.action,
    messageSerial: record.messageSerial,
    versionSerial: record.versionSerial,
    historySerial: record.rootHistorySerial ?? record.historySerial,
    atMs: record.publishedAtMs,
  });

/** A frame with these headers in its extras; the rest of it stays as written. */
function withHeaders(frame: string, headers: string): string {
  const extras = extrasWith(rawMember(frame, 'extras'), headers);
  const rest = omitMembers(frame, EXTRAS) ?? '{}';
  return `${rest.slice(0, -1)},"extras":${extras}}`;
}
