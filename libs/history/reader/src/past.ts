import type { StoredMessage, StoredRecord, Stream } from '@carillon/history-store';
import { frameOf, latestFrameOf } from '@carillon/history-messages';
import { type Message, readMessageV2 } from '@carillon/protocol';

/** A message of the past, as it is now. */
export interface PastMessage {
  readonly message: Message;
  /** Message id of its create, independent of later changes. */
  readonly createId: string;
  readonly historySerial: number;
  readonly publishedAtMs: number;
}

/** A page of the past. */
export interface PastPage {
  readonly messages: readonly PastMessage[];
  readonly hasMore: boolean;
  /** Null exactly when there is no more. */
  readonly nextCursor: string | null;
  /** The lowest history serial that is retained; the next one, where nothing is. */
  readonly floor: number;
  /** The query reaches back before the retained rows. */
  readonly isTruncated: boolean;
}

/** Null: its stored form is unreadable. */
export function pastMessage(
  stream: Stream,
  record: StoredRecord,
  latest: StoredMessage | undefined,
  latestId: string | null,
): Message | null {
  const changed = latest === undefined ? null : latestFrameOf(latest, latestId, stream);
  const text = changed ?? frameOf(record, stream);
  if (text === null) return null;
  const action = changed === null ? record.action : latest?.action === 'delete' ? 'delete' : 'update';
  return readMessageV2(text, { action, isFromClient: false, mayBeDelta: true });
}
