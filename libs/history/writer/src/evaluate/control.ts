import type { CommitRecordOf } from '@carillon/contracts';
import {
  type Found,
  NOTHING_STORED,
  type Stream,
  type StreamState,
  streamName,
} from '@carillon/history-store';
import { type Verdict, verdict } from './answers.js';
import type { Draft } from './draft.js';
import { WRONG } from './wrong.js';

/** Restarts the stream: new id, serials from 1, earlier rows invisible. */
export function reset(draft: Draft, record: CommitRecordOf<'reset'>, stream: Stream): Verdict {
  const { context } = draft;
  const { purgeable } = draft.found;
  const streamId = context.newStreamId();
  const unused = stream.generation === 1 && stream.nextDeliverySerial === 1 && stream.nextAnnotationNo === 1;
  const answer = {
    previous_stream_id: unused ? null : stream.streamId,
    new_stream_id: streamId,
    purged_messages: purgeable?.messages ?? 0,
    purged_bytes: purgeable?.bytes ?? 0,
  };
  const next: Stream = {
    ...stream,
    streamId,
    generation: stream.generation + 1,
    ...NOTHING_STORED,
    // Numbers continue: earlier annotations are erased later.
    nextAnnotationNo: stream.nextAnnotationNo,
    lastAnnotationSerial: stream.lastAnnotationSerial,
    durable: { state: 'healthy', reason: null, nodeId: context.nodeId, changedAtMs: context.nowMs },
  };
  draft.setStream(next);
  logged(draft, record, answer);
  draft.addReceipt(record, next, { extra: JSON.stringify(answer) });
  return verdict(
    { pub_id: record.pub_id, status: 'applied', stream_id: streamId, extra: answer },
    record.stream === 'presence'
      ? {}
      : {
          fanOut: {
            writer_id: context.writerId,
            app_id: record.app_id,
            channel: record.channel,
            stream_id: streamId,
            published_at_ms: context.nowMs,
            op: 'reset',
            old_stream_id: stream.streamId,
          },
        },
  );
}

/** Raises the floor. Rows below it are invisible to all readers and gateways immediately, and erased later. */
export function purge(draft: Draft, record: CommitRecordOf<'purge'>, stream: Stream | null): Verdict {
  const { context } = draft;
  const { purgeable } = draft.found;
  const answer = { purged_messages: purgeable?.messages ?? 0, purged_bytes: purgeable?.bytes ?? 0 };
  if (stream !== null && purgeable !== null) {
    draft.setStream({
      ...stream,
      floorHistorySerial: Math.max(stream.floorHistorySerial, purgeable.historyFloor),
      floorMessageSerial: Math.max(stream.floorMessageSerial, purgeable.historyFloor),
      openStreams: Math.max(0, stream.openStreams - purgeable.openStreams),
      retainedMessages: stream.retainedMessages - purgeable.stored.messages,
      retainedBytes: stream.retainedBytes - purgeable.stored.bytes,
    });
    logged(draft, record, answer);
    draft.addReceipt(record, stream, { extra: JSON.stringify(answer) });
  }
  const streamId = stream?.streamId ?? null;
  return verdict(
    { pub_id: record.pub_id, status: 'applied', stream_id: streamId, extra: answer },
    stream === null || purgeable === null
      ? {}
      : {
          fanOut: {
            writer_id: context.writerId,
            app_id: record.app_id,
            channel: record.channel,
            stream_id: streamId,
            published_at_ms: context.nowMs,
            op: 'purge',
          },
        },
  );
}

function logged(
  draft: Draft,
  record: CommitRecordOf<'reset'> | CommitRecordOf<'purge'>,
  answer: object,
): void {
  draft.addLog({
    atMs: draft.context.nowMs,
    appId: record.app_id,
    channel: record.channel,
    operation: record.op,
    reason: record.reason,
    requestedBy: record.requested_by ?? null,
    result: JSON.stringify(answer),
  });
}

/** Applies a claimed state of a stream if the claim holds. */
export function mark(draft: Draft, record: CommitRecordOf<'mark'>, stream: Stream | null): Verdict {
  const holds = stream !== null && claimHolds(record, stream, draft.found);
  if (holds) {
    const durable: StreamState = {
      state: record.state,
      reason: record.state === 'healthy' ? null : record.reason,
      nodeId: record.node_id,
      changedAtMs: draft.context.nowMs,
    };
    const seen = regressed(record)
      ? { delivery: record.seen_delivery_serial ?? 0, history: record.seen_history_serial ?? 0 }
      : { delivery: 0, history: 0 };
    draft.setStream({
      ...stream,
      durable,
      nextDeliverySerial: Math.max(stream.nextDeliverySerial, seen.delivery + 1),
      nextHistorySerial: Math.max(stream.nextHistorySerial, seen.history + 1),
    });
  }
  const streamId = stream?.streamId ?? null;
  return verdict({
    pub_id: record.pub_id,
    status: 'applied',
    stream_id: streamId,
    extra: { changed: holds },
  });
}

const regressed = ({ reason }: CommitRecordOf<'mark'>): boolean => reason === 'history_stream_regressed';

/** The state that belongs to each reason, so that no other pair is ever stored. */
const STATE_OF: Readonly<Record<string, StreamState['state']>> = {
  history_row_unreadable: 'degraded',
  history_serial_gap: 'reset_required',
  history_serial_conflict: 'reset_required',
  history_stream_regressed: 'reset_required',
  presence_history_commit_lagging: 'degraded',
  presence_history_write_failed: 'degraded',
  presence_history_reset_required_after_write_failure: 'reset_required',
};

function claimHolds(
  record: CommitRecordOf<'mark'>,
  stream: Stream,
  { inspections, messageIdAt }: Found,
): boolean {
  const { state } = stream.durable;
  const inspection = inspections.get(streamName(stream.address));
  if (state === record.state) return false;
  // Only a reset ends that.
  if (state === 'reset_required') return false;
  if (record.state === 'healthy')
    return inspection === undefined || !(inspection.gap || inspection.conflict || inspection.unreadable);
  const reason = record.reason ?? '';
  if (STATE_OF[reason] !== record.state) return false;
  if (reason.startsWith('presence_')) return stream.address.kind === 'presence';
  if (regressed(record)) {
    if ((record.seen_stream_id ?? stream.streamId) !== stream.streamId) return false;
    const { seen_delivery_serial: delivery = 0, seen_history_serial: history = 0 } = record;
    const isBehind = delivery >= stream.nextDeliverySerial || history >= stream.nextHistorySerial;
    // Erased records have no message id and prove nothing.
    return isBehind || (typeof messageIdAt === 'string' && messageIdAt !== record.seen_message_id);
  }
  return inspection !== undefined && (WRONG.get(reason)?.(inspection) ?? false);
}
