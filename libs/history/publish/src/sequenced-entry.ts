import { decoder, flag, json, message, optional, text } from '@carillon/contracts';
import { encodeMessageV2, type Message, rawMembers, readMessageV2 } from '@carillon/protocol';
import type { StreamPosition } from '@carillon/history-positions';
import type { LiveMessage } from './live-publisher.js';

/** Replay entry of an event, without its serial, which is its position. */
const SEQUENCED = message('sequenced', {
  event_id: text(1, 512),
  /** Absent: false, a server sent it. */
  from_client: optional(flag),
  /** Absent: true; whether it may be sent as the difference to an earlier one. */
  delta: optional(flag),
  /** The V2 frame without a position. */
  message: json,
});

const decode = decoder(SEQUENCED);
const { version, kind } = SEQUENCED;

/** The frame is put in as it is. */
export function writeSequenced({ eventId, fact }: LiveMessage): string {
  const flags = `${fact.isFromClient ? ',"from_client":true' : ''}${fact.mayBeDelta ? '' : ',"delta":false'}`;
  return `{"v":${version},"kind":"${kind}","event_id":${JSON.stringify(eventId)}${flags},"message":${encodeMessageV2(fact)}}`;
}

/** A stored event with its position. */
export interface SequencedEvent {
  readonly eventId: string;
  readonly message: Message;
}

/** Null: too large or unreadable by this version. Never throws. */
export function readSequenced(
  kept: string,
  { streamId, serial }: StreamPosition,
  maxBytes: number,
): SequencedEvent | null {
  const decoded = decode(kept, maxBytes);
  if (!decoded.ok) return null;
  const { event_id: eventId, from_client, delta } = decoded.message;
  const read = readMessageV2(rawMembers(kept).get('message') ?? '', {
    action: 'plain',
    isFromClient: from_client === true,
    mayBeDelta: delta !== false,
  });
  return read === null ? null : { eventId, message: { ...read, streamId, serial } };
}
