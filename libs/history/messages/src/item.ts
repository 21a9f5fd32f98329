import type { StoredMessage, StoredRecord } from '@carillon/history-store';
import { dataKindMember } from '@carillon/protocol';
import { marksOf, objectText, quoted, versionOf } from './payload.js';

/** A message in its latest version as a reader is given it: JSON text. */
export const latestItem = (channel: string, message: StoredMessage): string =>
  item(channel, {
    ...message,
    data: message.data?.text ?? null,
    ...marksOf(message),
    userId: message.creatorId,
  });

/** One version of a message as JSON text; for an append, only the fragment. */
export function versionItem(channel: string, record: StoredRecord): string {
  const { name, data, isBytes, isJsonText, extras, userId, clientId, description, metadata } =
    versionOf(record);
  return item(channel, {
    action: record.action,
    messageSerial: record.messageSerial ?? '',
    historySerial: record.rootHistorySerial ?? record.historySerial ?? 0,
    deliverySerial: record.deliverySerial,
    versionSerial: record.versionSerial ?? '',
    atMs: record.publishedAtMs,
    name,
    data,
    isBytes,
    isJsonText,
    extras,
    userId,
    clientId,
    description,
    metadata,
  });
}

interface Shown extends Pick<
  StoredMessage,
  | 'atMs'
  | 'clientId'
  | 'deliverySerial'
  | 'description'
  | 'extras'
  | 'historySerial'
  | 'messageSerial'
  | 'metadata'
  | 'name'
  | 'versionSerial'
> {
  readonly action: string;
  readonly data: string | null;
  readonly isBytes: boolean;
  readonly isJsonText: boolean;
  /** Owner of the message; null: a server, or anonymous. */
  readonly userId: string | null;
}

const item = (channel: string, shown: Shown): string =>
  objectText([
    ['event', JSON.stringify(`service:message.${shown.action}`)],
    ['channel', JSON.stringify(channel)],
    ['data', shown.data],
    dataKindMember(shown),
    ['name', quoted(shown.name)],
    ['user_id', quoted(shown.userId)],
    ['serial', String(shown.deliverySerial)],
    ['extras', shown.extras],
    ['action', JSON.stringify(shown.action)],
    ['message_serial', JSON.stringify(shown.messageSerial)],
    ['history_serial', String(shown.historySerial)],
    ['delivery_serial', String(shown.deliverySerial)],
    [
      'version',
      objectText([
        ['serial', JSON.stringify(shown.versionSerial)],
        ['client_id', quoted(shown.clientId)],
        ['timestamp_ms', String(shown.atMs)],
        ['description', quoted(shown.description)],
        ['metadata', shown.metadata],
      ]),
    ],
  ]);
