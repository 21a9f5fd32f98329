import type { CommitRecordOf, CommitResult } from '@carillon/contracts';
import {
  expiry,
  keepDay,
  type PresenceEventName,
  type PresenceMember,
  publicationTime,
  type Stream,
} from '@carillon/history-store';
import { type Verdict, verdict } from './answers.js';
import type { Draft } from './draft.js';
import { later } from './publish.js';

/**
 * Applies a transition to the known state of its member. A transition that was superseded or changes nothing leaves
 * no event and consumes no serial.
 */
export function presence(draft: Draft, record: CommitRecordOf<'presence'>, stream: Stream): Verdict {
  const member = draft.member(stream, record.user_id);
  const number = record.transition_no ?? null;
  const lastNo = member?.lastNo ?? null;
  const overtaken = number !== null && lastNo !== null && number < lastNo;
  const event = overtaken ? null : fold(record.event, member?.present ?? false);
  const next: PresenceMember = {
    streamKey: stream.streamKey,
    generation: stream.generation,
    userId: record.user_id,
    present: member?.present ?? false,
    lastNo: overtaken ? lastNo : (number ?? lastNo),
    lastSerial: member?.lastSerial ?? 0,
  };
  if (event !== null) return recorded(draft, record, stream, event, next);
  if (member !== undefined && next.lastNo !== lastNo) {
    draft.setMember(next);
    draft.setStream(stream);
  }
  return verdict(applied(record, stream, null, null));
}

/** Returns the event to record, given whether the member is present; null: none. */
function fold(event: PresenceEventName, present: boolean): PresenceEventName | null {
  if (event === 'member_removed') return present ? event : null;
  if (event === 'member_added') return present ? null : event;
  return present ? event : 'member_added';
}

function recorded(
  draft: Draft,
  record: CommitRecordOf<'presence'>,
  stream: Stream,
  event: PresenceEventName,
  member: PresenceMember,
): Verdict {
  const serial = stream.nextHistorySerial;
  const atMs = publicationTime(stream, draft.context.nowMs);
  const keepUntilMs = expiry(atMs, record.policy.history_ms);
  const body = event === 'member_removed' ? 'null' : JSON.stringify(record.user_info ?? null);
  const bodySize = shownSize(record, stream, event, { serial, atMs, body });
  draft.addEvent(stream, {
    streamKey: stream.streamKey,
    generation: stream.generation,
    serial,
    atMs,
    event,
    cause: record.cause,
    userId: record.user_id,
    connectionId: record.connection_id ?? null,
    deadNodeId: record.dead_node_id ?? null,
    body,
    bodySize,
    keepUntilMs,
  });
  draft.setMember({ ...member, present: event !== 'member_removed', lastSerial: serial });
  draft.setStream({
    ...stream,
    nextDeliverySerial: serial + 1,
    nextHistorySerial: serial + 1,
    retainedMessages: stream.retainedMessages + 1,
    retainedBytes: stream.retainedBytes + bodySize,
    newestPublishedAtMs: atMs,
    lastKeepDay: later(stream.lastKeepDay, keepDay(keepUntilMs)),
    maxMessages: record.policy.max_messages,
    maxBytes: record.policy.max_bytes,
  });
  draft.addReceipt(record, stream, { extra: JSON.stringify({ serial, at_ms: atMs }) });
  return verdict(applied(record, stream, serial, atMs));
}

/** Size of the event as shown to readers, not only of the presence data. */
function shownSize(
  record: CommitRecordOf<'presence'>,
  { streamId }: Stream,
  event: PresenceEventName,
  { serial, atMs, body }: { readonly serial: number; readonly atMs: number; readonly body: string },
): number {
  const rest = {
    stream_id: streamId,
    serial,
    published_at_ms: atMs,
    event,
    cause: record.cause,
    user_id: record.user_id,
    connection_id: record.connection_id ?? null,
    dead_node_id: record.dead_node_id ?? null,
  };
  return Buffer.byteLength(JSON.stringify(rest)) + ',"user_info":'.length + Buffer.byteLength(body);
}

const applied = (
  { pub_id }: CommitRecordOf<'presence'>,
  { streamId }: Stream,
  serial: number | null,
  atMs: number | null,
): CommitResult => ({
  pub_id,
  status: 'applied',
  stream_id: streamId,
  extra: serial === null ? null : { serial, at_ms: atMs },
});
