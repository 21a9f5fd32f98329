import type { CommitRecordOf } from '@carillon/contracts';
import type { StoredMessage, Stream } from '@carillon/history-store';
import { dataMarksOf, rawMember } from '@carillon/protocol';
import { isOpenStream, measured, type VersionPlace } from './mutation.js';

/** The message that a publish makes, in its first version. */
export function created(
  record: CommitRecordOf<'create'>,
  eventName: string,
  { streamKey, generation, nextHistorySerial }: Stream,
  { versionSerial, deliverySerial, atMs, keepUntilMs }: VersionPlace,
): StoredMessage {
  const text = rawMember(record.message, 'data');
  const extras = rawMember(record.message, 'extras');
  const { isBytes, isJsonText } = dataMarksOf(record.message);
  const creatorId = record.actor?.client_id ?? null;
  return {
    streamKey,
    generation,
    messageSerial: versionSerial,
    historySerial: nextHistorySerial,
    creatorId,
    versionSerial,
    deliverySerial,
    action: 'create',
    atMs,
    clientId: creatorId,
    description: null,
    metadata: null,
    name: eventName,
    extras,
    data: { text },
    ...measured(text, isBytes),
    ...(isJsonText ? { isJsonText } : {}),
    baseSerial: deliverySerial,
    baseVersionSerial: versionSerial,
    appends: 0,
    isOpen: isOpenStream(record.policy.ai !== null, extras),
    keepUntilMs,
  };
}
