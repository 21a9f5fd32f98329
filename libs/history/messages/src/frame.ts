import { positioned, type StoredMessage, type StoredRecord, type Stream } from '@carillon/history-store';
import { dataKindMember, extrasWith, omitMembers, rawMember, versionHeaders } from '@carillon/protocol';
import { marksOf, objectText, quoted, versionOf } from './payload.js';

const EXTRAS: ReadonlySet<string> = new Set(['extras']);

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

/** What a change says of itself beside its headers; null: nothing. */
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
