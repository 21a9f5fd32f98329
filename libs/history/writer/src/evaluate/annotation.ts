import {
  annotationFrame,
  methodOf,
  missingOf,
  type RunningSummary,
  summaryFrame,
} from '@carillon/history-annotations';
import type { CommitRecordOf } from '@carillon/contracts';
import {
  type AnnotationEvent,
  expiry,
  type FoundAnnotation,
  type NewAnnotation,
  type Stream,
} from '@carillon/history-store';
import { mayChange, nextSerial } from '@carillon/history-messages';
import { rejected, type Verdict, verdict } from './answers.js';
import type { Draft } from './draft.js';

/** Summaries with more bytes are not added to. */
const MAX_SUMMARY_BYTES = 1_048_576;

type Annotation = CommitRecordOf<'annotate' | 'unannotate'>;

/** Creates an annotation and adds it to the summary of its type. */
export function annotate(draft: Draft, record: CommitRecordOf<'annotate'>, stream: Stream): Verdict {
  if (!isThere(draft, record, stream)) return noMessage(record);
  const { type, name = null, client_id: clientId = null, count = null } = record;
  const method = methodOf(type);
  if (method === null)
    return verdict(rejected(record.pub_id, 'invalid_input', 'type: no type of annotations'));
  const missing = missingOf(method, { name, clientId });
  if (missing !== null)
    return verdict(rejected(record.pub_id, 'invalid_input', `${missing}: is needed for the type`));
  const event: NewAnnotation = {
    ...numbered(draft, record, stream),
    type,
    action: 'create',
    annotationId: record.pub_id,
    targetNo: null,
    name,
    clientId,
    count,
    data: record.data ?? null,
    encoding: record.encoding ?? null,
  };
  return applied(draft, record, stream, event, null);
}

/** Takes an annotation back; doing so again changes nothing. */
export function unannotate(draft: Draft, record: CommitRecordOf<'unannotate'>, stream: Stream): Verdict {
  if (!isThere(draft, record, stream)) return noMessage(record);
  const target = draft.messages.annotation(stream, record.annotation_serial);
  if (target === undefined || target.created.messageSerial !== record.message_serial)
    return verdict(rejected(record.pub_id, 'not_found', 'there is no such annotation'));
  const { created, deleted } = target;
  if (created.action === 'delete')
    return verdict(
      rejected(record.pub_id, 'invalid_input', 'what took an annotation back cannot be taken back'),
    );
  if (!mayChange(record.actor, created.clientId)) return verdict(rejected(record.pub_id, 'forbidden'));
  if (deleted !== null)
    return verdict({
      pub_id: record.pub_id,
      status: 'duplicate',
      stream_id: stream.streamId,
      annotation_serial: deleted.annotationSerial,
      published_at_ms: deleted.atMs,
      extra: answerOf(deleted, target),
    });
  const { type, annotationId, annotationNo: targetNo, name, clientId, count } = created;
  const event: NewAnnotation = {
    ...numbered(draft, record, stream),
    type,
    action: 'delete',
    annotationId,
    targetNo,
    name,
    clientId,
    count,
    data: null,
    encoding: null,
  };
  return applied(draft, record, stream, event, target);
}

const isThere = (draft: Draft, { message_serial: serial }: Annotation, stream: Stream): boolean =>
  draft.messages.state(stream, serial, draft.context.nowMs) !== undefined;

const noMessage = ({ pub_id: pubId }: Annotation): Verdict =>
  verdict(rejected(pubId, 'not_found', 'there is no such message'));

function numbered(draft: Draft, { message_serial, actor, policy }: Annotation, stream: Stream) {
  const { nowMs, writerId } = draft.context;
  const annotationNo = stream.nextAnnotationNo;
  return {
    streamKey: stream.streamKey,
    annotationNo,
    // Its last digits are its number, by which it is found.
    annotationSerial: nextSerial(stream.lastAnnotationSerial, { nowMs, writerId, count: annotationNo }),
    messageSerial: message_serial,
    atMs: nowMs,
    actorClientId: actor?.client_id ?? null,
    actorSocketId: actor?.socket_id ?? null,
    keepUntilMs: expiry(nowMs, policy.versions_ms),
  };
}

function applied(
  draft: Draft,
  record: Annotation,
  stream: Stream,
  event: NewAnnotation,
  target: FoundAnnotation | null,
): Verdict {
  const { type, messageSerial, annotationNo, annotationSerial, atMs } = event;
  const summary = draft.messages.summary(stream, messageSerial, type);
  const refused = exceededLimit(draft, record, stream, event, summary);
  if (refused !== null) return verdict(rejected(record.pub_id, 'payload_too_large', refused));
  draft.messages.addAnnotation(event, summary, target);
  draft.setStream({ ...stream, nextAnnotationNo: annotationNo + 1, lastAnnotationSerial: annotationSerial });
  const answer = answerOf(event, target);
  draft.addReceipt(record, stream, { extra: JSON.stringify(answer) });
  const { channel } = record;
  return verdict(
    {
      pub_id: record.pub_id,
      status: 'applied',
      stream_id: stream.streamId,
      annotation_serial: annotationSerial,
      published_at_ms: atMs,
      extra: answer,
    },
    {
      fanOut: {
        writer_id: draft.context.writerId,
        app_id: record.app_id,
        channel,
        stream_id: null,
        serial: null,
        history_serial: null,
        annotation_no: annotationNo,
        published_at_ms: atMs,
        op: record.op,
        message_id: null,
        except_socket: null,
        summary: summaryFrame({ channel, messageSerial, type }, summary.tally, record.max_frame_bytes).text,
        message: annotationFrame(channel, event),
      },
    },
  );
}

/** Adds an event to its summary, unless a limit forbids it; null: it was added. */
function exceededLimit(
  draft: Draft,
  record: Annotation,
  stream: Stream,
  event: NewAnnotation,
  summary: RunningSummary,
): string | null {
  const { max_names: maxNames = Infinity, max_types: maxTypes = Infinity } =
    record.op === 'annotate' ? record : {};
  if (summary.isNew && draft.messages.typesOf(stream, event.messageSerial) >= maxTypes)
    return `the message has annotations of ${maxTypes} types (annotations.max_types_per_message); use one of them`;
  const exceeded = summary.add(event, { maxBytes: MAX_SUMMARY_BYTES, maxNames });
  if (exceeded === 'names')
    return `the type has ${maxNames} names (annotations.max_names_per_type); use one of them`;
  return exceeded === 'bytes'
    ? `the summary of the type exceeds ${MAX_SUMMARY_BYTES} bytes; delete annotations first`
    : null;
}

const answerOf = ({ annotationSerial, type }: AnnotationEvent, target: FoundAnnotation | null) => ({
  annotation_serial: annotationSerial,
  annotation_type: type,
  ...(target === null ? {} : { deleted_annotation_serial: target.created.annotationSerial }),
});
